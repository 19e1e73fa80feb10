"""Turn a workflow into a picture: which box, which arrow, which label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from awp_core.graph.geometry import Layout
from awp_core.graph.picture import Picture, PictureEdge, PictureNode
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import Dependency, GraphNode

FORMATS = ("text", "svg", "dot")
_OWN_LAYOUT = {"GRAPHVIZ_DOT": "builtin"}
_KEPT = 8
_LAYOUTS: dict[str, Layout] = {}


def picture_of(workflow: Workflow) -> Picture:
    """Return what to draw. Nodes that could not be read are left out, arrows from unknown nodes too."""
    nodes = tuple(PictureNode(node.id, node.id, node.type, _subtitle(node)) for node in workflow.nodes)
    edges = tuple(edge for node in workflow.nodes for edge in _edges(workflow, node))
    return Picture(workflow.name, nodes, edges)


def layout_of(workflow: Workflow) -> Layout:
    """Return where everything of a workflow's picture is, by our own layout: it costs no process.

    The latest ones are kept, because a workflow in work runs again and again.
    """
    from awp_core.graph.layout import lay_out

    layout = _LAYOUTS.pop(workflow.digest, None)
    if layout is None:
        layout = lay_out(picture_of(workflow), _OWN_LAYOUT)
        while len(_LAYOUTS) >= _KEPT:
            _LAYOUTS.pop(next(iter(_LAYOUTS)), None)
    _LAYOUTS[workflow.digest] = layout
    return layout


def draw(workflow: Workflow, form: str = "text", states: Mapping[str, str] | None = None) -> str:
    """Draw a workflow as `text`, `svg` or `dot`, coloured by node states if given."""
    picture = picture_of(workflow)
    if form == "svg":
        from awp_core.graph.layout import lay_out
        from awp_core.graph.svg import render_svg

        return render_svg(lay_out(picture), states or {})
    if form == "dot":
        from awp_core.graph.dot import to_dot

        return to_dot(picture, states or {})
    from awp_core.graph.text import to_text

    return to_text(picture, states or {})


def _edges(workflow: Workflow, node: GraphNode) -> Iterator[PictureEdge]:
    for dependency in node.depends_on:
        if not workflow.has_node(dependency.id):
            continue
        label = _branch_label(workflow, node, dependency) if node.branch else ""
        gated = bool(label) or dependency.when is not None or node.when is not None
        yield PictureEdge(dependency.id, node.id, label, dashed=gated)


def _branch_label(workflow: Workflow, node: GraphNode, dependency: Dependency) -> str:
    """The cases that open the gate along this arrow: those of a route, or of a question that can expire."""
    source = workflow.node(dependency.id)
    cases = [gate.case for gate in node.branch if gate.route in (None, source.id)]
    if source.type == "route":
        return " | ".join(cases)
    if source.type == "ask_human" and "on_timeout" in source.raw:
        return " | ".join(cases)
    return ""


def _subtitle(node: GraphNode) -> str:
    agent = node.raw.get("agent")
    return agent if node.type in {"agent", "fan_out"} and isinstance(agent, str) and agent != node.id else ""
