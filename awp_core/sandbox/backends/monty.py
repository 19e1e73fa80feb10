"""pydantic-monty: an interpreter of a smaller Python that has no system to reach; on every OS.

No third-party packages, a part of the standard library, its own limits on time and memory. It runs in worker
processes, so that a crash stays there; a cancelled call kills its worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from awp_core.errors import CodeError, SandboxError
from awp_core.sandbox.backends.base import MAX_PRINTS, PRINTS_CUT, BackendReport, Outcome
from awp_core.sandbox.backends.reply import MIB, checked, out_of_memory, timed_out, too_large
from awp_core.sandbox.check import EntryPoint
from awp_core.sandbox.inside.values import Json, NotJsonError, dump, select_outputs, to_json_value
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, OSPolicy, ResourceLimits

WORKDIR = "/work"
SOURCE_FILE = "<python-input-0>"
"""What monty calls the first text of a session, which is the user's; the second is our call of `main`."""

_Folders = dict[str, tuple[Path, Literal["read-only", "overlay"]]]
"""By the path inside: the folder of the host, and whether writes are kept in memory or refused."""

_MAX_FRAMES = 40
_GRACE_S = 0.5


class MontyBackend:
    """Keeps a pool of workers; each call has a session of its own."""

    name = "monty"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._report: BackendReport | None = None
        self._pool: AsyncMonty | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stack: contextlib.AsyncExitStack | None = None

    def report(self) -> BackendReport:
        """Try once whether a worker starts and computes."""
        with self._lock:
            if self._report is None:
                self._report = self._probe()
            return self._report

    def refusal(self, policy: SandboxPolicy) -> str:
        """Third-party packages cannot run here."""
        return "it cannot use installed packages (`packages: true`)" if policy.packages else ""

    async def run(self, job: CodeJob, policy: SandboxPolicy, entry: EntryPoint) -> Outcome:
        """Run one call in a fresh session."""
        prints = _Prints()
        try:
            async with asyncio.timeout(policy.timeout_s + _GRACE_S):
                value = await self._call(job, policy, prints)
        except TimeoutError:
            raise timed_out(policy, prints.text()) from None
        except Exception as exc:  # one place maps everything monty raises
            raise _mapped(exc, job, policy, entry, prints.text()) from exc
        return Outcome(await asyncio.to_thread(_result, value, job, policy, prints.text()), prints.text())

    async def aclose(self) -> None:
        """End the workers."""
        stack, self._stack, self._pool, self._loop = self._stack, None, None, None
        if stack is not None:
            await stack.aclose()

    async def _call(self, job: CodeJob, policy: SandboxPolicy, prints: _Prints) -> Json:
        pool = await self._workers()
        seconds = policy.timeout_s if policy.cpu_s is None else min(policy.timeout_s, policy.cpu_s)
        limits: ResourceLimits = {
            "max_feed_duration_secs": seconds,
            "max_total_sleep_secs": seconds,
            "max_memory": policy.memory_mb * MIB,
        }
        sleeping: OSPolicy = {"sleep": "system", "sleep_system_max": float("inf")}
        with _mounts(policy) as mounts:
            session = pool.checkout(limits=limits, os_policy=sleeping, assert_message_annotations=False)
            async with session as python:
                options: dict[str, Any] = {"mount": mounts, "cwd": WORKDIR, "print_callback": prints.add}
                await python.feed_run(job.source, **options)
                return await python.feed_run("main(**__awp)", inputs={"__awp": dict(job.arguments)}, **options)

    async def _workers(self) -> AsyncMonty:
        """Return the pool of this event loop; that of a loop that is gone has lost its workers with it."""
        from pydantic_monty import AsyncMonty

        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            stack = contextlib.AsyncExitStack()
            self._pool = await stack.enter_async_context(AsyncMonty(max_processes=max(4, os.cpu_count() or 1)))
            self._stack, self._loop = stack, loop
        return self._pool

    def _probe(self) -> BackendReport:
        try:
            import pydantic_monty

            with pydantic_monty.Monty(max_processes=1) as pool, pool.checkout() as session:
                works = session.feed_run("1 + 1") == 2
        except ImportError:
            return BackendReport(self.name, usable=False, reason="not installed: pip install pydantic-monty")
        except Exception as exc:  # noqa: BLE001 - whatever it is, monty does not work here
            return BackendReport(self.name, usable=False, reason=f"does not start: {exc}"[:300])
        return BackendReport(self.name, usable=works, reason=f"pydantic-monty {_version()}")


class _Prints:
    """What was printed, cut at the limit without failing the code."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = MAX_PRINTS

    def add(self, _stream: str, text: str) -> None:
        """Keep one piece as far as there is room."""
        if self._room > 0:
            self._parts.append(text[: self._room])
        self._room -= len(text)

    def text(self) -> str:
        """Return what was kept, with a note if some of it was cut."""
        return "".join(self._parts) + (PRINTS_CUT if self._room < 0 else "")


@contextlib.contextmanager
def _mounts(policy: SandboxPolicy) -> Iterator[list[Any]]:
    """Show an empty working directory, `data/input` and the readable files, all read-only or in memory."""
    from pydantic_monty import MountDir

    with contextlib.ExitStack() as stack:
        shown = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="awp-code-")))
        (shown / "work").mkdir()
        folders: _Folders = {WORKDIR: (shown / "work", "overlay")}
        if policy.input_dir is not None:
            folders[f"{WORKDIR}/data/input"] = (policy.input_dir, "read-only")
        for index, path in enumerate(policy.readable):
            _show(path, shown / str(index), folders)
        try:
            yield [
                stack.enter_context(
                    MountDir(
                        host_path=host,
                        virtual_path=seen,
                        mode=mode,
                        memory_usage_limit=policy.file_size_mb * MIB,
                    )
                )
                for seen, (host, mode) in folders.items()
            ]
        except OSError as exc:
            raise SandboxError(f"a folder cannot be shown to the code: {exc}") from exc


def _show(path: Path, spare: Path, folders: _Folders) -> None:
    """Only folders can be mounted, so a file is shown in a folder of its own, without what lies beside it."""
    if path.is_dir():
        folders[path.absolute().as_posix()] = (path, "read-only")
        return
    host = folders.setdefault(path.absolute().parent.as_posix(), (spare, "read-only"))[0]
    host.mkdir(exist_ok=True)
    try:
        shutil.copyfile(path, host / path.name)
    except OSError as exc:
        raise SandboxError(f"the readable file {str(path)!r} cannot be shown to the code: {exc}") from exc


def _result(value: object, job: CodeJob, policy: SandboxPolicy, prints: str) -> dict[str, Any]:
    try:
        plain = to_json_value(select_outputs(value, job.outputs), "result")
    except NotJsonError as exc:
        raise CodeError(exc.problem, hint=exc.hint, prints=prints) from exc
    if len(dump(plain)) > policy.file_size_mb * MIB:
        raise too_large(policy)
    return checked(plain, job, prints)


def _mapped(exc: Exception, job: CodeJob, policy: SandboxPolicy, entry: EntryPoint, prints: str) -> Exception:
    import pydantic_monty

    if isinstance(exc, SandboxError):
        return exc
    if isinstance(exc, pydantic_monty.MontyCrashedError):
        return timed_out(policy, prints) if exc.timed_out else SandboxError(f"the sandbox's interpreter died: {exc}")
    if not isinstance(exc, pydantic_monty.MontyRuntimeError | pydantic_monty.MontySyntaxError):
        return SandboxError(f"monty cannot run this code: {str(exc)[:500]}")
    message = str(exc)
    frames = [frame for frame in exc.traceback() if frame.filename == SOURCE_FILE]
    shift = job.first_line - 1
    line = frames[-1].line + shift if frames else entry.line
    if message.startswith("MemoryError: memory limit exceeded"):
        return out_of_memory(policy, line if frames else 0)
    if message.startswith("TimeoutError: ") and " limit exceeded: " in message:
        return timed_out(policy, prints)
    unsupported = message.startswith(("ModuleNotFoundError", "NotImplementedError", "SyntaxError", "ImportError"))
    hint = "this ran in monty, a smaller Python; bwrap runs all of it" if unsupported else ""
    return CodeError(
        message[:2_000],
        hint=hint,
        traceback=_traceback(frames, message, job.filename, shift),
        line=line,
        prints=prints,
    )


def _traceback(frames: list[Any], message: str, filename: str, shift: int) -> str:
    lines = ["Traceback (most recent call last):"]
    for index, frame in enumerate(frames):
        if _MAX_FRAMES // 2 <= index < len(frames) - _MAX_FRAMES // 2:
            continue
        lines.append(f'  File "{filename}", line {frame.line + shift}, in {frame.function_name or "<module>"}')
        if frame.source_line:
            lines.append(f"    {frame.source_line.strip()}")
    return "\n".join([*lines, message[:2_000], ""])


def _version() -> str:
    try:
        return version("pydantic-monty")
    except PackageNotFoundError:
        return ""
