"""Write the record of a run: events, artifacts, envelopes, logs. The only writer below `runs/` while a run works."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from awp_core.channels.base import Envelope
from awp_core.errors import RunFolderError
from awp_core.events.model import DURABLE, Event
from awp_core.runs.audit import AuditTrail
from awp_core.runs.files import advice, create_once, disk_errors, replace, write_all
from awp_core.runs.layout import OUTBOX, RunFolder
from awp_core.runs.lock import RunLock
from awp_core.values import digest, dump_json

LARGE = 64 * 1024  # bytes; a larger value goes to artifacts/ (spec 08, Folder)
_RESTS = frozenset({"run.paused", "run.finished"})  # nobody works on the run after these
_LOG_LIMIT = 4 * 1024 * 1024  # bytes of printed text kept per node and process


class RunRecorder:
    """Append events to `events.jsonl` and keep what belongs beside them.

    Every event reaches the operating system before `record` returns (unless held), so killing the process loses
    none. Pauses, envelopes and the end are synced to the disk too. If a write fails, the file is cut back to the last
    whole line and the error stops the run.

    Args:
        folder: A run folder that exists.
        lock: The lock of the folder; closed together with the recorder.
        box: The folder for envelopes.
        audit: The audit chain; closed together with the recorder. None keeps none.
    """

    def __init__(self, folder: RunFolder, lock: RunLock, box: str = OUTBOX, audit: AuditTrail | None = None) -> None:
        self.folder = folder
        self.audit = audit
        self._box = box
        self._lock = lock
        self._held: list[bytes] = []
        self._logged: dict[str, int] = {}
        self._failure = ""
        with disk_errors(folder.events):
            self._descriptor = os.open(folder.events, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            self._size = os.fstat(self._descriptor).st_size

    def record(self, event: Event, *, hold: bool = False) -> None:
        """Append one event.

        Raises:
            RunFolderError: It could not be written; the file still ends with a whole line.
        """
        self._held.append(self._line(event))
        if self.audit is not None:
            self.audit.add(event)
        if hold:
            return
        self._write()
        if event.type in DURABLE:
            self.sync()
            if self.audit is not None and event.type in _RESTS:
                self.audit.sync()
        elif self.audit is not None and self.audit.is_full:
            self.audit.flush()

    def flush(self) -> None:
        """Hand held events and audit entries to the operating system, in this order: no entry is without its event."""
        self._write()
        if self.audit is not None:
            self.audit.flush()

    def _write(self) -> None:
        if not self._held:
            return
        data = b"".join(self._held)
        self._held.clear()
        if self._failure:  # events before this one are lost, so it must not follow them
            raise RunFolderError(f"cannot write {str(self.folder.events)!r}: {self._failure}")
        try:
            write_all(self._descriptor, data)
            # A folder removed under the run takes writes without an error: ask whether the file still has a name.
            if os.fstat(self._descriptor).st_nlink == 0:
                self._failure = "it was removed"
                if self.audit is not None:
                    self.audit.abandon()
                raise RunFolderError(
                    f"the run folder {str(self.folder.root)!r} was removed while the run worked",
                    hint="start the run again; nothing after the removal was kept",
                )
        except OSError as exc:
            self._failure = exc.strerror or str(exc)
            if self.audit is not None:
                self.audit.abandon()
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise RunFolderError(
                f"cannot write {str(self.folder.events)!r}: {exc.strerror}",
                hint=advice(exc),
            ) from exc
        self._size += len(data)

    def sync(self) -> None:
        """Make everything recorded so far survive a power cut."""
        self.flush()
        with disk_errors(self.folder.events):
            os.fsync(self._descriptor)

    def log(self, node: str, text: str) -> None:
        """Append text that a node printed to its `log.txt`, up to 4 MiB."""
        data = text.encode("utf-8", "replace")
        written = self._logged.get(node, 0)
        if written >= _LOG_LIMIT:
            return
        self._logged[node] = written + len(data)
        path = self.folder.node(node, "log.txt")
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(data[: _LOG_LIMIT - written])

    def keep(self, node: str, file: str, text: str) -> None:
        """Write a file of a node, such as `error.txt`."""
        path = self.folder.node(node, file)
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode("utf-8", "replace"))

    def has_envelope(self, node: str) -> bool:
        """Whether the envelope of a node was written, in this process or an earlier one."""
        return self.folder.envelope(node, box=self._box).exists()

    def envelope_file(self, node: str, turn: int = 0) -> str:
        """Return where the node's envelope of a turn is kept, from the run folder."""
        return f"{self._box}/{self.folder.envelope(node, turn, self._box).name}"

    def envelope_key(self, node: str, turn: int = 0) -> str:
        """Return what tells the node's envelope of a turn from every other, of any run."""
        return f"{self.folder.run_id}:{self.folder.envelope(node, turn, self._box).stem}"

    def write_envelope(self, node: str, envelope: Envelope, turn: int = 0) -> bool:
        """Write the one envelope of a node's turn durably; False if it was there already."""
        path = self.folder.envelope(node, turn, self._box)
        body: dict[str, Any] = {
            "run_id": self.folder.run_id, "node": node, "channel": envelope.channel, "kind": envelope.kind,
            "chat_id": envelope.chat_id, "text": envelope.text, "format": envelope.format,
            "idempotency_key": self.envelope_key(node, turn),
        }  # fmt: skip
        if envelope.expect is not None:
            body["expect"] = dict(envelope.expect)
        return create_once(path, dump_json(body) + b"\n")

    def delivered(self, node: str, turn: int = 0) -> bool:
        """Whether the envelope of a turn has a receipt."""
        return self.folder.receipt(node, turn).exists()

    def write_receipt(self, node: str, turn: int = 0) -> None:
        """Write durably that the envelope of a turn was delivered."""
        path = self.folder.receipt(node, turn)
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        create_once(path, b'{"delivered":true}\n')

    def nested(self, node: str, run_id: str) -> Path:
        """Return the folder of a run nested in a node."""
        return self.folder.nested(node, run_id)

    def write_checkpoint(self, body: dict[str, Any]) -> None:
        """Write `checkpoint.json` durably, before the run says that it is paused."""
        self.sync()
        replace(self.folder.checkpoint, dump_json(body) + b"\n", sync=True)

    def remove_checkpoint(self) -> None:
        """Remove `checkpoint.json`; the run is no longer paused."""
        with disk_errors(self.folder.checkpoint):
            self.folder.checkpoint.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the record and give the lock back; harmless when done twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            if self.audit is not None:
                self.audit.close()
            self._lock.release()

    def _line(self, event: Event) -> bytes:
        body = {
            "seq": event.seq,
            "ts": event.ts,
            "t": event.t,
            "type": event.type,
            "node": event.node,
            "data": event.data,
        }
        line = dump_json(body)
        if len(line) > LARGE:
            line = dump_json(self._moved(body, event))
        return line + b"\n"

    def _moved(self, body: dict[str, Any], event: Event) -> dict[str, Any]:
        """Move each large value of an event to artifacts/ and leave path, size and digest."""
        data: dict[str, Any] = {}
        references: dict[str, Any] = {}
        for name, value in event.data.items():
            encoded = dump_json(value)
            if len(encoded) <= LARGE:
                data[name] = value
                continue
            sha256 = digest(encoded)
            path = self.folder.artifact(sha256)
            with disk_errors(path):
                path.parent.mkdir(exist_ok=True)
            if not path.exists():
                replace(path, encoded, sync=event.type in DURABLE)
            references[name] = {
                "path": str(Path("artifacts") / path.name),
                "size": len(encoded),
                "sha256": sha256,
            }
        return {**body, "data": data, "artifacts": references}


def create_run_folder(folder: RunFolder, manifest: bytes, about: dict[str, Any]) -> RunLock:
    """Make a new run folder with the manifest as run, and return its lock.

    Raises:
        RunFolderError: It cannot be made, or exists.
    """
    with disk_errors(folder.root):
        folder.root.mkdir(parents=True)
    lock = None
    try:
        lock = RunLock(folder.lock)
        replace(folder.manifest, manifest)
        replace(folder.about, dump_json(about) + b"\n")
    except BaseException:
        if lock is not None:
            lock.release()
        discard_run_folder(folder)
        raise
    return lock


def discard_run_folder(folder: RunFolder) -> None:
    """Remove the folder of a run that never started: half a folder would look like a damaged run."""
    shutil.rmtree(folder.root, ignore_errors=True)
