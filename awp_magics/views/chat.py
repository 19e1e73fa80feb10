"""A conversation as bubbles: the person's to the right, the workflow's to the left."""

from __future__ import annotations

from collections.abc import Sequence

from awp_core.chat import Line
from awp_core.diagnostics.render import visible
from awp_magics.views.html import INK, TONES, card, esc, markdown, quiet

MOST = 100  # lines that are shown, the last ones
_TONES = {"user": TONES["info"], "question": TONES["waiting"], "error": TONES["error"]}


def to_text(lines: Sequence[Line]) -> str:
    """Return a conversation as text."""
    if not lines:
        return "nothing was said yet"
    return "\n".join(f"{_speaker(line)}: {visible(line.text)}" for line in lines[-MOST:])


def to_html(lines: Sequence[Line]) -> str:
    """Return a conversation as HTML; what people and models wrote is escaped."""
    if not lines:
        return card(quiet("nothing was said yet"))
    left_out = len(lines) - MOST
    more = f"<div>{quiet(f'{left_out} earlier lines are in the transcript')}</div>" if left_out > 0 else ""
    return card(more, *map(_bubble, lines[-MOST:]))


def _speaker(line: Line) -> str:
    return "you" if line.role == "user" else f"workflow ({line.kind})" if line.kind != "answer" else "workflow"


def _bubble(line: Line) -> str:
    mine = line.role == "user"
    tone = _TONES.get(line.role) or _TONES.get(line.kind) or TONES["pending"]
    edge = "right" if mine else "left"
    style = (
        f"max-width:80%;width:fit-content;margin:6px 0;margin-{edge}:0;margin-{'left' if mine else 'right'}:auto;"
        f"padding:4px 10px;border:1px solid {tone};border-{edge}-width:5px;border-radius:6px;color:{INK}"
    )
    text = esc(line.text) if mine else markdown(line.text)
    return f'<div style="{style}">{quiet(_speaker(line))}<br>{text}</div>'
