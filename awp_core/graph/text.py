"""The picture as text, for terminals, `text/plain` outputs and screen readers: one node a line, in running order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from awp_core.graph.labels import ELLIPSIS, cells, clean, shorten
from awp_core.graph.lanes import Row, draw_lanes
from awp_core.graph.order import topological_order
from awp_core.graph.picture import Picture, PictureEdge, PictureNode, count_states

_NO_STATES: Mapping[str, str] = MappingProxyType({})

_MARKS = {
    "pending": "○",
    "running": "▶",
    "waiting": "?",
    "finished": "✓",
    "failed": "✗",
    "skipped": "–",
    "cancelled": "⊘",
}
_ASCII_MARKS = {
    "pending": "o",
    "running": ">",
    "waiting": "?",
    "finished": "v",
    "failed": "x",
    "skipped": "-",
    "cancelled": "/",
}
_KIND_MARKS = {"route": "◇", "ask_human": "◎"}
_ASCII_KIND_MARKS = {"route": "<", "ask_human": "?"}

_MOST_LABEL = 32
_MOST_KIND = 28
_MOST_NAME = 24
_MOST_SOURCES = 4


@dataclass(frozen=True, slots=True)
class _Columns:
    drawing: int
    label: int
    state: int
    kind: int


def to_text(
    picture: Picture, states: Mapping[str, str] = _NO_STATES, *, width: int = 80, ascii_only: bool = False
) -> str:
    """Draw the picture as lines of at most `width` columns, without a line break at the end.

    Lanes lead from a node to what waits for it. With more lanes than fit, the lines say "after a, b" instead.
    Words in square brackets are the branch that must be chosen, or "gated".

    Args:
        states: Status of each node by id; without any, none are shown.
        ascii_only: Use no other than ASCII characters for the drawing; labels keep theirs as `\\u…` escapes.
    """
    width = max(20, width)
    order = topological_order(picture.flow)
    rows = draw_lanes(picture.flow, order, most=max(4, width // 8), ascii_only=ascii_only)
    drawn = rows is not None
    if rows is None:
        rows = [Row(node, "", "", None) for node in order]
    known = {node.id: node for node in picture.nodes}
    incoming = _incoming(picture)
    columns = _Columns(
        max((len(row.before) + 1 + len(row.after) for row in rows), default=0),
        min(_MOST_LABEL, max(12, width // 3), max((cells(clean(node.label)) for node in picture.nodes), default=0)),
        max((cells(clean(node.state(states))) for node in picture.nodes), default=0),
        max((cells(_kind(node)) for node in picture.nodes), default=0),
    )
    lines = [_headline(picture, states)]
    for row in rows:
        node = known[row.node]
        after = [] if drawn else list(picture.flow.dependencies[row.node])
        lines.append(
            _line(row, node, columns, states, [*_gates(incoming[row.node], known), *_after(after, known)], ascii_only)
        )
        if row.below is not None:
            lines.append(row.below)
    lines += _back_arrows(picture, known, ascii_only)
    if ascii_only:
        lines = [_to_ascii(line) for line in lines]
    dots = "..." if ascii_only else ELLIPSIS
    return "\n".join(
        line if cells(line) <= width else shorten(line, width - len(dots) + 1).rstrip(ELLIPSIS) + dots for line in lines
    )


def _headline(picture: Picture, states: Mapping[str, str]) -> str:
    ids = tuple(node.id for node in picture.nodes)
    counts = f": {count_states(ids, states)}" if states and ids else ""
    return f"{clean(picture.title) or 'workflow'} · {len(ids)} {'node' if len(ids) == 1 else 'nodes'}{counts}"


def _line(
    row: Row, node: PictureNode, columns: _Columns, states: Mapping[str, str], notes: list[str], ascii_only: bool
) -> str:
    state = node.state(states)
    drawing = f"{row.before}{_mark(node, state, ascii_only)}{row.after}"
    label = shorten(clean(node.label), columns.label)
    parts = [
        _padded(drawing, columns.drawing),
        _padded(label, columns.label),
        *([_padded(clean(state), columns.state)] if state else []),
        _padded(_kind(node), columns.kind),
        *notes,
    ]
    return "  ".join(parts).rstrip()


def _kind(node: PictureNode) -> str:
    return shorten(" · ".join(clean(part) for part in (node.kind, node.subtitle) if part), _MOST_KIND)


def _name(node: PictureNode) -> str:
    return shorten(clean(node.label), _MOST_NAME)


def _mark(node: PictureNode, state: str, ascii_only: bool) -> str:
    if state:
        return (_ASCII_MARKS if ascii_only else _MARKS).get(state, "*")
    if ascii_only:
        return _ASCII_KIND_MARKS.get(node.kind, "o")
    return _KIND_MARKS.get(node.kind, "○")


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _incoming(picture: Picture) -> dict[str, list[PictureEdge]]:
    edges: dict[str, list[PictureEdge]] = {node.id: [] for node in picture.nodes}
    for edge in picture.edges:
        if edge.target in edges and edge.source in edges:
            edges[edge.target].append(edge)
    return edges


def _gates(edges: list[PictureEdge], known: Mapping[str, PictureNode]) -> Iterator[str]:
    """Say which gates are on the way into a node; with several ways in, also on which one."""
    for edge in edges:
        if edge.label or edge.dashed:
            word = clean(edge.label) or "gated"
            yield f"[{word}]" if len(edges) == 1 else f"[{_name(known[edge.source])}: {word}]"


def _after(sources: list[str], known: Mapping[str, PictureNode]) -> Iterator[str]:
    if sources:
        names = ", ".join(_name(known[source]) for source in sources[:_MOST_SOURCES])
        more = f" and {len(sources) - _MOST_SOURCES} more" if len(sources) > _MOST_SOURCES else ""
        yield f"after {names}{more}"


def _back_arrows(picture: Picture, known: Mapping[str, PictureNode], ascii_only: bool) -> Iterator[str]:
    place = {node: index for index, node in enumerate(picture.graph.ids)}
    for source, target in sorted(picture.closing, key=lambda arrow: (place[arrow[0]], place[arrow[1]])):
        arrow = "->" if ascii_only else "→"
        yield f"cycle: {_name(known[source])} {arrow} {_name(known[target])}"


def _to_ascii(line: str) -> str:
    plain = line.replace(" · ", ", ").replace(ELLIPSIS, "...")
    return plain.encode("ascii", "backslashreplace").decode("ascii")
