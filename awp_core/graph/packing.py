"""Parts of a drawing that no arrow connects are laid out one by one and packed into shelves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from awp_core.graph.geometry import Placement, Plan, Point

SHELF_WIDTH = 900.0
_GAP = 28.0
_SHELF_GAP = 36.0


def place_parts(plan: Plan, place: Callable[[Plan], Placement]) -> Placement:
    """Lay out each connected part of `plan` with `place`; shelves are filled in graph order up to a cell's width."""
    parts = _parts(plan)
    if len(parts) == 1:
        return place(plan)
    centers: list[Point] = [(0.0, 0.0)] * len(plan.sizes)
    paths: list[Sequence[Point]] = [()] * len(plan.arrows)
    labels: list[Point | None] = [None] * len(plan.arrows)
    x, y, shelf = 0.0, 0.0, 0.0
    for nodes, arrows in parts:
        number = {node: index for index, node in enumerate(nodes)}
        part = Plan(
            [plan.sizes[node] for node in nodes],
            [
                replace(
                    plan.arrows[arrow],
                    source=number[plan.arrows[arrow].source],
                    target=number[plan.arrows[arrow].target],
                )
                for arrow in arrows
            ],
            plan.horizontal,
        )
        placed = place(part)
        left, top, right, bottom = bounds(part, placed)
        if x and x + right - left > SHELF_WIDTH:
            x, y, shelf = 0.0, y + shelf + _SHELF_GAP, 0.0
        dx, dy = x - left, y - top
        for node, center in zip(nodes, placed.centers, strict=True):
            centers[node] = _moved(center, dx, dy)
        for arrow, path, label in zip(arrows, placed.paths, placed.labels, strict=True):
            paths[arrow] = [_moved(point, dx, dy) for point in path]
            labels[arrow] = label and _moved(label, dx, dy)
        x += right - left + _GAP
        shelf = max(shelf, bottom - top)
    return Placement(centers, paths, labels)


def bounds(plan: Plan, placed: Placement) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of everything placed."""
    corners = [
        (x + side * w / 2, y + side * h / 2)
        for (x, y), (w, h) in zip(placed.centers, plan.sizes, strict=True)
        for side in (-1, 1)
    ]
    corners += [point for path in placed.paths for point in path]
    for arrow, label in zip(plan.arrows, placed.labels, strict=True):
        if label:
            corners += [(label[0] + side * arrow.label_width / 2, label[1] + side * 9.0) for side in (-1, 1)]
    across, down = [x for x, _ in corners] or [0.0], [y for _, y in corners] or [0.0]
    return min(across), min(down), max(across), max(down)


def _moved(point: Point, dx: float, dy: float) -> Point:
    return point[0] + dx, point[1] + dy


def _parts(plan: Plan) -> list[tuple[list[int], list[int]]]:
    """Return the connected parts as node numbers and arrow numbers, ordered by their first nodes."""
    leader = list(range(len(plan.sizes)))

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for arrow in plan.arrows:
        one, other = find(arrow.source), find(arrow.target)
        leader[max(one, other)] = min(one, other)
    parts: dict[int, tuple[list[int], list[int]]] = {}
    for node in range(len(plan.sizes)):
        parts.setdefault(find(node), ([], []))[0].append(node)
    for index, arrow in enumerate(plan.arrows):
        parts[find(arrow.source)][1].append(index)
    return list(parts.values())
