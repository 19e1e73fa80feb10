"""The audit chain of a run: who did what, each line bound to the one before it by a hash (spec 08, Audit chain).

Every entry is derived from one recorded event and names it, so the chain needs no write of its own at every event:
what a crash left out is added from `events.jsonl` when the run goes on. An entry holds names, kinds and counts, never
a value.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

from awp_core.errors import AuditError, RunFolderError
from awp_core.events.model import Event
from awp_core.runs.files import disk_errors, write_all
from awp_core.runs.layout import RunFolder

ZEROS: Final = "0" * 64
_ENOUGH: Final = 256  # entries kept in memory; a crash loses none of them, because they are made again
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
_quoted = json.encoder.encode_basestring  # the canonical spelling of a text, without the detour

Entry = tuple[str, str]  # type, and details in their canonical spelling


class Chain(NamedTuple):
    """How many entries a chain has, and the hash of the last one; with them, a cut tail is found."""

    length: int = 0
    head: str = ZEROS


EMPTY: Final = Chain()


class AuditTrail:
    """Appends to `audit.jsonl`. The recorder owns it and hands it every event once that is on its way to the disk.

    Args:
        folder: The run folder.
        agents: Ids of the nodes that call an agent.
        chain: What the file holds already.
    """

    def __init__(self, folder: RunFolder, agents: Collection[str], chain: Chain = EMPTY) -> None:
        self._path = folder.audit
        self._run_id = folder.run_id
        self._agents = agents
        self._count, self._head = chain
        self._skip = 0  # entries of the first held event that are on the disk already
        self._held: list[Event] = []
        with disk_errors(self._path):
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    @classmethod
    def resume(cls, folder: RunFolder, events: Sequence[Event], agents: Collection[str]) -> AuditTrail:
        """Go on with a chain: cut a torn last line, and add what is missing of the recorded events.

        Of events that a power cut took from the record, the chain keeps what it told, and says that they are gone.

        Raises:
            AuditError: The chain is broken.
        """
        entries, size = _read(folder.audit)
        chain = _verified(folder.audit, entries)
        if folder.audit.exists():
            with disk_errors(folder.audit):
                os.truncate(folder.audit, size)
        trail = cls(folder, agents, chain)
        last = entries[-1]["event"] if entries else 0
        if last > len(events):
            lost = {"kind": "record.shorter", "told": last, "recorded": len(events)}
            trail._write([trail._line(events[-1], "security.event", _canonical(lost))])
        else:
            told = sum(1 for _ in takewhile(lambda entry: entry["event"] == last, reversed(entries)))
            trail._held += events[max(last - 1, 0) :]
            trail._skip = told if last else 0
        trail.flush()
        return trail

    @property
    def chain(self) -> Chain:
        """What the file holds."""
        return Chain(self._count, self._head)

    @property
    def is_full(self) -> bool:
        """Whether so many events are held that it is time for a flush."""
        return len(self._held) >= _ENOUGH

    def add(self, event: Event) -> None:
        """Note an event; its entries are made and reach the disk with the next flush."""
        self._held.append(event)

    def sync(self) -> None:
        """Make every entry survive a power cut."""
        self.flush()
        if self._descriptor >= 0:
            with disk_errors(self._path):
                os.fsync(self._descriptor)

    def flush(self) -> None:
        """Make the entries of the events that are held, and hand them to the operating system.

        Raises:
            RunFolderError: It could not be written; the file ends with a whole line, or with one that is cut off
                when the run goes on.
        """
        if not self._held or self._descriptor < 0:
            return
        lines = []
        for event in self._held:
            derive = _ENTRIES.get(event.type)
            if derive is not None:
                lines += [
                    self._line(event, *entry) for entry in derive(event, event.node in self._agents)[self._skip :]
                ]
            self._skip = 0
        self._held.clear()
        self._write(lines)

    def abandon(self) -> None:
        """Write nothing more: the events that the held entries tell of may not be on the disk."""
        self._held.clear()
        self.close()

    def close(self) -> None:
        """Write what is left, if that is possible, and close the file."""
        if self._descriptor >= 0:
            with suppress(RunFolderError):
                self.flush()
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, lines: list[str]) -> None:
        with disk_errors(self._path):
            write_all(self._descriptor, "".join(lines).encode("utf-8", "surrogatepass"))

    def _line(self, event: Event, kind: str, details: str) -> str:
        self._count += 1
        node = "null" if event.node is None else _quoted(event.node)
        # The canonical spelling of the entry, its keys in order; to have all of it spelled costs four times as much.
        entry = (
            f'{{"data":{details},"event":{event.seq},"node":{node},"prev_hash":"{self._head}",'
            f'"run_id":"{self._run_id}","seq":{self._count},"ts":{_quoted(event.ts)},"type":"{kind}"}}'
        )
        self._head = _hash(self._head, entry)
        return f'{entry[:-1]},"hash":"{self._head}"}}\n'


def finish(folder: RunFolder, events: Sequence[Event], agents: Collection[str]) -> Chain:
    """Bring the chain of a run that is over up to its record and return it; the caller holds the run's lock.

    Raises:
        AuditError: The chain is broken.
        RunFolderError: It cannot be written.
    """
    trail = AuditTrail.resume(folder, events, agents)
    trail.close()
    return trail.chain


def verify(path: Path, claimed: Chain | None = None) -> Chain:
    """Check a chain and return its length and last hash.

    Args:
        path: An `audit.jsonl`.
        claimed: What `run_completion.json` says of it; without that, a cut tail cannot be found.

    Raises:
        AuditError: Names the first line that is broken, missing, twice there or out of order, or the cut tail.
    """
    if not path.is_file():
        raise AuditError(f"there is no {path}", hint="name a run, or its audit.jsonl")
    entries, size = _read(path)
    chain = _verified(path, entries)
    if size < path.stat().st_size:
        raise _broken(path, len(entries) + 1, "this line is cut off")
    if claimed is not None and chain != claimed:
        if chain.length < claimed.length:
            missing = claimed.length - chain.length
            raise _broken(path, chain.length + 1, f"the last {missing} of {claimed.length} entries are missing")
        reason = "its end is another one than run_completion.json says"
        raise _broken(path, chain.length, reason)
    return chain


def claimed_by(folder: RunFolder) -> Chain | None:
    """Return what `run_completion.json` says of a run's chain; None while the run is not over.

    Raises:
        AuditError: The file is damaged.
    """
    try:
        audit = json.loads(folder.completion.read_bytes())["audit"]
        return Chain(audit["count"], audit["head"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise AuditError(f"{folder.completion} says nothing of the audit chain", hint="it was changed") from exc


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the entries, and how many bytes their whole lines have; a torn last line is not among them."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as exc:
        raise RunFolderError(f"cannot read {str(path)!r}: {exc.strerror}") from exc
    whole, newline, _ = data.rpartition(b"\n")
    entries = []
    for number, line in enumerate(whole.split(b"\n") if newline else [], start=1):
        try:
            entry = json.loads(line.decode("utf-8", "surrogatepass"))
            int(entry["event"]), int(entry["seq"]), str(entry["hash"]), str(entry["prev_hash"])
        except (ValueError, KeyError, TypeError, RecursionError) as exc:
            raise _broken(path, number, "this line is damaged") from exc
        entries.append(entry)
    return entries, len(whole) + len(newline)


def _verified(path: Path, entries: Iterable[dict[str, Any]]) -> Chain:
    count, head = EMPTY
    for line, entry in enumerate(entries, start=1):
        number = entry["seq"]
        if number != count + 1:
            what = (
                f"entry {count + 1} is missing" if number > count + 1
                else f"entry {number} stands twice" if number == count
                else f"entry {number} is out of order"
            )  # fmt: skip
            raise _broken(path, line, what)
        if entry["prev_hash"] != head:
            raise _broken(path, line, "it does not follow the line before it")
        body = _canonical({name: value for name, value in entry.items() if name != "hash"})
        if _hash(head, body) != entry["hash"]:
            raise _broken(path, line, "it was changed")
        count, head = number, entry["hash"]
    return Chain(count, head)


def _hash(head: str, entry: str) -> str:
    return sha256((head + entry).encode("utf-8", "surrogatepass")).hexdigest()


def _broken(path: Path, line: int, reason: str) -> AuditError:
    hint = "the lines before it are intact; a run goes on without them once the file is moved away"
    return AuditError(f"{path.parent.name}/{path.name}:{line}: {reason}", hint=hint)


# --- what an event means to an auditor -----------------------------------------------------------------------------


def _run_started(event: Event, _agent: bool) -> list[Entry]:
    data = event.data
    names = {name: data[name] for name in ("workflow", "version", "digest", "provider")}
    return [("workflow.start", _canonical({**names, "inputs": sorted(data["inputs"])}))]


def _run_resumed(event: Event, _agent: bool) -> list[Entry]:
    accepted = event.data.get("accepted_digest")
    return [("security.event", _canonical({"kind": "manifest.changed", "digest": accepted}))] if accepted else []


def _run_finished(event: Event, _agent: bool) -> list[Entry]:
    data = event.data
    failed = [failure["node"] for failure in data["failures"]]
    return [("workflow.complete", _canonical({"status": data["status"], "failures": failed}))]


def _node_started(event: Event, agent: bool) -> list[Entry]:
    return [("agent.start", _canonical({"attempt": event.data.get("attempt", 1)}))] if agent else []


def _node_finished(event: Event, _agent: bool) -> list[Entry]:
    output = event.data["output"]
    return [("state.change", _fields(tuple(output)) if isinstance(output, dict) else _NO_FIELDS)]


@lru_cache(maxsize=1024)
def _fields(names: tuple[str, ...]) -> str:
    return _canonical({"fields": sorted(names)})


_NO_FIELDS: Final = _canonical({"fields": []})


def _node_failed(event: Event, _agent: bool) -> list[Entry]:
    return [("agent.error", _canonical({name: event.data[name] for name in ("kind", "contained")}))]


def _provider_called(event: Event, _agent: bool) -> list[Entry]:
    names = ("provider", "model", "agent", "prompt_tokens", "completion_tokens")
    return [("agent.complete", _canonical({name: event.data[name] for name in names}))]


def _tool_called(event: Event, _agent: bool) -> list[Entry]:
    return [("tool.result", _canonical({name: event.data[name] for name in ("tool", "ok")}))]


def _human_asked(event: Event, _agent: bool) -> list[Entry]:
    return [("human.asked", _canonical({name: event.data[name] for name in ("channel", "approver")}))]


def _human_replied(event: Event, _agent: bool) -> list[Entry]:
    return [("human.replied", _canonical({name: event.data[name] for name in ("replier", "recognised")}))]


_ENTRIES: Final[Mapping[str, Callable[[Event, bool], list[Entry]]]] = {
    "run.started": _run_started,
    "run.resumed": _run_resumed,
    "run.finished": _run_finished,
    "node.started": _node_started,
    "node.finished": _node_finished,
    "node.failed": _node_failed,
    "provider.called": _provider_called,
    "tool.called": _tool_called,
    "human.asked": _human_asked,
    "human.replied": _human_replied,
}
"""The entries that an event gives; events that are not listed give none."""
