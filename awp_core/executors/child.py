"""The process that calls one function: a JSON request on stdin, a JSON answer on stdout, prints on stderr."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

from awp_core.values import ValueProblem, check_json, dump_json, load_json


def main() -> None:
    """Answer one request. What the function prints, in whatever way, must not get into the answer."""
    answer = os.dup(1)
    os.dup2(2, 1)
    request = load_json(sys.stdin.buffer.read())
    body = _answer(request["function"], request["arguments"])
    sys.stdout.flush()
    with os.fdopen(answer, "wb") as out:
        out.write(dump_json(body))


def _answer(reference: str, arguments: dict[str, Any]) -> dict[str, Any]:
    module, _, name = reference.partition(":")
    try:
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except Exception as error:  # noqa: BLE001 - a module may raise anything while it is imported
        return _error(
            f"cannot import {reference!r}: {error}", "it must be importable from here: module:function", error
        )
    try:
        value = function(**arguments)
    except Exception as error:  # noqa: BLE001 - it is the user's own
        return _error(f"{type(error).__name__}: {error}", "", error)
    try:
        check_json(value, "the result")
    except ValueProblem as problem:
        return {"error": problem.message, "hint": problem.hint, "traceback": ""}
    return {"value": value}


def _error(message: str, hint: str, error: BaseException) -> dict[str, Any]:
    ours = 1  # the frame of `_answer`
    lines = traceback.format_exception(type(error), error, error.__traceback__ and error.__traceback__.tb_next)
    return {"error": message, "hint": hint, "traceback": "".join(lines) if len(lines) > ours else ""}


if __name__ == "__main__":
    main()
