"""Findings in a cell: a summary, then each with its line and a caret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from awp_core.diagnostics.model import Finding
from awp_core.diagnostics.render import render_text, visible
from awp_magics.views.html import FONT, INK, MONO, TONES, card, esc, quiet

MOST = 50  # findings that are shown


@dataclass(frozen=True, slots=True)
class FindingsModel:
    """What is shown: a summary, severity and text of each finding, how many are left out, and a remark."""

    summary: str
    items: tuple[tuple[str, str], ...]
    more: int
    note: str = ""


def view_model(findings: Iterable[Finding], title: str = "", note: str = "") -> FindingsModel:
    """Return what to show of findings; `title` is what was checked, `note` a remark below."""
    every = list(findings)
    items = tuple((finding.severity.value, render_text([finding]).rsplit("\n", 1)[0]) for finding in every[:MOST])
    summary = render_text(every).rsplit("\n", 1)[-1]
    return FindingsModel(
        f"{visible(title)}: {summary}" if title else summary, items, len(every) - len(items), visible(note)
    )


def to_text(model: FindingsModel) -> str:
    """Return the findings as text, the summary last."""
    blocks = [text for _, text in model.items]
    if model.more:
        blocks.append(f"… and {model.more} more")
    return "\n".join([*blocks, model.summary, *([model.note] if model.note else [])])


def to_html(model: FindingsModel) -> str:
    """Return the findings as HTML."""
    note = f"<div>{quiet(model.note)}</div>" if model.note else ""
    if not model.items:
        return card(f"✓ {esc(model.summary)}", note, tone="complete")
    blocks = [
        f'<pre style="{MONO};white-space:pre;overflow-x:auto;margin:6px 0;padding-left:8px;color:{INK};'
        f'background:transparent;border-left:3px solid {TONES.get(severity, TONES["info"])}">{esc(text)}</pre>'
        for severity, text in model.items
    ]
    if model.more:
        blocks.append(f'<div style="{FONT}">… and {model.more} more</div>')
    worst = next((name for name in ("error", "warning") if any(name == item[0] for item in model.items)), "info")
    return card(f"<strong>{esc(model.summary)}</strong>", *blocks, note, tone=worst)
