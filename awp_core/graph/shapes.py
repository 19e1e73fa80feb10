"""Shape, icon and accent of each node type: the vocabulary of the drawing.

A shape is the outline of a box of given size, drawn from (0, 0); the middles of its four sides lie on the outline, so
that arrows meet it. An icon is a line drawing on a 16 by 16 grid. Both are path data and hold no text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Outline = Callable[[float, float], str]


@dataclass(frozen=True, slots=True)
class Look:
    """How one node type is drawn.

    Attributes:
        outline: Path data for a width and a height.
        icon: Path data, stroked.
        accent: Name of the accent colour (see `awp_core.graph.theme`).
        behind: Further path data drawn behind the box, for types that stand for many.
        detail: Further path data drawn on the box.
    """

    outline: Outline
    icon: str
    accent: str
    behind: Outline | None = None
    detail: Outline | None = None


def _rounded(radius: float) -> Outline:
    def outline(w: float, h: float) -> str:
        r = radius
        return (
            f"M{r:g} 0H{w - r:g}a{r:g} {r:g} 0 0 1 {r:g} {r:g}V{h - r:g}a{r:g} {r:g} 0 0 1-{r:g} {r:g}"
            f"H{r:g}a{r:g} {r:g} 0 0 1-{r:g}-{r:g}V{r:g}a{r:g} {r:g} 0 0 1 {r:g}-{r:g}z"
        )

    return outline


def _hexagon(w: float, h: float) -> str:
    return f"M12 0H{w - 12:g}L{w:g} {h / 2:g}L{w - 12:g} {h:g}H12L0 {h / 2:g}z"


def _folded(w: float, h: float) -> str:
    return f"M4 0H{w - 12:g}L{w:g} 12V{h - 4:g}a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z"


def _fold(w: float, h: float) -> str:  # noqa: ARG001 - every outline takes both sizes
    return f"M{w - 12:g} 0V12H{w:g}"


def _arrow_right(w: float, h: float) -> str:
    return f"M8 0H{w - 12:g}L{w:g} {h / 2:g}L{w - 12:g} {h:g}H8a8 8 0 0 1-8-8V8a8 8 0 0 1 8-8z"


def _funnel(w: float, h: float) -> str:
    return f"M6 0H{w - 6:g}a6 6 0 0 1 6 7L{w:g} {h / 2:g}L{w - 10:g} {h:g}H10L0 {h / 2:g}V7a6 6 0 0 1 6-7z"


def _bubble(w: float, h: float) -> str:
    """A rounded box whose lower left corner is a speech bubble's tip."""
    return f"M14 0H{w - 14:g}a14 14 0 0 1 14 14V{h - 14:g}a14 14 0 0 1-14 14H0V14a14 14 0 0 1 14-14z"


def _bars(w: float, h: float) -> str:
    return f"M5 0V{h:g}M{w - 5:g} 0V{h:g}"


def _inner(w: float, h: float) -> str:
    return f"M8 3H{w - 8:g}a5 5 0 0 1 5 5V{h - 8:g}a5 5 0 0 1-5 5H8a5 5 0 0 1-5-5V8a5 5 0 0 1 5-5z"


def _deck(w: float, h: float) -> str:
    """The upper right edges of two cards that lie behind the box."""
    return f"M{w:g} 6a9 9 0 0 1 3 6V{h - 4:g}a8 8 0 0 1-4 7M{w + 3:g} 10a9 9 0 0 1 3 6V{h - 2:g}a8 8 0 0 1-4 7"


_CARD = _rounded(9)

LOOKS = {
    "agent": Look(_CARD, "M8 1.5l1.6 4.9 4.9 1.6-4.9 1.6L8 14.5 6.4 9.6 1.5 8l4.9-1.6z", "violet"),
    "fan_out": Look(
        _CARD, "M2 8h3.5M5.5 8L13 3M5.5 8H13M5.5 8L13 13M10.6 2.7L13 3l-.9 2.2M11.6 6.6L13 8l-1.4 1.4", "violet", _deck
    ),
    "delegation_loop": Look(
        _CARD,
        "M13 6A5.4 5.4 0 0 0 3.2 5.2M3 10a5.4 5.4 0 0 0 9.8.8M3 2v3.4h3.4M13 14v-3.4H9.6",
        "violet",
        detail=_inner,
    ),
    "deliver": Look(_arrow_right, "M14 2L7.2 8.8M14 2L9.7 14 7.2 8.8 2 6.3z", "teal"),
    "code": Look(_rounded(3), "M5.5 4L1.5 8l4 4M10.5 4l4 4-4 4", "blue"),
    "compute": Look(
        _rounded(3),
        "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
        "blue",
        detail=_bars,
    ),
    "merge": Look(_funnel, "M3 2v2.5C3 7 8 7 8 9.5V14M13 2v2.5C13 7 8 7 8 9.5M5.8 11.8L8 14l2.2-2.2", "slate"),
    "route": Look(
        _hexagon,
        "M8 14V9.5C8 7 3 7 3 4.5V2.5M8 9.5C8 7 13 7 13 4.5V2.5M1.2 4.3L3 2.5l1.8 1.8M11.2 4.3L13 2.5l1.8 1.8",
        "slate",
    ),
    "answer": Look(_bubble, "M2 3h12v8H7l-3 3v-3H2z", "teal"),
    "ask_human": Look(
        _rounded(23),
        "M8 7.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.5 14.2c.6-3 2.7-4.4 5.5-4.4s4.9 1.4 5.5 4.4",
        "amber",
    ),
    "static": Look(_folded, "M4 2h5.5L12 4.5V14H4zM6 7.5h4M6 10.5h4", "slate", detail=_fold),
    "subworkflow": Look(_rounded(7), "M2 2h5v4H2zM9 10h5v4H9zM4.5 6v6H9", "slate", detail=_inner),
    "group": Look(_CARD, "M8 1.8l6 3-6 3-6-3zM2 8l6 3 6-3M2 11.2l6 3 6-3", "slate", _deck),
}
"""Look of every known kind; see `look_of` for all others."""

_UNKNOWN = Look(_CARD, "M5.5 5.8a2.5 2.5 0 1 1 3.7 2.2C8.4 8.5 8 9 8 10M8 12.6v.6", "slate")


def look_of(kind: str) -> Look:
    """Return how a kind of node is drawn; an unknown one looks unknown."""
    return LOOKS.get(kind, _UNKNOWN)


MARKS = {
    "pending": "M5 8h.01M8 8h.01M11 8h.01",
    "running": "M6 4.8l5 3.2-5 3.2z",
    "waiting": "M6 5v6M10 5v6",
    "finished": "M4.8 8.2l2.2 2.2 4.2-4.6",
    "failed": "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8",
    "skipped": "M4.8 5.6L7.4 8l-2.6 2.4M8.4 5.6L11 8l-2.6 2.4",
    "cancelled": "M4.6 11.4l6.8-6.8",
}
"""The mark of each state on a 16 by 16 grid, so that colour is never alone."""
