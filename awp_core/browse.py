"""One row per run, for lists in the terminal and the notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from awp_core.errors import AwpError

if TYPE_CHECKING:
    from awp_core.handle import Run


class Row(NamedTuple):
    """A run in a list; `note` is its open question or why it failed, `nodes` is ended/all."""

    id: str
    workflow: str
    status: str
    started: str
    nodes: str
    note: str


def overview(runs: Iterable[Run], *, limit: int = 20, paused: bool = False) -> list[Row]:
    """Return rows for the first `limit` runs that fit; a damaged run is listed as such, never hidden."""
    rows: list[Row] = []
    for run in runs:
        if len(rows) >= limit:
            break
        try:
            row = _row(run)
        except AwpError as error:
            row = Row(run.id, "?", "damaged", "", "", error.message)
        if not paused or row.status == "paused":
            rows.append(row)
    return rows


def _row(run: Run) -> Row:
    state = run.snapshot
    ended = sum(1 for node in state.nodes.values() if node.status in {"finished", "failed", "skipped"})
    note = state.reason
    if state.questions:
        note = "; ".join(
            f"{q.node}: {q.prompt.strip().splitlines()[0] if q.prompt.strip() else ''}"
            for q in state.questions.values()
        )
    return Row(run.id, state.workflow, run.status, state.started, f"{ended}/{len(state.nodes)}", note[:160])
