"""Our own layout: layers from top to bottom, as first described by Sugiyama, Tagawa and Toda.

It needs nothing installed and no subprocess. The steps: give each node a layer, put a dummy into every layer that a
long arrow passes, order the layers so that few arrows cross, then give coordinates. An arrow runs straight through
the slots of its dummies and bends only between layers, where no box is: it can never pass under one. A label is a
dummy as wide as its text in a layer of its own, so labels never cover each other.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass, field
from itertools import pairwise

from awp_core.graph.geometry import Placement, Plan, Point
from awp_core.graph.packing import place_parts
from awp_core.graph.spread import spread

SIBLING_GAP = 28.0
LANE_GAP = 14.0
LAYER_GAP = 40.0
LABEL_GAP = 20.0
LABEL_HEIGHT = 18.0
LANE_WIDTH = 6.0

_WORK = 12_000  # sweeps times slots; bounds the time for large graphs
_MOST_SWEEPS = 8


@dataclass(slots=True)
class _Layers:
    """Slots by number: first the nodes of the plan, then the dummies."""

    layer: list[int]
    width: list[float]
    height: list[float]
    rows: list[list[int]] = field(default_factory=list)
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)  # for each arrow: source, dummies, target
    label_of: list[int | None] = field(default_factory=list)

    def add(self, layer: int, width: float, height: float) -> int:
        self.layer.append(layer)
        self.width.append(width)
        self.height.append(height)
        return len(self.layer) - 1


def place_in_layers(plan: Plan) -> Placement:
    """Compute all coordinates of a plan without cycles."""
    return place_parts(plan, _place)


def _place(plan: Plan) -> Placement:
    turned = [(h, w) for w, h in plan.sizes] if plan.horizontal else list(plan.sizes)
    layers = _with_dummies(plan, turned, _rank(len(turned), plan))
    _order_rows(layers, len(turned))
    x = spread(layers.rows, layers.above, layers.below, _gaps(layers, len(turned)), _sweeps(layers), len(turned))
    tops, bottoms, y = _rows_down(layers, x)
    centers = [(x[slot], y[slot]) for slot in range(len(turned))]
    paths = [
        _path(layers, chain, x, y, tops, bottoms, _port(turned, chain, arrow.reversed))
        for chain, arrow in zip(layers.chains, plan.arrows, strict=True)
    ]
    labels = [None if slot is None else (x[slot], y[slot]) for slot in layers.label_of]
    if not plan.horizontal:
        return Placement(centers, paths, labels)
    return Placement(
        [_turn(point) for point in centers],
        [[_turn(point) for point in path] for path in paths],
        [None if point is None else _turn(point) for point in labels],
    )


def _turn(point: Point) -> Point:
    return point[1], point[0]


def _rank(count: int, plan: Plan) -> list[int]:
    """Give each node the layer below its lowest source; nodes without a source stand just above their first target."""
    targets: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for arrow in plan.arrows:
        targets[arrow.source].append(arrow.target)
        missing[arrow.target] += 1
    rooted = [node for node in range(count) if not missing[node]]
    rank = [0] * count
    ready = list(rooted)
    for node in ready:
        for target in targets[node]:
            rank[target] = max(rank[target], rank[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    for node in rooted:
        rank[node] = min((rank[target] for target in targets[node]), default=1) - 1
    return rank


def _with_dummies(plan: Plan, sizes: list[tuple[float, float]], rank: list[int]) -> _Layers:
    """Open a layer for labels below every layer that labelled arrows leave, and fill in the dummies."""
    labelled = sorted({rank[arrow.source] for arrow in plan.arrows if arrow.label_width})
    layers = _Layers(
        [layer + bisect_right(labelled, layer - 1) for layer in rank], [w for w, _ in sizes], [h for _, h in sizes]
    )
    for arrow in plan.arrows:
        chain, label = [arrow.source], None
        for layer in range(layers.layer[arrow.source] + 1, layers.layer[arrow.target]):
            if arrow.label_width and label is None:
                # Turned, a label's width lies along the flow.
                across, along = arrow.label_width, LABEL_HEIGHT
                label = layers.add(layer, *((along, across) if plan.horizontal else (across, along)))
                chain.append(label)
            else:
                chain.append(layers.add(layer, LANE_WIDTH, 0.0))
        layers.chains.append([*chain, arrow.target])
        layers.label_of.append(label)
    layers.above = [[] for _ in layers.layer]
    layers.below = [[] for _ in layers.layer]
    for chain in layers.chains:
        for upper, lower in pairwise(chain):
            layers.below[upper].append(lower)
            layers.above[lower].append(upper)
    return layers


def _sweeps(layers: _Layers) -> int:
    return max(2, min(_MOST_SWEEPS, _WORK // max(1, len(layers.layer))))


def _order_rows(layers: _Layers, nodes: int) -> None:
    """Order each row: first as a walk from the top finds the slots, then by a few barycenter sweeps."""
    rows = _walk(layers, nodes)
    at = [0.0] * len(layers.layer)
    for row in rows:
        _number(row, at)
    best, fewest = [list(row) for row in rows], _crossings(rows, layers.below, at)
    for sweep in range(_sweeps(layers)):
        if not fewest:
            break
        if sweep % 2:
            _sweep(rows[-2::-1], layers.below, at)
        else:
            _sweep(rows[1:], layers.above, at)
        crossings = _crossings(rows, layers.below, at)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    layers.rows = best


def _walk(layers: _Layers, nodes: int) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layers.layer, default=-1) + 1)]
    seen = [False] * len(layers.layer)
    for start in sorted(range(nodes), key=layers.layer.__getitem__):
        ahead = [start]
        while ahead:
            slot = ahead.pop()
            if not seen[slot]:
                seen[slot] = True
                rows[layers.layer[slot]].append(slot)
                ahead.extend(reversed(layers.below[slot]))
    return rows


def _sweep(rows: list[list[int]], fixed: list[list[int]], at: list[float]) -> None:
    """Sort each row by the mean place of its neighbours in the row before it; `rows` share their lists."""
    for row in rows:
        wish = {
            slot: sum([at[other] for other in near]) / len(near) if (near := fixed[slot]) else at[slot] for slot in row
        }
        row.sort(key=wish.__getitem__)
        _number(row, at)


def _number(row: list[int], at: list[float]) -> None:
    for index, slot in enumerate(row):
        at[slot] = index


def _crossings(rows: list[list[int]], below: list[list[int]], at: list[float]) -> int:
    total = 0
    for row in rows[:-1]:
        passed: list[float] = []
        for slot in row:
            ends = [at[other] for other in below[slot]]
            for end in ends:
                total += len(passed) - bisect_right(passed, end)
            for end in ends:
                insort(passed, end)
    return total


def _gaps(layers: _Layers, nodes: int) -> list[list[float]]:
    """Return for each row how far the middles of neighbours must be apart."""
    return [
        [
            (layers.width[left] + layers.width[right]) / 2
            + (SIBLING_GAP if left < nodes and right < nodes else LANE_GAP)
            for left, right in pairwise(row)
        ]
        for row in layers.rows
    ]


def _rows_down(layers: _Layers, x: list[float]) -> tuple[list[float], list[float], list[float]]:
    """Return the top and bottom of each row and the middle of each slot; far sideways steps get more room."""
    tops, bottoms, y = [], [], [0.0] * len(layers.layer)
    labelled = {layers.layer[slot] for slot in layers.label_of if slot is not None}
    top = 0.0
    for index, row in enumerate(layers.rows):
        tall = max(layers.height[slot] for slot in row)
        for slot in row:
            y[slot] = top + tall / 2
        tops.append(top)
        bottoms.append(top + tall)
        if index + 1 < len(layers.rows):
            sideways = max((abs(x[slot] - x[other]) for slot in row for other in layers.below[slot]), default=0.0)
            near_labels = index in labelled or index + 1 in labelled
            top += tall + (LABEL_GAP if near_labels else LAYER_GAP) + min(50.0, sideways * 0.06)
    return tops, bottoms, y


def _port(sizes: list[tuple[float, float]], chain: list[int], against_flow: bool) -> tuple[float, float]:
    """Arrows against the flow leave and enter beside the middle, so that a pair a ⇄ b shows as two arrows."""
    if not against_flow:
        return 0.0, 0.0
    return sizes[chain[0]][0] / 4, sizes[chain[-1]][0] / 4


def _path(
    layers: _Layers,
    chain: list[int],
    x: list[float],
    y: list[float],
    tops: list[float],
    bottoms: list[float],
    port: tuple[float, float],
) -> list[Point]:
    source, target = chain[0], chain[-1]
    here = (x[source] + port[0], y[source] + layers.height[source] / 2)
    points = [here]
    for slot in chain[1:]:
        upper = bottoms[layers.layer[slot] - 1]
        lower = tops[layers.layer[slot]]
        across = x[slot] + (port[1] if slot == target else 0.0)
        end = y[slot] - layers.height[slot] / 2 if slot == target else bottoms[layers.layer[slot]]
        if here[1] < upper:  # a box lower than its row: straight down to the row's edge first
            points += _line(here, (here[0], upper))
        if across == here[0]:
            points += _line(points[-1], (across, end))
        else:
            half = (upper + lower) / 2
            points += [(points[-1][0], half), (across, half), (across, lower)]
            if end > lower:
                points += _line((across, lower), (across, end))
        here = points[-1]
    return points


def _line(start: Point, end: Point) -> list[Point]:
    return [start, end, end]
