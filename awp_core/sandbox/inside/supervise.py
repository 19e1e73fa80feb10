"""The supervisor: forks the worker, watches it, and ends everything with it.

In a pid namespace it is process 1, so nothing outlives it. Its exit code is the one thing that user code cannot
forge; it says how the worker ended. Standard input is a lifeline: when the other end closes (time-out,
cancellation, death of the parent), all is killed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Any

from .limits import MIB, Usage, apply, descendants, proportional
from .values import parse
from .work import work

TOO_MANY_PROCESSES = 100
TOO_MUCH_MEMORY = 101
LIFELINE_CLOSED = 102
BROKEN_REQUEST = 103
SIGNALLED = 128

_WATCH_MS = 25
_WATCH_OUTSIDE_MS = 200  # without a pid namespace every look reads all processes of the machine


def main(request_fd: int, reply_fd: int) -> None:
    """Run one request and exit with the code that says how it ended."""
    set_dumpable = _protect()
    os.set_inheritable(reply_fd, False)
    with os.fdopen(request_fd, "rb") as file:
        request = parse(file.read())
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    pid = os.fork()
    if pid == 0:
        set_dumpable(1)
        _become_worker(request, reply_fd, (wake, woken))
    code = _watch(pid, wake, request["limits"])
    _kill_all(pid)
    os._exit(code)


def _protect() -> Callable[[int], object]:
    """Keep the worker, which has our user id, from tracing us; adopt orphans, so that they are found.

    Returns the call that switches a process back to the usual state (1), for the worker.
    """
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):  # no Linux
        return lambda _: None
    set_dumpable, set_child_subreaper = 4, 36
    prctl(set_dumpable, 0, 0, 0, 0)
    prctl(set_child_subreaper, 1, 0, 0, 0)
    return lambda state: prctl(set_dumpable, state, 0, 0, 0)


def _become_worker(request: dict[str, Any], reply_fd: int, ours: tuple[int, int]) -> None:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for fd in ours:
            os.close(fd)
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        sys.path.extend(request["path"])
        apply(request["limits"])
        work(request, reply_fd)
    finally:
        os._exit(0)


def _watch(pid: int, wake: int, limits: dict[str, Any]) -> int:
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(0, select.POLLIN | select.POLLHUP)
    pause = _WATCH_MS if os.getpid() == 1 else _WATCH_OUTSIDE_MS
    while True:
        ready = {fd for fd, _ in poll.poll(pause)}
        if wake in ready:
            os.read(wake, 512)
            code = _reap(pid)
            if code is not None:
                return code
        if 0 in ready:
            return LIFELINE_CLOSED
        verdict = _judge(descendants(), limits)
        if verdict:
            return verdict


def _judge(usage: Usage, limits: dict[str, Any]) -> int:
    if len(usage.pids) > limits["max_processes"]:
        return TOO_MANY_PROCESSES
    allowed = limits["memory_mb"] * MIB
    if usage.resident > allowed and proportional(usage.pids) > allowed:
        return TOO_MUCH_MEMORY
    return 0


def _reap(worker: int) -> int | None:
    """Collect everything that ended; return the exit code if the worker is among it."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == worker:
            code = SIGNALLED + os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _kill_all(worker: int) -> None:
    """End what is left. In a pid namespace our own end does that, at once and for all."""
    if os.getpid() == 1:
        return
    try:
        os.killpg(worker, signal.SIGKILL)
    except OSError:
        pass
    for _ in range(100):
        left = descendants().pids
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        _reap(-1)
        if not left:
            return
