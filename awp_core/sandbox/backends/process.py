"""Run the supervisor of `inside` as a process: hand over the request, collect the prints, end it for certain.

Nothing in here blocks the event loop for longer than starting a process takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import IO, Any, Protocol

from awp_core.errors import SandboxError
from awp_core.sandbox.backends.base import MAX_PRINTS, PRINTS_CUT, Outcome
from awp_core.sandbox.backends.reply import MIB, read_reply, timed_out, too_large
from awp_core.sandbox.check import EntryPoint
from awp_core.sandbox.inside.supervise import SETUP_FAILED
from awp_core.sandbox.inside.values import dump
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside import supervise;supervise.main(*map(int, sys.argv[2:]))"
)
"""What the interpreter runs; its arguments: the folder that holds `inside`, request's and reply's descriptor."""

STOP_S = 2.0


def request_for(
    job: CodeJob, policy: SandboxPolicy, entry: EntryPoint, *, path: Sequence[str], own_process_count: bool
) -> dict[str, Any]:
    """Build what the supervisor reads; `path` is added to the user's `sys.path`."""
    return {
        "source": job.source,
        "arguments": dict(job.arguments),
        "outputs": list(job.outputs),
        "filename": job.filename,
        "first_line": job.first_line,
        "main_line": entry.line,
        "path": list(path),
        "max_reply": policy.file_size_mb * MIB,
        "limits": {
            "memory_mb": policy.memory_mb,
            "cpu_s": policy.cpu_s,
            "max_processes": policy.max_processes,
            "file_size_mb": policy.file_size_mb,
            "own_process_count": own_process_count,
        },
    }


class Running(Protocol):
    """A call under way.

    Attributes:
        output: What it prints.
    """

    output: asyncio.StreamReader

    async def wait(self) -> int:
        """Return the exit code of its supervisor."""

    async def stop(self) -> None:
        """End all its processes, if they have not ended, and return when they are gone."""


class SupervisedProcess:
    """A supervisor that was started for this call alone."""

    def __init__(self, process: asyncio.subprocess.Process, output: asyncio.StreamReader) -> None:
        self._process = process
        self.output = output

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        fds: Sequence[int],
        environment: Mapping[str, str],
        cwd: str | None = None,
    ) -> SupervisedProcess:
        """Start it with an environment of its own and no descriptors of ours but `fds`."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=dict(environment),
            cwd=cwd,
            pass_fds=fds,
            start_new_session=True,
        )
        return cls(process, process.stdout or asyncio.StreamReader())

    async def wait(self) -> int:
        """Return the exit code."""
        return await self._process.wait()

    async def stop(self) -> None:
        """Ask the supervisor to end everything, which it does from within; insist after a while."""
        process = self._process
        if process.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                # A byte as well as the end: another process forked meanwhile may hold a copy of our end open.
                process.stdin.write(b"x")
                process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def run_supervised(
    start: Callable[[int, int], Awaitable[Running]],
    job: CodeJob,
    policy: SandboxPolicy,
    request: dict[str, Any],
) -> tuple[Outcome | None, int]:
    """Run one call to its end and read its reply.

    Args:
        start: Starts the call, given the descriptors of request and reply.
        job: The call.
        policy: Its limits.
        request: From `request_for`; a fresh token is added.

    Returns:
        The outcome and 0; or None and `SETUP_FAILED` if the sandbox refused before any user code ran.
    """
    token = secrets.token_hex(16)
    with tempfile.TemporaryFile() as request_file, tempfile.TemporaryFile() as reply_file:
        await asyncio.to_thread(_write, request_file, {**request, "token": token})
        running = await start(request_file.fileno(), reply_file.fileno())
        prints = _Prints(running.output)
        try:
            async with asyncio.timeout(policy.timeout_s):
                code = await running.wait()
        except TimeoutError:
            await _to_the_end(_finish(running, prints))
            raise timed_out(policy, prints.text()) from None
        finally:
            await _to_the_end(_finish(running, prints))
        if code == SETUP_FAILED:
            return None, code
        text = prints.text()
        data = await asyncio.to_thread(_read, reply_file, policy.file_size_mb * MIB)
        if data is None:
            raise too_large(policy)
        return Outcome(await asyncio.to_thread(read_reply, code, data, token, text, job, policy), text), 0


def started(outcome: Outcome | None) -> Outcome:
    """Return the outcome of a call whose sandbox was set up before; anything else is an error."""
    if outcome is None:
        raise SandboxError("the sandbox could not be set up")
    return outcome


class _Prints:
    """Reads everything the process writes and keeps the first part, so that it never waits for us."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._kept = bytearray()
        self._cut = False
        self._task = asyncio.create_task(self._collect(stream))

    async def _collect(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(65536):
            room = MAX_PRINTS - len(self._kept)
            self._kept += chunk[:room]
            self._cut |= len(chunk) > room

    async def finish(self) -> None:
        """Wait until the last writer is gone, but not for one that escaped."""
        _, pending = await asyncio.wait([self._task], timeout=STOP_S)
        for task in pending:
            task.cancel()

    def text(self) -> str:
        """Return what was printed, with a note if some of it was cut."""
        return self._kept.decode("utf-8", "replace") + (PRINTS_CUT if self._cut else "")


async def _finish(running: Running, prints: _Prints) -> None:
    await running.stop()
    await prints.finish()


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work` even if the caller is cancelled meanwhile, then let the cancellation through."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as exc:
            cancelled = exc
    task.result()
    if cancelled is not None:
        raise cancelled


def _write(file: IO[bytes], request: dict[str, Any]) -> None:
    file.write(dump(request))
    file.flush()
    file.seek(0)


def _read(file: IO[bytes], limit: int) -> bytes | None:
    """Return the reply, or None if it is larger than it may be; the limit holds while it is read."""
    file.seek(0)
    data = file.read(limit + 1)
    return None if len(data) > limit else data
