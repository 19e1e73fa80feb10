"""Keep a runs folder in order: remove old runs, and write again what can be derived from a record (spec 08)."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from awp_core.engine.questions import checkpoint
from awp_core.errors import AwpError, RunError, RunFolderError, RunLockedError, UsageError
from awp_core.execution import finish_folder
from awp_core.runs.files import disk_errors, replace
from awp_core.runs.layout import RUN_ID, RunFolder
from awp_core.runs.lock import RunLock, is_locked
from awp_core.runs.reader import read_record, read_state
from awp_core.runs.reader import replay as state_of
from awp_core.values import dump_json

if TYPE_CHECKING:
    from awp_core.app import App
    from awp_core.handle import Run

_GOING = ".pruned-"  # what a run is called while its files go, so that half of one is never taken for a run


class Pruned(NamedTuple):
    """A run that was removed, or would be: its id, workflow and status, and when it ended (UTC)."""

    id: str
    workflow: str
    status: str
    ended: str


def prune(app: App, *, keep: int | None = None, older: float | None = None, dry_run: bool = False) -> list[Pruned]:
    """Remove runs that are over, oldest first; never one that works, waits, was cut off, or cannot be read.

    Args:
        app: Whose runs.
        keep: Keep this many of the newest runs that are over.
        older: Remove only what ended more than this many days ago.
        dry_run: Remove nothing.

    Raises:
        UsageError: Neither limit was given, or one is negative or no number.
        RunFolderError: A run cannot be removed; those before it are gone.
    """
    if keep is None and older is None:
        raise UsageError("say which runs to remove", hint="--keep N keeps the newest N; --older DAYS removes old ones")
    days = older or 0.0
    if (keep or 0) < 0 or not days >= 0:
        raise UsageError("--keep and --older take a number that is not negative")
    now = dt.datetime.now(dt.UTC)
    newest = list(_over(app))[keep or 0 :]
    old = [(folder, run) for folder, run, ended in newest if (now - ended).total_seconds() >= days * 86_400]
    if not dry_run:
        _sweep(app)
    return [run for folder, run in reversed(old) if dry_run or _remove(folder)]


def pruned_text(removed: list[Pruned], *, dry_run: bool) -> str:
    """Say what `prune` did, or would do."""
    if not removed:
        return "no run to remove"
    head = f"{'would remove' if dry_run else 'removed'} {len(removed)} {'run' if len(removed) == 1 else 'runs'}"
    return "\n".join([head, *(f"  {run.id}  {run.status:<9} {run.workflow}" for run in removed)])


def _over(app: App) -> Iterator[tuple[RunFolder, Pruned, dt.datetime]]:
    store = app.store()
    for run_id in reversed(store.ids()):
        folder = store.folder(run_id)
        if folder.root.is_symlink():  # what it leads to is not ours to remove
            continue
        with suppress(AwpError, ValueError):  # a damaged record, or one with a time that is none
            state = read_state(folder)
            if state.over and not is_locked(folder.lock):
                ended = dt.datetime.fromisoformat(state.ended).astimezone(dt.UTC)
                yield folder, Pruned(run_id, state.workflow, state.status, state.ended), ended


def _sweep(app: App) -> None:
    """Finish what a prune that was killed had begun."""
    for root in app.store().roots:
        for path in root.glob(f"{_GOING}*"):
            if RUN_ID.fullmatch(path.name.removeprefix(_GOING)) and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)


def _remove(folder: RunFolder) -> bool:
    """Remove a run, unless somebody works on it, or removed it meanwhile."""
    going = folder.root.with_name(_GOING + folder.run_id)
    try:
        with RunLock(folder.lock), disk_errors(folder.root):
            folder.root.rename(going)
    except RunLockedError:
        return False
    except RunFolderError:
        if folder.root.exists():
            raise
        return False
    with disk_errors(going):
        shutil.rmtree(going)
    return True


def rebuild(app: App, run: Run) -> list[Path]:
    """Write again what is derived from the record of a run and of the runs nested in it, and return the files.

    That is `checkpoint.json` of a run that waits, and completion, summary and picture of one that is over. The audit
    chain, envelopes and artifacts cannot be derived and stay as they are.

    Raises:
        RunLockedError: Somebody works on it.
        RunError: It was cut off, so that there is nothing to write before it goes on.
        RunFolderError, AuditError: The record or the audit chain is damaged.
    """
    root = run.run_folder
    with RunLock(root.lock):
        written = _rebuilt(app, root)
    if not written:
        raise RunError(
            f"run {run.id} was cut off and has nothing to rebuild", hint=f"go on with it: awp resume {run.name}"
        )
    for nested in root.all_nested():
        if nested.events.exists():  # else it was cut off before its first event
            with RunLock(nested.lock):
                written += _rebuilt(app, nested)
    return written


def _rebuilt(app: App, folder: RunFolder) -> list[Path]:
    state = state_of(folder, read_record(folder))
    if state.status == "paused":
        # The checkpoint was written before the event that says so.
        replace(folder.checkpoint, dump_json(checkpoint(state, state.seq - 1)) + b"\n", sync=True)
        return [folder.checkpoint]
    with disk_errors(folder.checkpoint):
        folder.checkpoint.unlink(missing_ok=True)
    if not state.over:
        return []
    finish_folder(folder, app.library.of_run(folder, as_run=True), state)
    return [file for file in (folder.completion, folder.summary, folder.picture) if file.exists()]
