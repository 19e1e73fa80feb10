"""One process at a time works on a run; a dead owner's lock is free at once.

The lock is the operating system's own (`flock`), which ends with its owner however that dies, so there is no
heartbeat to miss and no stale lock to guess about. Where the system has none, the file names a process id, and the
lock of a process that no longer exists is taken over.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from awp_core.errors import RunLockedError
from awp_core.runs.files import disk_errors, write_all

try:
    import fcntl
except ImportError:  # Windows, WebAssembly
    fcntl = None  # type: ignore[assignment]


class RunLock:
    """The right to work on a run. Use as a context manager, or call `release`.

    Raises:
        RunLockedError: Another live process, or another run object of this one, has it.
        RunFolderError: The lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with disk_errors(path):
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._acquire()
            with disk_errors(path):
                os.ftruncate(self._descriptor, 0)
                write_all(self._descriptor, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode())
        except BaseException:
            os.close(self._descriptor)
            raise

    def _acquire(self) -> None:
        if fcntl is not None:
            while not _flock(self._descriptor, fcntl.LOCK_EX):
                # `is_locked` takes a share for a moment; only an owner also refuses a share.
                if not _flock(self._descriptor, fcntl.LOCK_SH):
                    raise self._refusal(_owner(self._path))
            return
        owner = _owner(self._path)
        if _alive(owner):
            raise self._refusal(owner)

    def _refusal(self, owner: dict[str, object]) -> RunLockedError:
        who = f"process {owner.get('pid', 'unknown')} on {owner.get('host', 'this machine')}"
        return RunLockedError(
            f"run {self._path.parent.name} is being worked on by {who}",
            hint="answer or cancel it there, or wait until it pauses or ends",
        )

    def release(self) -> None:
        """Give the lock back; harmless when done twice."""
        if self._descriptor >= 0:
            if fcntl is None:
                os.ftruncate(self._descriptor, 0)
            else:
                # Closing is not enough: a process that is being started at this moment still has a copy.
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_locked(path: Path) -> bool:
    """Whether a live process works on the run whose lock file this is."""
    if fcntl is None:
        return _alive(_owner(path))
    try:
        descriptor = os.open(path, os.O_RDONLY)  # to ask must change nothing, and work in a read-only folder
    except OSError:
        return False
    try:
        return not _flock(descriptor, fcntl.LOCK_SH)
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _flock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _owner(path: Path) -> dict[str, object]:
    try:
        owner = json.loads(path.read_text("utf-8") or "{}")
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def _alive(owner: dict[str, object]) -> bool:
    pid = owner.get("pid")
    if not isinstance(pid, int) or owner.get("host") != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
