"""A workflow as a picture: an image that unsigned notebooks show, and text for everything else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from awp_core.diagnostics.render import visible
from awp_magics.views.html import image

if TYPE_CHECKING:
    from awp_core.graph.layout import Layout
    from awp_core.graph.picture import Picture
    from awp_core.manifest.load import Workflow

HEAVY = 60_000  # characters of SVG above which a picture is redrawn only when a run rests: 200 KB/s at most
_DESCRIBED = 30  # nodes that the alternative text names


def view_model(workflow: Workflow) -> Picture:
    """Return what is drawn of a workflow."""
    from awp_core.drawing import picture_of

    return picture_of(workflow)


class GraphView:
    """The picture of one workflow; the layout is computed once, only states change."""

    def __init__(self, workflow: Workflow) -> None:
        self.picture = view_model(workflow)
        self._size = 0

    @cached_property
    def _layout(self) -> Layout:
        from awp_core.graph.layout import lay_out

        return lay_out(self.picture)

    @property
    def heavy(self) -> bool:
        """Whether it is too large to be sent twice a second."""
        return self._size > HEAVY

    def text(self, states: Mapping[str, str] | None = None) -> str:
        """Return the picture as lines of text, coloured by node states if given."""
        from awp_core.graph.text import to_text

        return to_text(self.picture, states or {})

    def html(self, states: Mapping[str, str] | None = None) -> str:
        """Return the picture as an image."""
        from awp_core.graph.svg import render_svg

        svg = render_svg(self._layout, states or {})
        self._size = len(svg)
        return image(svg, alternative(self.picture, states or {}))

    def bundle(self, states: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return both, for the front end to choose from."""
        return {"text/html": self.html(states), "text/plain": self.text(states)}


def alternative(picture: Picture, states: Mapping[str, str]) -> str:
    """Say in a sentence what the picture shows, for those who do not see it."""
    count = len(picture.nodes)
    named = [f"{node.label} ({states.get(node.id, node.kind)})" for node in picture.nodes[:_DESCRIBED]]
    more = f" and {count - _DESCRIBED} more" if count > _DESCRIBED else ""
    return visible(
        f"Graph of {picture.title} with {count} {'node' if count == 1 else 'nodes'}: {', '.join(named)}{more}"
    )
