"""Run a user's function without holding up the engine's loop: on a thread, or in a process that can be killed.

A thread of our own instead of the loop's pool: functions that hang would fill the pool, and hold up the exit of the
program. Whatever a function raises becomes a `CodeError` with the user's own lines.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from awp_core.errors import AwpError, CodeError, describe
from awp_core.values import check_json, shorten

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
JSON = Any
_THIS_FILE = str(Path(__file__))
_MAX_MESSAGE = 2_000
_GRACE_S = 5.0  # how long a cancelled coroutine may take to clean up


async def on_loop(agent: str, awaitable: Awaitable[T]) -> T:
    """Await a user's coroutine, in a task of its own, which is left behind if it does not end when cancelled.

    Raises:
        CodeError: It raised.
    """

    async def work() -> T:
        try:
            return await awaitable
        except (AwpError, asyncio.CancelledError):
            raise
        except BaseException as exc:  # `exit()` let through would end the loop, and every other run on it
            raise _told(agent, exc) from exc

    task = asyncio.get_running_loop().create_task(work(), name=f"awp agent {agent}")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        ended, _ = await asyncio.wait({task}, timeout=_GRACE_S)
        if ended and not task.cancelled():
            task.exception()  # looked at, so that asyncio does not complain that nobody did
        raise


async def in_thread(agent: str, function: Callable[..., Any], arguments: Mapping[str, JSON]) -> Any:
    """Call a function on a thread of its own; when the caller is cancelled, its result is dropped.

    Raises:
        CodeError: It raised.
    """
    return await _awaited(lambda: _called(agent, function, arguments), f"awp agent {agent}")


async def in_process(agent: str, function: Callable[..., Any], arguments: Mapping[str, JSON]) -> Any:
    """Call a function in a new process; when the caller is cancelled, the process is killed.

    Raises:
        CodeError: It raised, or its process died.
        AwpError: The function cannot be found from another process.
    """
    import multiprocessing

    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    child = spawn.Process(target=_child, args=(theirs, agent, function, dict(arguments)), daemon=True)
    cancelled = threading.Event()

    def work() -> Any:
        try:
            child.start()
        except Exception as exc:  # pickling raises whatever it likes
            reason = shorten(f"{type(exc).__name__}: {exc}", 300)
            raise AwpError(
                f"agent {agent!r} cannot run in a process of its own: {reason}",
                hint="move the function into a module, or leave out process=True",
            ) from exc
        finally:
            theirs.close()
        if cancelled.is_set():  # between the start and now
            child.kill()
        try:
            report: _Report = ours.recv()
        except EOFError:
            child.join()
            raise CodeError(f"agent {agent!r}: its process ended without a result (exit {child.exitcode})") from None
        finally:
            ours.close()
        child.join()
        return report.value()

    try:
        return await _awaited(work, f"awp agent {agent}")
    except asyncio.CancelledError:
        cancelled.set()
        with suppress(ValueError, AttributeError):  # it has not started, or is gone
            child.kill()
        raise


class _Report(NamedTuple):
    """What a child process says: a result, or what its `CodeError` holds."""

    result: JSON = None
    message: str = ""
    lines: str = ""
    line: int = 0

    def value(self) -> JSON:
        if self.message:
            raise CodeError(self.message, traceback=self.lines, line=self.line)
        return self.result


def _child(pipe: Connection, agent: str, function: Callable[..., Any], arguments: Mapping[str, JSON]) -> None:
    try:
        result = _called(agent, function, arguments)
        check_json(result, f"result of agent {agent}")
        report = _Report(result)
    except CodeError as error:
        report = _Report(None, error.message, error.traceback, error.line)
    except AwpError as error:
        report = _Report(None, error.message)
    pipe.send(report)
    pipe.close()


def _called(agent: str, function: Callable[..., Any], arguments: Mapping[str, JSON]) -> Any:
    try:
        return function(**arguments)
    except AwpError:
        raise
    except BaseException as exc:  # `exit()` in a function must end the function, not the engine's thread
        raise _told(agent, exc) from exc


async def _awaited(work: Callable[[], Any], name: str) -> Any:
    """Run `work` on a new thread and await its result."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():  # cancelled meanwhile: nobody waits for it any more
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def body() -> None:
        result, error = None, None
        try:
            result = context.run(work)
        except BaseException as exc:  # noqa: BLE001 - handed over to the one who waits
            error = exc
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=body, name=name, daemon=True).start()
    return await future


def _told(agent: str, error: BaseException) -> CodeError:
    own = _own_frames(error.__traceback__)
    lines = "".join(traceback.format_exception(type(error), error, own))
    told = traceback.extract_tb(own)
    message = shorten(describe(error), _MAX_MESSAGE)
    return CodeError(f"agent {agent!r}: {message}", traceback=lines, line=(told[-1].lineno or 0) if told else 0)


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Leave out the frames of this file, which say nothing to the author of the function."""
    while trace is not None and trace.tb_frame.f_code.co_filename == _THIS_FILE:
        trace = trace.tb_next
    return trace
