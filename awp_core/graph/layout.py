"""Lay a picture out once; states may change afterwards without a new layout.

The flow runs from top to bottom, because a notebook cell is about 900 pixels wide and scrolls downwards: a long chain
stays readable. Only a graph that is wider than that, and narrower when turned, runs from left to right.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from awp_core.graph.dotlayout import GraphvizError, find_graphviz, place_by_graphviz
from awp_core.graph.geometry import Arrow, Box, Layout, Placement, Plan, Point, Route
from awp_core.graph.grouping import MOST_NODES, group_by_level
from awp_core.graph.labels import clean, pixels, shorten_to_pixels
from awp_core.graph.layered import place_in_layers
from awp_core.graph.order import levels
from awp_core.graph.packing import bounds
from awp_core.graph.picture import Picture, PictureEdge, PictureNode

__all__ = ["Layout", "lay_out"]

CELL_WIDTH = 900.0
MARGIN = 20.0
BOX_HEIGHT = 48.0
LABEL_SIZE = 14.3  # measured as if larger than its 13 pixels, because it is bold
SMALL_SIZE = 11.0
MOST_LABEL = 200.0
MOST_EDGE_LABEL = 120.0
TEXT_LEFT = 46.0
TEXT_RIGHT = 30.0

_LEAST_WIDTH = 150.0
_LOOP = 26.0


def lay_out(picture: Picture, environ: Mapping[str, str] | None = None, *, group_above: int = MOST_NODES) -> Layout:
    """Compute where everything is drawn, by Graphviz if there is one, otherwise by `layered`.

    A Graphviz that fails is no error: the layout is ours then, and `Layout.reason` says why.

    Args:
        environ: Where to look for `GRAPHVIZ_DOT` and `PATH`; the process environment by default.
            `GRAPHVIZ_DOT=builtin` asks for our own layout.
        group_above: Pictures with more nodes are grouped by level first.
    """
    environ = os.environ if environ is None else environ
    shown = group_by_level(picture) if len(picture.nodes) > group_above else picture
    edges = _edges(shown)
    widths = {node.id: box_width(node) for node in shown.nodes}
    plan = _plan(shown, edges, widths)
    placement, backend, reason = _place(plan, environ)
    return _assemble(shown, edges, widths, plan, placement, backend, reason)


def _place(plan: Plan, environ: Mapping[str, str]) -> tuple[Placement, str, str]:
    found = find_graphviz(environ)
    reason = ""
    if plan.sizes and found and found[1] != "builtin":
        try:
            return place_by_graphviz(plan, found[1], environ), found[0], ""
        except GraphvizError as exc:
            reason = exc.message
    return place_in_layers(plan), "builtin", reason


def _edges(picture: Picture) -> list[PictureEdge]:
    """Return the arrows that can be drawn; several between the same nodes become one."""
    known = {node.id for node in picture.nodes}
    merged: dict[tuple[str, str], PictureEdge] = {}
    for edge in picture.edges:
        if edge.source in known and edge.target in known:
            key = edge.source, edge.target
            first = merged.get(key, edge)
            words = dict.fromkeys(label for label in (first.label, edge.label) if label)
            merged[key] = PictureEdge(*key, " | ".join(words), first.dashed and edge.dashed)
    return list(merged.values())


def _plan(picture: Picture, edges: list[PictureEdge], widths: Mapping[str, float]) -> Plan:
    horizontal = _runs_sideways(picture, widths)
    rooms = {edge.source: _loop_room(edge, horizontal) for edge in edges if edge.source == edge.target}
    sizes = []
    for node in picture.nodes:
        room = 2 * rooms.get(node.id, 0.0)
        width = widths[node.id]
        sizes.append((width, BOX_HEIGHT + room) if horizontal else (width + room, BOX_HEIGHT))
    number = {node.id: index for index, node in enumerate(picture.nodes)}
    arrows = []
    for edge in edges:
        if edge.source != edge.target:
            back = (edge.source, edge.target) in picture.closing
            ends = (edge.target, edge.source) if back else (edge.source, edge.target)
            arrows.append(Arrow(number[ends[0]], number[ends[1]], _label_width(edge), back))
    return Plan(sizes, arrows, horizontal)


def box_width(node: PictureNode) -> float:
    """Return the width of a node's box; whatever its state, nothing in it needs more."""
    label = min(MOST_LABEL, pixels(clean(node.label), LABEL_SIZE))
    below = min(MOST_LABEL, pixels(second_line(node), SMALL_SIZE))
    return max(_LEAST_WIDTH, math.ceil(TEXT_LEFT + max(label, below) + TEXT_RIGHT))


def second_line(node: PictureNode) -> str:
    """Return the small line of a box without a state: the node type and what it uses."""
    return " · ".join(clean(part) for part in (node.kind, node.subtitle) if part)


def _label(edge: PictureEdge) -> str:
    return shorten_to_pixels(clean(edge.label), MOST_EDGE_LABEL, SMALL_SIZE)


def _label_width(edge: PictureEdge) -> float:
    return pixels(_label(edge), SMALL_SIZE) + 14.0 if edge.label else 0.0


def _runs_sideways(picture: Picture, widths: Mapping[str, float]) -> bool:
    by_level = [[widths[node] for node in level] for level in levels(picture.flow)]
    downwards = max((sum(level) + 28.0 * len(level) for level in by_level), default=0.0)
    sideways = sum(max(level) + 40.0 for level in by_level)
    return downwards > CELL_WIDTH and sideways < downwards


def _assemble(
    picture: Picture,
    edges: list[PictureEdge],
    widths: Mapping[str, float],
    plan: Plan,
    placement: Placement,
    backend: str,
    reason: str,
) -> Layout:
    """Move everything to a margin from the origin and give the numbers their nodes and words back."""
    left, top, right, bottom = bounds(plan, placement)

    def moved(point: Point) -> Point:
        return round(point[0] - left + MARGIN, 1), round(point[1] - top + MARGIN, 1)

    boxes = {}
    for node, center in zip(picture.nodes, placement.centers, strict=True):
        x, y = moved(center)
        width = widths[node.id]
        boxes[node.id] = Box(node, round(x - width / 2, 1), round(y - BOX_HEIGHT / 2, 1), width, BOX_HEIGHT)
    routes = []
    placed = iter(zip(plan.arrows, placement.paths, placement.labels, strict=True))
    for edge in edges:
        if edge.source == edge.target:
            routes.append(_loop(edge, boxes[edge.source], plan.horizontal))
            continue
        arrow, path, label_at = next(placed)
        points = tuple(moved(point) for point in (reversed(path) if arrow.reversed else path))
        routes.append(
            Route(edge, points, _label(edge), moved(label_at) if label_at else _middle(points), arrow.reversed)
        )
    width, height = (math.ceil(max(size, 48.0) + 2 * MARGIN) for size in (right - left, bottom - top))
    return Layout(picture, tuple(boxes.values()), tuple(routes), width, height, backend, reason, plan.horizontal)


def _loop(edge: PictureEdge, box: Box, horizontal: bool) -> Route:
    """A node that depends on itself: a loop at its right side, or below it when the flow runs to the right."""
    if horizontal:
        x, y = box.x + box.width / 2, box.y + box.height
        points = ((x + 12, y), (x + 12, y + _LOOP), (x - 12, y + _LOOP), (x - 12, y))
        return Route(edge, points, _label(edge), (x, y + _LOOP + 6), back=True)
    x, y = box.x + box.width, box.y + box.height / 2
    points = ((x, y + 12), (x + _LOOP, y + 12), (x + _LOOP, y - 12), (x, y - 12))
    return Route(edge, points, _label(edge), (x + _LOOP - 4 + _label_width(edge) / 2, y), back=True)


def _loop_room(edge: PictureEdge, horizontal: bool) -> float:
    return _LOOP + (20.0 if horizontal and edge.label else _label_width(edge))


def _middle(points: tuple[Point, ...]) -> Point:
    return points[len(points) // 2]
