"""The supervisor: forks the worker, watches it, and ends everything with it.

In a pid namespace it is process 1, so nothing outlives it. Its exit code is the one thing that user code
cannot forge; it says how the worker ended. Standard input is a lifeline: when the other end closes (time-out,
cancellation, death of the parent), all is killed. `zygote` uses the same parts for a call in a warm process.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, TextIO

from .limits import MIB, apply, count_processes, descendants, proportional
from .values import Json, parse
from .work import work

TOO_MANY_PROCESSES = 100
TOO_MUCH_MEMORY = 101
LIFELINE_CLOSED = 102
SETUP_FAILED = 103
SIGNALLED = 128

_WATCH_MS = 25
_WATCH_OUTSIDE_MS = 200  # without a pid namespace every look reads all processes of the machine


def main(request_fd: int, reply_fd: int) -> None:
    """Run one request and exit with the code that says how it ended."""
    set_dumpable = protect()
    os.set_inheritable(reply_fd, False)
    request = read_request(request_fd)
    wake = child_signals()
    pid = os.fork()
    if pid == 0:
        set_dumpable(1)
        become_worker(request, reply_fd)
    code = watch(pid, wake, 0, request["limits"])
    _kill_all(pid)
    os._exit(code)


def read_request(fd: int) -> Json:
    """Read the request and close its file, so that the worker has no hold on it."""
    with os.fdopen(fd, "rb") as file:
        return parse(file.read())


def child_signals() -> int:
    """Return a descriptor that becomes readable when a child ends."""
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken)
    return wake


def protect() -> Callable[[int], object]:
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


def become_worker(request: dict[str, Any], reply_fd: int) -> None:
    """Turn this fork into the worker, limited and with nothing of ours but the reply; does not return."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        reply = os.dup2(reply_fd, 3, inheritable=False) if reply_fd != 3 else 3
        os.closerange(4, 256)
        # A session and a lower priority, so that a crowd of these cannot keep the supervisor from running.
        os.setsid()
        os.nice(10)
        # New ones: those of a warm process were made for other files.
        sys.stdout, sys.stderr = _text(1), _text(2)
        sys.path.extend(request["path"])
        apply(request["limits"])
        work(request, reply)
    except BaseException:  # noqa: BLE001 - no reply is the answer; the prints say why
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _text(fd: int) -> TextIO:
    return os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def watch(pid: int, wake: int, lifeline: int, limits: dict[str, Any], *, helper: bool = False) -> int:
    """Wait for a child to end, or for a reason to end it, and return the exit code that says which.

    Args:
        pid: The worker, or with `helper` a process of ours whose own exit code is the answer.
        wake: From `child_signals`.
        lifeline: Readable or closed when all is to be ended.
        limits: Of the request.
        helper: See `pid`; it is not counted as a process of the code's.
    """
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(lifeline, select.POLLIN | select.POLLHUP)
    pause = _WATCH_MS if os.getpid() == 1 or helper else _WATCH_OUTSIDE_MS
    while True:
        ready = {fd for fd, _ in poll.poll(pause)}
        if wake in ready:
            os.read(wake, 512)
            code = reap(pid, helper=helper)
            if code is not None:
                return code
        if lifeline in ready:
            return LIFELINE_CLOSED
        verdict = _judge(limits, spare=int(helper))
        if verdict:
            return verdict


def _judge(limits: dict[str, Any], spare: int) -> int:
    allowed = limits["max_processes"] + spare
    if os.getpid() == 1 and count_processes() > allowed + 1:  # first the cheap look, for a bomb grows quickly
        return TOO_MANY_PROCESSES
    usage = descendants()
    if len(usage.pids) > allowed:
        return TOO_MANY_PROCESSES
    allowed = limits["memory_mb"] * MIB
    if usage.resident > allowed and proportional(usage.pids) > allowed:
        return TOO_MUCH_MEMORY
    return 0


def reap(worker: int, *, helper: bool = False) -> int | None:
    """Collect everything that ended; return the exit code if the worker is among it.

    What the worker itself exits with says nothing: user code chooses it.
    """
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == worker:
            plain = os.waitstatus_to_exitcode(status)
            code = SIGNALLED - plain if plain < 0 else plain if helper else 0


def _kill_all(worker: int) -> None:
    """End what is left. In a pid namespace our own end does that, at once and for all."""
    if os.getpid() == 1:
        return
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    for _ in range(100):
        left = descendants().pids
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        reap(-1)
        if not left:
            return
