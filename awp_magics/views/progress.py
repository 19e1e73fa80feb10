"""One run in a cell: status, picture, what runs now, and in the end the result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from awp_core.diagnostics.render import visible
from awp_core.events.fold import RunState
from awp_core.graph.picture import count_states
from awp_core.values import shorten
from awp_magics.views.html import LIMIT, badge, card, esc, pre, quiet, row

MOST_LINES = 12  # running, waiting and failed nodes that are listed


@dataclass(frozen=True, slots=True)
class Line:
    """What one node does or did: its id, a status, and words about it."""

    node: str
    status: str
    words: str


@dataclass(frozen=True, slots=True)
class RunModel:
    """What is shown of a run.

    Attributes:
        status: Of the run, or `interrupted`.
        elapsed: Seconds it worked.
        counts: How many nodes are in which state.
        lines: Running, waiting and failed nodes.
        result: The result as text, None while there is none.
        note: Why it failed or was cancelled.
        caveat: That a stub and no model answered, if so.
    """

    run_id: str
    workflow: str
    status: str
    elapsed: float
    counts: str
    tokens: int
    lines: tuple[Line, ...]
    result: str | None
    note: str
    caveat: str = ""


def view_model(state: RunState, t: float, status: str = "") -> RunModel:
    """Return what to show of a run.

    Args:
        state: What is known of it.
        t: The run's clock now.
        status: Its status, if that is not what the state says.
    """
    shown = status or state.status
    nodes = {name: node.status for name, node in state.nodes.items()}
    return RunModel(
        state.run_id,
        state.workflow,
        shown,
        t if shown == "running" else state.active_s,
        count_states(tuple(nodes), nodes),
        state.tokens,
        tuple(_lines(state, t)),
        as_text(state.result) if shown in {"complete", "partial"} else None,
        state.reason,
        state.caveat,
    )


def _lines(state: RunState, t: float) -> list[Line]:
    lines: list[Line] = []
    for name, node in state.nodes.items():
        if node.status == "running":
            again = f", attempt {node.attempts}" if node.attempts > 1 else ""
            lines.append(Line(name, "running", f"{max(0.0, t - (node.started or t)):.0f} s{again}"))
        elif node.status == "waiting":
            question = state.questions.get(name)
            lines.append(Line(name, "waiting", f"for {question.approver or 'you'}" if question else "for a reply"))
        elif node.status == "failed":
            lines.append(Line(name, "failed", shorten(node.error, 300)))
    rest = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], Line("…", "pending", f"and {rest} more")] if rest > 0 else lines


def as_text(value: Any) -> str:
    """Return a value as a person reads it: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def to_html(model: RunModel, picture: str = "") -> str:
    """Return the card; `picture` is HTML of ours."""
    head = row(
        badge(model.status),
        f"<strong>{esc(model.workflow)}</strong>",
        quiet(f"{model.elapsed:.1f} s"),
        quiet(model.counts),
        quiet(f"{model.tokens:,} tokens") if model.tokens else "",
        quiet(f"run {model.run_id}"),
        quiet(model.caveat) if model.caveat else "",
    )
    drawn = f'<div style="margin:6px 0">{picture}</div>' if picture else ""
    lines = "".join(f"<div>{badge(line.status)} {esc(line.node)} {quiet(line.words)}</div>" for line in model.lines)
    note = f"<div>{esc(shorten(model.note, 600))}</div>" if model.note else ""
    result = pre(model.result) if model.result is not None else ""
    return card(head, drawn, lines, note, result, tone=model.status)


def to_text(model: RunModel) -> str:
    """Return the card as text."""
    head = f"{model.workflow}: {model.status}, {model.elapsed:.1f} s, {model.counts} (run {model.run_id})"
    if model.caveat:
        head += f"; {model.caveat}"
    lines = [visible(head), *(visible(f"  {line.node}: {line.status} {line.words}") for line in model.lines)]
    if model.note:
        lines.append(visible(shorten(model.note, 600)))
    if model.result is not None:
        lines += [visible(line) for line in shorten(model.result, LIMIT).split("\n")]
    return "\n".join(lines)


def one_line(model: RunModel) -> str:
    """Return where a run stands in one line, for a terminal."""
    running = ", ".join(line.node for line in model.lines if line.status == "running")
    return visible(f"{model.elapsed:5.0f} s  {model.counts}{f'; now: {running}' if running else ''}")
