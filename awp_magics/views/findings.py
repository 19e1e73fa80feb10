"""Findings in a cell: a summary, then each with its line and a caret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from awp_core.diagnostics.model import Finding
from awp_core.diagnostics.render import render_text, visible
from awp_magics.views.html import FONT, INK, MONO, TONES, card, esc

MOST = 50  # findings that are shown


@dataclass(frozen=True, slots=True)
class FindingsModel:
    """What is shown: a summary, severity and text of each finding, and how many are left out."""

    summary: str
    items: tuple[tuple[str, str], ...]
    more: int


def view_model(findings: Iterable[Finding], title: str = "") -> FindingsModel:
    """Return what to show of findings; `title` is what was checked."""
    every = list(findings)
    items = tuple((finding.severity.value, render_text([finding]).rsplit("\n", 1)[0]) for finding in every[:MOST])
    summary = render_text(every).rsplit("\n", 1)[-1]
    return FindingsModel(f"{visible(title)}: {summary}" if title else summary, items, len(every) - len(items))


def to_text(model: FindingsModel) -> str:
    """Return the findings as text, the summary last."""
    blocks = [text for _, text in model.items]
    if model.more:
        blocks.append(f"… and {model.more} more")
    return "\n".join([*blocks, model.summary])


def to_html(model: FindingsModel) -> str:
    """Return the findings as HTML."""
    if not model.items:
        return card(f"✓ {esc(model.summary)}", tone="complete")
    blocks = [
        f'<pre style="{MONO};white-space:pre;overflow-x:auto;margin:6px 0;padding-left:8px;color:{INK};'
        f'background:transparent;border-left:3px solid {TONES.get(severity, TONES["info"])}">{esc(text)}</pre>'
        for severity, text in model.items
    ]
    if model.more:
        blocks.append(f'<div style="{FONT}">… and {model.more} more</div>')
    worst = next((name for name in ("error", "warning") if any(name == item[0] for item in model.items)), "info")
    return card(f"<strong>{esc(model.summary)}</strong>", *blocks, tone=worst)
