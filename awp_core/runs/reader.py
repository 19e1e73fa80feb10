"""Read a run back from its folder: its events, its state, its list. Never writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from awp_core.errors import NotFoundError, RunFolderError
from awp_core.events.fold import RunState, apply
from awp_core.events.model import Event
from awp_core.runs.layout import RUN_ID, RunFolder
from awp_core.runs.lock import is_locked
from awp_core.values import digest, load_json, shorten


@dataclass(frozen=True, slots=True)
class Record:
    """What `events.jsonl` holds.

    Attributes:
        events: Every whole event, large values put back.
        size: Bytes of the whole lines; anything after them is a torn last line.
        torn: Whether there is a torn last line, which a crash leaves.
    """

    events: tuple[Event, ...]
    size: int
    torn: bool


def read_record(folder: RunFolder) -> Record:
    """Read every event of a run.

    Raises:
        NotFoundError: The run has no record.
        RunFolderError: A line in the middle is damaged, or a large value is gone or was changed.
    """
    try:
        data = folder.events.read_bytes()
    except FileNotFoundError as exc:
        raise NotFoundError(
            f"run {folder.run_id} has no events.jsonl", hint="see `awp runs` for the runs there are"
        ) from exc
    except OSError as exc:
        raise RunFolderError(f"cannot read {str(folder.events)!r}: {exc.strerror}") from exc
    whole, newline, rest = data.rpartition(b"\n")
    size = len(whole) + len(newline)
    events = tuple(_events(folder, whole)) if newline else ()
    return Record(events, size, bool(rest))


def replay(folder: RunFolder, record: Record) -> RunState:
    """Return the state after every event of a record.

    Raises:
        RunFolderError: The record lacks its start, or an event does not hold what its type promises.
    """
    if not record.events or record.events[0].type != "run.started":
        raise RunFolderError(f"the record of run {folder.run_id} lacks its start", hint="start the workflow again")
    state = RunState(run_id=folder.run_id)
    for event in record.events:
        try:
            apply(state, event)
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise _damaged(folder, event.seq) from exc
    return state


def read_state(folder: RunFolder) -> RunState:
    """Fold the events of a run; a run that nobody works on any more but that never ended is `partial`ly recorded.

    Raises:
        NotFoundError: The run has no record.
        RunFolderError: The record is damaged.
    """
    return replay(folder, read_record(folder))


def _events(folder: RunFolder, data: bytes) -> Iterator[Event]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            body = json.loads(line)
            values = body["data"]
            for name, reference in (body.get("artifacts") or {}).items():
                values[name] = _large_value(folder, reference)
            event = Event(body["seq"], body["ts"], body["t"], body["type"], body["node"], values)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
            raise _damaged(folder, number) from exc
        if event.seq != number:
            raise _damaged(folder, number, f"its number is {event.seq!r}; a line is missing or stands twice")
        yield event


def _damaged(folder: RunFolder, line: int, detail: str = "this line is damaged") -> RunFolderError:
    return RunFolderError(
        f"{folder.events.name}:{line}: {shorten(detail, 200)} (run {folder.run_id})",
        hint="restore the file from a backup; lines before it are intact",
    )


def _large_value(folder: RunFolder, reference: dict[str, Any]) -> Any:
    path = folder.artifact(str(reference["sha256"]))
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise RunFolderError(f"a value of run {folder.run_id} is gone: {path.name}") from exc
    if digest(data) != reference["sha256"]:
        raise RunFolderError(f"a value of run {folder.run_id} was changed: {path.name}")
    return load_json(data)


class RunStore:
    """The runs below one or several `runs/` folders; new ones go into the first."""

    def __init__(self, root: Path, *others: Path) -> None:
        self.roots = (root, *others)

    def folder(self, run_id: str) -> RunFolder:
        """Return the folder of a run id; one that does not exist would lie in the first root."""
        root = next((root for root in self.roots if (root / run_id).is_dir()), self.roots[0])
        return RunFolder(root / run_id)

    def ids(self) -> list[str]:
        """Return the ids of all runs, oldest first."""
        entries = (entry for root in self.roots if root.is_dir() for entry in root.iterdir())
        return sorted({entry.name for entry in entries if RUN_ID.fullmatch(entry.name) and entry.is_dir()})

    def about(self, run_id: str) -> dict[str, Any]:
        """Return `run_manifest.json` of a run, or {} if it is missing or damaged."""
        try:
            about = json.loads(self.folder(run_id).about.read_bytes())
        except (OSError, ValueError):
            return {}
        return about if isinstance(about, dict) else {}

    def find(self, reference: str, *, status: frozenset[str] = frozenset()) -> RunFolder:
        """Return the run named by an id, a unique prefix, a path, or a workflow name (its newest run that fits).

        Args:
            reference: What the person typed.
            status: When given by workflow name, only runs with one of these statuses count.

        Raises:
            NotFoundError: No run fits, or a prefix fits several.
        """
        path = Path(reference)
        if RUN_ID.fullmatch(path.name) and len(path.parts) > 1 and path.is_dir():
            return RunFolder(path)
        ids = self.ids()
        if reference in ids:
            return self.folder(reference)
        matches = [run_id for run_id in ids if reference and run_id.startswith(reference)]
        if len(matches) == 1:
            return self.folder(matches[0])
        if matches:
            raise NotFoundError(
                f"{reference!r} fits {len(matches)} runs", hint=f"write more of it: {', '.join(matches[-4:])}"
            )
        named = [run_id for run_id in ids if self.about(run_id).get("workflow") == reference]
        for run_id in reversed(named):
            if not status or read_state(self.folder(run_id)).status in status:
                return self.folder(run_id)
        if named:
            raise NotFoundError(f"no run of {reference!r} is {' or '.join(sorted(status))}", hint="see `awp runs`")
        raise NotFoundError.for_name("run", reference, ids[-50:])

    def status(self, run_id: str) -> str:
        """Return a run's status; `interrupted` for one that was cut off and can be resumed."""
        state = read_state(self.folder(run_id))
        if state.status == "running" and not is_locked(self.folder(run_id).lock):
            return "interrupted"
        return state.status
