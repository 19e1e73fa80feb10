"""Look at recorded runs: one row per run for lists, how two differ, whether their audit chains are intact."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from awp_core.errors import AwpError
from awp_core.runs import audit
from awp_core.runs.compare import Difference, compare, describe
from awp_core.runs.layout import RunFolder

if TYPE_CHECKING:
    from awp_core.app import App
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


def compared(before: Run, after: Run) -> tuple[list[Difference], str]:
    """Return where two runs differ, and the same as text for a person."""
    found = compare(before.snapshot, after.snapshot)
    if not found:
        return found, f"runs {before.id} and {after.id} are the same: inputs, every node, result"
    places = "place" if len(found) == 1 else "places"
    head = f"runs {before.id} (-) and {after.id} (+) differ at {len(found)} {places}"
    return found, "\n".join([head, *map(describe, found)])


def verify_audit(app: App, target: str) -> str:
    """Check the audit chain of a run, with those of the runs nested in it, or of one file; say what was checked.

    Raises:
        AuditError: A chain is broken; names the line.
        NotFoundError: There is no such run.
    """
    path = Path(target)
    if path.is_file():
        return _verified(RunFolder(path.parent), path)
    root = app.open(target).run_folder
    nested = [folder for folder in root.all_nested() if folder.audit.exists()]
    return "\n".join(_verified(folder, folder.audit) for folder in [root, *nested])


def _verified(folder: RunFolder, file: Path) -> str:
    claimed = audit.claimed_by(folder)
    chain = audit.verify(file, claimed)
    entries = f"{chain.length} entr{'y' if chain.length == 1 else 'ies'}"
    note = "" if claimed is not None else "; the run is not over, so a cut end would not be noticed"
    return f"{folder.run_id}: intact, {entries}, head {chain.head}{note}"
