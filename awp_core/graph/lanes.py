"""The line drawing beside a list of nodes: one lane for each node that somebody above waits to hand over to.

As in the log of a version control system, a lane leads down to the next node it names. Arrows to the same node share
one lane, so the number of lanes is the number of nodes that are still to come and already have an arrow drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from awp_core.graph.build import Graph

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8

_ROUND = {
    0: " ",
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _UP | _RIGHT: "╰",
    _UP | _LEFT: "╯",
    _DOWN | _RIGHT: "╭",
    _DOWN | _LEFT: "╮",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _LEFT | _RIGHT: "┴",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}

_ASCII = {
    bits: " " if not bits else "|" if bits == _UP | _DOWN else "-" if bits == _LEFT | _RIGHT else "+" for bits in _ROUND
}


@dataclass(frozen=True, slots=True)
class Row:
    """How one node is drawn.

    Attributes:
        node: Its id.
        before, after: The lanes left and right of its mark.
        below: The line that splits or joins lanes below it; None if the next node can follow at once.
    """

    node: str
    before: str
    after: str
    below: str | None


def draw_lanes(graph: Graph, order: Sequence[str], *, most: int, ascii_only: bool = False) -> list[Row] | None:
    """Draw the lanes for nodes in a topological order; None if more than `most` lanes are needed side by side."""
    signs = _ASCII if ascii_only else _ROUND
    lanes: list[str | None] = []
    rows: list[Row] = []
    for node in order:
        opened = node not in lanes
        at = _lane_of(lanes, node)
        if opened and rows and rows[-1].below is None and len(rows[-1].before) == 2 * at:
            # The node just above ended here. A gap shows that no arrow leads from it to this one.
            gap = "".join(_vertical(lane if index != at else None, signs) + " " for index, lane in enumerate(lanes))
            rows[-1] = replace(rows[-1], below=gap.rstrip())
        before = "".join(_vertical(lane, signs) + " " for lane in lanes[:at])
        after = "".join(" " + _vertical(lane, signs) for lane in lanes[at + 1 :])
        above = list(lanes)
        reached = _hand_over(lanes, at, graph.dependents[node])
        if len(lanes) > most:
            return None
        rows.append(Row(node, before, after.rstrip(), _below(above, lanes, at, reached, signs)))
        while lanes and lanes[-1] is None:
            lanes.pop()
    return rows


def _lane_of(lanes: list[str | None], node: str) -> int:
    """Return the lane that leads to `node`, or open one for it."""
    if node in lanes:
        return lanes.index(node)
    return _open(lanes, node, 0)


def _open(lanes: list[str | None], node: str, start: int) -> int:
    for index in range(start, len(lanes)):
        if lanes[index] is None:
            lanes[index] = node
            return index
    lanes.append(node)
    return len(lanes) - 1


def _hand_over(lanes: list[str | None], at: int, dependents: Sequence[str]) -> list[int]:
    """Lead the lane on to the node's dependents; return the lanes that its line must reach."""
    lanes[at] = None
    reached = []
    for dependent in dependents:
        if dependent in lanes:
            reached.append(lanes.index(dependent))
        elif lanes[at] is None:
            lanes[at] = dependent
            reached.append(at)
        else:
            reached.append(_open(lanes, dependent, at + 1))
    return reached


def _below(
    above: list[str | None], lanes: list[str | None], at: int, reached: list[int], signs: dict[int, str]
) -> str | None:
    if not set(reached) - {at}:
        return None
    left, right = min(at, *reached), max(at, *reached)
    line = []
    for index in range(len(lanes)):
        was = index < len(above) and above[index] is not None
        bits = _UP * (was or index == at) | _DOWN * (lanes[index] is not None)
        if index in reached or index == at:
            bits |= _LEFT * (index > left) | _RIGHT * (index < right)
        elif left < index < right and not bits:
            bits = _LEFT | _RIGHT
        line.append(signs[bits])
        line.append(signs[_LEFT | _RIGHT] if left <= index < right else " ")
    return "".join(line).rstrip()


def _vertical(lane: str | None, signs: dict[int, str]) -> str:
    return signs[_UP | _DOWN] if lane is not None else " "
