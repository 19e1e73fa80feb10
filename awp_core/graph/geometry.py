"""The values a layout is made of. One unit is one CSS pixel; y grows downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awp_core.graph.picture import Picture, PictureEdge, PictureNode

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node is drawn: `x` and `y` of its upper left corner, and its size."""

    node: PictureNode
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an arrow.

    Attributes:
        edge: The arrow; the path runs from its source to its target.
        points: A start point, then three points for each cubic Bézier curve.
        label: The edge's label, cleaned and short enough; "" for none.
        label_at: The middle of the label.
        back: Whether the arrow closes a cycle, and so runs against the flow.
    """

    edge: PictureEdge
    points: tuple[Point, ...]
    label: str
    label_at: Point
    back: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """A finished layout; `awp_core.graph.svg.render_svg` draws it with any states.

    Attributes:
        picture: What is laid out, after grouping.
        boxes: One for each node, in graph order.
        routes: One for each arrow drawn.
        width, height: The whole drawing, margin included.
        backend: Who computed the coordinates: "dot", "graphviz-pure" or "builtin".
        reason: Why it was not Graphviz although there is one; "" otherwise.
        horizontal: Whether the flow runs from left to right instead of downwards.
    """

    picture: Picture
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float
    backend: str
    reason: str = ""
    horizontal: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow of a plan, by node numbers, always along the flow; `reversed` if the real one runs against it."""

    source: int
    target: int
    label_width: float = 0.0
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a layout algorithm is told: sizes and arrows without cycles. No text of any kind."""

    sizes: Sequence[tuple[float, float]]
    arrows: Sequence[Arrow]
    horizontal: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """What a layout algorithm answers, in the order of the plan.

    Attributes:
        centers: The middle of each node.
        paths: For each arrow the points along the flow, as in `Route.points`.
        labels: For each arrow the middle of its label, None without one.
    """

    centers: Sequence[Point]
    paths: Sequence[Sequence[Point]]
    labels: Sequence[Point | None]
