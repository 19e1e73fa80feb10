"""Warm sandboxes: a bubblewrap that is started once and forks for each call (`inside.zygote`).

Only calls that see the same folders and files can share one, so there is one per combination of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping
from typing import Any

from awp_core.sandbox.backends.base import Outcome
from awp_core.sandbox.backends.process import STOP_S, run_supervised
from awp_core.sandbox.inside.supervise import SETUP_FAILED
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

ZYGOTE_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside import zygote; zygote.serve(int(sys.argv[2]))"
)
MAX_WARM = 4

_Key = tuple[bool, tuple[tuple[str, int, int], ...]]


class WarmSandboxes:
    """Keeps a few warm processes; gives up on warmth, not on isolation, where the kernel does not allow it.

    Attributes:
        works: False once the namespaces of a call could not be made.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = threading.Lock()
        self._running: dict[_Key, _Zygote] = {}
        self.works = True

    async def run(
        self, command: Callable[[], list[str]], job: CodeJob, policy: SandboxPolicy, request: dict[str, Any]
    ) -> Outcome | None:
        """Run one call in the warm process for its folders, started by `command` if it is not there yet.

        Returns:
            None if the namespaces of the call could not be made; none of its code has run then.
        """

        key = _key(policy)

        async def start(request_fd: int, reply_fd: int) -> _WarmCall:
            return await _WarmCall.start(self._zygote(key, command), request_fd, reply_fd)

        outcome, code = await run_supervised(start, job, policy, request)
        if code == SETUP_FAILED:
            self.works = False
        return outcome

    async def aclose(self) -> None:
        """End the warm processes and everything in them."""
        with self._lock:
            running, self._running = list(self._running.values()), {}
        for zygote in running:
            await asyncio.to_thread(zygote.close)

    def _zygote(self, key: _Key, command: Callable[[], list[str]]) -> _Zygote:
        with self._lock:
            zygote = self._running.pop(key, None)
            if zygote is None or not zygote.alive():
                if zygote is not None:
                    zygote.close()
                zygote = _Zygote(command(), self._environment)
            self._running[key] = zygote  # last, as the most recently used
            idle = [each for each in self._running.values() if each.calls == 0 and each is not zygote]
            surplus = idle[: max(len(self._running) - MAX_WARM, 0)]
            self._running = {name: each for name, each in self._running.items() if each not in surplus}
        for each in surplus:
            each.close()
        return zygote


def _key(policy: SandboxPolicy) -> _Key:
    """Name what a call sees: by path and inode, because a mount keeps showing what was replaced meanwhile."""
    paths = (*([policy.input_dir] if policy.input_dir is not None else []), *policy.readable)
    seen = [(str(path), path.stat()) for path in paths]
    shown = tuple((path, status.st_dev, status.st_ino) for path, status in seen)
    return policy.packages, (("", int(policy.input_dir is not None), 0), *shown)


class _Zygote:
    """One warm process and the socket over which calls go to it."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self.calls = 0
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._socket.setblocking(False)

    def alive(self) -> bool:
        """Whether it can still take calls."""
        return self._process.poll() is None

    def send(self, fds: list[int]) -> None:
        """Hand over the descriptors of a call; OSError if it cannot take them."""
        socket.send_fds(self._socket, [b"call"], fds)

    def close(self) -> None:
        """End it with all it runs, and wait until it is gone."""
        self._socket.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _WarmCall:
    """One call in a warm process: three pipes and what comes out of them."""

    def __init__(
        self, zygote: _Zygote, lifeline: int, output: asyncio.StreamReader, status: asyncio.StreamReader
    ) -> None:
        self.output = output
        self._zygote = zygote
        self._lifeline = lifeline
        self._status = asyncio.create_task(status.read())

    @classmethod
    async def start(cls, zygote: _Zygote, request_fd: int, reply_fd: int) -> _WarmCall:
        """Make the pipes and hand them over."""
        with contextlib.ExitStack() as ends:
            (output, prints), (lifeline, ours), (status, ending) = (os.pipe() for _ in range(3))
            for fd in (prints, lifeline, ending):
                ends.callback(os.close, fd)
            with contextlib.suppress(OSError):  # then the ends close unused and the status says so
                zygote.send([request_fd, reply_fd, prints, lifeline, ending])
        zygote.calls += 1
        return cls(zygote, ours, await _reader(output), await _reader(status))

    async def wait(self) -> int:
        """Return how the call ended; a warm process that died before starting it counts as no set-up."""
        data = await asyncio.shield(self._status)
        return data[0] if data else SETUP_FAILED

    async def stop(self) -> None:
        """Let go of the lifeline and wait for the end of the call; if it does not come, end the warm process."""
        if self._lifeline < 0:
            return
        with contextlib.suppress(OSError):
            os.write(self._lifeline, b"x")
        os.close(self._lifeline)
        self._lifeline = -1
        try:
            async with asyncio.timeout(STOP_S):
                await self.wait()
        except TimeoutError:
            await asyncio.to_thread(self._zygote.close)
        finally:
            self._zygote.calls -= 1


async def _reader(fd: int) -> asyncio.StreamReader:
    """Read a pipe without blocking; it is closed at its end."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb", 0)
    )
    return reader
