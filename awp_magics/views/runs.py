"""Runs as a table, and the nodes of one run."""

from __future__ import annotations

from collections.abc import Sequence

from awp_core.browse import Row
from awp_core.diagnostics.render import visible
from awp_core.events.fold import RunState
from awp_core.values import shorten
from awp_magics.views.html import FONT, INK, LINE, badge, card, esc

NODE_COLUMNS = ("node", "status", "took", "note")
COLUMNS = ("run", "workflow", "status", "started", "nodes", "note")


def view_model(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the cells of the table, as plain text."""
    return [(row.id, row.workflow, row.status, row.started[:19].replace("T", " "), row.nodes, row.note) for row in rows]


def to_text(cells: Sequence[tuple[str, ...]], empty: str = "") -> str:
    """Return the table as text."""
    if not cells:
        return empty
    widths = [min(40, max(len(line[column]) for line in cells)) for column in range(len(cells[0]))]
    return "\n".join(
        visible("  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip())
        for line in cells
    )


def nodes_model(state: RunState) -> list[tuple[str, ...]]:
    """Return the cells of the table of a run's nodes, as plain text."""
    return [
        (
            name,
            node.status,
            "" if node.duration is None else f"{node.duration:.3f} s",
            shorten(node.error or node.reason, 200),
        )
        for name, node in state.nodes.items()
    ]


def to_html(cells: Sequence[tuple[str, ...]], empty: str = "", columns: Sequence[str] = COLUMNS) -> str:
    """Return the table as HTML."""
    if not cells:
        return card(esc(empty))
    style = f"text-align:left;padding:2px 10px 2px 0;border-bottom:1px solid {LINE};vertical-align:top"
    head = "".join(f'<th scope="col" style="{style}">{name}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(_cell(style, *pair) for pair in zip(columns, line, strict=True))}</tr>" for line in cells
    )
    table = f"{FONT};color:{INK};border-collapse:collapse"
    return f'<table style="{table}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(style: str, column: str, text: str) -> str:
    return f'<td style="{style}">{badge(text) if column == "status" else esc(text)}</td>'
