"""Horizontal coordinates for the slots of a layered drawing.

Each sweep wants every slot at the mean of its neighbours in the row above or below, and gives each row the
positions that are nearest to the wishes (least squares) without changing its order or its gaps. With the gaps
subtracted that is an isotonic regression, solved exactly by pooling neighbours that violate the order.
"""

from __future__ import annotations

from collections.abc import Sequence

_PULLS = (1.0, 2.0, 12.0)  # between two boxes, a box and a lane, two slots of a lane
_LANE_WEIGHT = 6.0  # long arrows should be straight, even if boxes then stand a little aside


def spread(
    rows: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    gaps: Sequence[Sequence[float]],
    sweeps: int,
    nodes: int,
) -> list[float]:
    """Return the middle of each slot.

    Args:
        rows: Slots from left to right, for each row from the top.
        above, below: For each slot its neighbours in the next row.
        gaps: For each row the least distances between the middles of neighbours.
        sweeps: How often to go down and up.
        nodes: Slots with a lower number are boxes, the others are lanes of long arrows.
    """
    x = [0.0] * len(above)
    for row, gap in zip(rows, gaps, strict=True):
        _put(row, gap, [0.0] * len(row), nodes, x)
    down = list(zip(rows, gaps, strict=True))
    for sweep in range(sweeps):
        for row, gap in down:
            _put(row, gap, [_mean(x, above[slot], x[slot]) for slot in row], nodes, x)
        if sweep < sweeps - 1:
            for row, gap in reversed(down):
                _put(row, gap, [_mean(x, below[slot], x[slot]) for slot in row], nodes, x)
    settle = [*reversed(down), *down] * (1 + sweeps // 4)
    for row, gap in settle:
        _put(row, gap, [_balance(x, slot, (*above[slot], *below[slot]), nodes) for slot in row], nodes, x)
    return x


def _mean(x: list[float], near: Sequence[int], otherwise: float) -> float:
    if not near:
        return otherwise
    if len(near) == 1:
        return x[near[0]]
    return sum([x[slot] for slot in near]) / len(near)


def _balance(x: list[float], slot: int, near: Sequence[int], nodes: int) -> float:
    """The mean of all neighbours, where a lane follows its own lane rather than the box at its end."""
    if not near:
        return x[slot]
    pulls = [_PULLS[(slot >= nodes) + (other >= nodes)] for other in near]
    return sum([pull * x[other] for pull, other in zip(pulls, near, strict=True)]) / sum(pulls)


def _put(row: Sequence[int], gap: Sequence[float], wishes: list[float], nodes: int, x: list[float]) -> None:
    """Set the middles in one row as near to the wishes as order and gaps allow."""
    blocks: list[tuple[float, float, int]] = []  # mean of the wishes, weight, how many slots
    offset = 0.0
    for index, slot in enumerate(row):
        offset += gap[index - 1] if index else 0.0
        mean, weight, size = wishes[index] - offset, 1.0 if slot < nodes else _LANE_WEIGHT, 1
        while blocks and blocks[-1][0] >= mean:
            left, left_weight, left_size = blocks.pop()
            mean = (mean * weight + left * left_weight) / (weight + left_weight)
            weight += left_weight
            size += left_size
        blocks.append((mean, weight, size))
    index, offset = 0, 0.0
    for mean, _, size in blocks:
        for _ in range(size):
            offset += gap[index - 1] if index else 0.0
            x[row[index]] = mean + offset
            index += 1
