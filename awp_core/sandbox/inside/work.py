"""The worker: runs the user's `main` and writes one reply; everything it does, user code could do as well."""

from __future__ import annotations

import os
import sys
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any

from .values import NotJsonError, dump, select_outputs, to_json_value

if TYPE_CHECKING:
    from traceback import TracebackException

MAX_MESSAGE = 2_000
MAX_TRACEBACK = 16_000


def work(request: dict[str, Any], reply_fd: int) -> None:
    """Run the request and write the reply; never returns to code that could run twice.

    The reply is written over whatever the user's code may have put into the file, and only by the process
    that was asked: a child that `main` forked and let run out of `main` ends without a word.
    """
    pid = os.getpid()
    reply = _answer(request)
    if os.getpid() != pid:
        os._exit(0)
    data = _encode(reply, request)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue
    os.ftruncate(reply_fd, 0)
    position = 0
    while position < len(data):
        position += os.pwrite(reply_fd, data[position:], position)


def _encode(reply: dict[str, Any], request: dict[str, Any]) -> bytes:
    data = dump({"token": request["token"], **reply})
    if len(data) > request["max_reply"]:
        data = dump({"token": request["token"], "kind": "too_large", "bytes": len(data)})
    return data


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    filename, first_line = request["filename"], request["first_line"]
    try:
        namespace: dict[str, Any] = {"__name__": "__awp_code__", "__builtins__": __builtins__}
        exec(_compile(request["source"], filename, first_line), namespace)  # noqa: S102 - this is the sandbox
        value = namespace["main"](**request["arguments"])
        return {"kind": "value", "value": to_json_value(select_outputs(value, request["outputs"]), "result")}
    except NotJsonError as exc:
        return {"kind": "not_json", "message": exc.problem, "hint": exc.hint}
    except MemoryError as exc:
        return {"kind": "memory", "line": _line(exc.__traceback__, filename)}
    except BaseException as exc:  # noqa: BLE001 - SystemExit of user code is an error of user code, too
        return _raised(exc, request)


def _compile(source: str, filename: str, first_line: int) -> CodeType:
    # Empty lines in front give every line, also those of syntax errors, its number in the cell or manifest.
    return compile("\n" * (first_line - 1) + source, filename, "exec", dont_inherit=True)


def _line(traceback: TracebackType | None, filename: str) -> int:
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _raised(exc: BaseException, request: dict[str, Any]) -> dict[str, Any]:
    from traceback import TracebackException

    filename = request["filename"]
    line = _line(exc.__traceback__, filename) or request["main_line"]
    _show_source(request)
    try:
        report = TracebackException.from_exception(exc)
        _only_user_frames(report, filename, set())
        message = "".join(report.format_exception_only()).strip()
        text = "".join(report.format())
    except Exception:  # noqa: BLE001 - an exception class of the user's own may fail at anything
        message = text = type(exc).__name__
    return {
        "kind": "raised",
        "message": _cut(message, MAX_MESSAGE),
        "traceback": _cut(text, MAX_TRACEBACK),
        "line": line,
    }


def _show_source(request: dict[str, Any]) -> None:
    """Let `traceback` quote the user's lines, which stand in no file here."""
    import linecache

    lines = ("\n" * (request["first_line"] - 1) + request["source"]).splitlines(keepends=True)
    linecache.cache[request["filename"]] = (len(request["source"]), None, lines, request["filename"])


def _only_user_frames(report: TracebackException | None, filename: str, seen: set[int]) -> None:
    """Drop the frames of ours and of libraries, in the exception and in what caused it."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack[:] = [frame for frame in report.stack if frame.filename == filename]
    _only_user_frames(report.__cause__, filename, seen)
    _only_user_frames(report.__context__, filename, seen)
    for inner in getattr(report, "exceptions", None) or ():
        _only_user_frames(inner, filename, seen)


def _cut(text: str, limit: int) -> str:
    clean = text.encode("utf-8", "backslashreplace").decode()
    return clean if len(clean) <= limit else f"{clean[: limit // 2]}\n… cut …\n{clean[-limit // 2 :]}"
