"""A warm process inside the sandbox: forks once per call and puts namespaces around each fork.

Calls share nothing but the memory image of an interpreter that has not yet seen any of them: each has its
own user, mount, pid, IPC, network and host-name namespaces, its own `/tmp` and `/dev/shm`, and no `/proc`.
For each call there are three processes: the launcher, which stays outside the call's pid namespace and watches;
process 1 of that namespace, which reaps; and the worker.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import linecache  # noqa: F401 - this and the next two are imported once, here, so that no call has to
import os
import resource  # noqa: F401
import signal
import socket
import struct
import traceback  # noqa: F401
from typing import Any, NoReturn

from .supervise import SETUP_FAILED, become_worker, child_signals, protect, read_request, reap, watch

WORKDIR = "/tmp/work"  # noqa: S108 - inside the sandbox
FDS = 5
"""Descriptors of a call: request, reply, prints, lifeline, status."""

_NEW_USER, _NEW_MOUNT, _NEW_PID = 0x10000000, 0x00020000, 0x20000000
_NEW_UTS, _NEW_IPC, _NEW_NET = 0x04000000, 0x08000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = (
    1,
    2,
    4,
    8,
    4096,
    16384,
    1 << 18,
)
_MIB = 1024 * 1024
_LEAST_PID_MAX = 301
_SET_PDEATHSIG, _CAPBSET_DROP, _LAST_CAPABILITY = 1, 24, 63

libc = ctypes.CDLL(None, use_errno=True)


def serve(fd: int) -> None:
    """Take calls from the socket until its other end closes; then everything here ends with this process."""
    protect()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # launchers report for themselves
    gc.freeze()  # a collection in a fork would copy the pages of everything here
    with socket.socket(fileno=fd) as calls:
        while True:
            message, fds, _, _ = socket.recv_fds(calls, 16, FDS)
            if not message:
                return
            if os.fork() == 0:
                calls.close()
                _launch(*fds)
            for each in fds:
                os.close(each)


def _launch(request_fd: int, reply_fd: int, prints: int, lifeline: int, status: int) -> NoReturn:
    code = SETUP_FAILED
    try:
        os.dup2(prints, 1)
        os.dup2(prints, 2)
        os.close(prints)
        request = read_request(request_fd)
        _new_namespaces()
        wake = child_signals()
        pid = os.fork()
        if pid == 0:
            os.close(status)
            os.close(lifeline)
            _become_first(request, reply_fd)
        # The code's own end of the prints must be the last one, or its reader would wait for us.
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        code = watch(pid, wake, lifeline, request["limits"], helper=True)
        _end(pid)
    finally:
        os.write(status, bytes([code]))
        os._exit(0)


def _end(pid: int) -> None:
    """Kill process 1 of the call; once it is collected, the kernel has killed all others of its namespace."""
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def _new_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    libc.prctl(4, 1, 0, 0, 0)  # our own uid_map belongs to root while we are not dumpable
    _check(libc.unshare(_NEW_USER | _NEW_PID | _NEW_IPC | _NEW_NET | _NEW_UTS), "unshare")
    _put("/proc/self/setgroups", "deny")
    _put("/proc/self/uid_map", f"{uid} {uid} 1")
    _put("/proc/self/gid_map", f"{gid} {gid} 1")
    libc.prctl(4, 0, 0, 0, 0)
    _put("/proc/sys/user/max_user_namespaces", "0")
    _raise_loopback()


def _become_first(request: dict[str, Any], reply_fd: int) -> NoReturn:
    """Be process 1 of the call: mount, give up all rights, start the worker, reap, end."""
    code = SETUP_FAILED
    try:
        # If the launcher dies, so does the call.
        libc.prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _limit_processes(request["limits"]["max_processes"])
        _mount_all(request["limits"]["file_size_mb"] * _MIB, request["show"])
        _drop_capabilities()
        pid = os.fork()
        if pid == 0:
            libc.prctl(4, 1, 0, 0, 0)
            become_worker(request, reply_fd)
        os.close(reply_fd)
        code = _reap_until(pid)
    finally:
        os._exit(code)


def _reap_until(worker: int) -> int:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    while True:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        code = reap(worker)
        if code is not None:
            return code


def _limit_processes(number: int) -> None:
    """Limit the process ids of the namespace, which binds root too (Linux 6.14; not below 301 there)."""
    with contextlib.suppress(OSError):
        _put("/proc/sys/kernel/pid_max", str(max(number + 2, _LEAST_PID_MAX)))


def _mount_all(size: int, show: list[list[str]]) -> None:
    _check(libc.unshare(_NEW_MOUNT), "unshare mounts")
    _check(libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "private mounts")
    for own in (b"/tmp", b"/dev/shm"):
        options = f"size={size},mode=0700".encode()
        _check(libc.mount(b"tmpfs", own, b"tmpfs", _MS_NOSUID | _MS_NODEV, options), "tmpfs")
    _check(
        libc.mount(b"tmpfs", b"/proc", b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC | _MS_RDONLY, b"size=4k"),
        "no /proc",
    )
    os.makedirs(WORKDIR)  # noqa: PTH103 - pathlib is slow to import
    for source, place in show:
        _make_place(place, folder=os.path.isdir(source))  # noqa: PTH112
        _check(libc.mount(source.encode(), place.encode(), None, _MS_BIND | _MS_REC, None), "bind")
    os.chdir(WORKDIR)


def _make_place(path: str, *, folder: bool) -> None:
    os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _drop_capabilities() -> None:
    for number in range(_LAST_CAPABILITY + 1):
        libc.prctl(_CAPBSET_DROP, number, 0, 0, 0)
    header = struct.pack("=Ii", 0x20080522, 0)
    _check(libc.capset(header, struct.pack("=6I", 0, 0, 0, 0, 0, 0)), "capset")


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        set_flags, up = 0x8914, 1
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14s", b"lo", up, b""))


def _put(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), what)
