"""Call an importable function in a process of its own, so that a time limit really ends it (spec 02, compute)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from awp_core.errors import CodeError
from awp_core.values import dump_json, load_json

JSON = Any
_PRINTED: Final = 256 * 1024  # characters of printed text kept; the end of it, where errors stand
_CHILD: Final = "awp_core.executors.child"


class Computed(NamedTuple):
    """What a function returned, and what it printed."""

    value: JSON
    prints: str


async def call_function(reference: str, arguments: Mapping[str, JSON], directory: Path) -> Computed:
    """Call `module:function` with keyword arguments; cancelling this kills it, with every process it started.

    Args:
        reference: What to import. `directory` is looked in first, then this process's own path.
        arguments: JSON values by parameter.
        directory: The working directory.

    Raises:
        CodeError: It cannot be imported, raised, ended its process, or returned what JSON cannot hold.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", _CHILD, cwd=directory, start_new_session=os.name == "posix",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_paths(directory))},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        answer, printed = await child.communicate(dump_json({"function": reference, "arguments": dict(arguments)}))
    finally:
        _kill(child)
    prints = printed.decode("utf-8", "replace")[-_PRINTED:]
    if not answer:
        raise CodeError(
            f"{reference}: its process ended without a result (exit code {child.returncode})",
            hint="it must return, not exit",
            prints=prints,
        )
    body = load_json(answer)
    if "error" in body:
        raise CodeError(body["error"], hint=body["hint"], traceback=body["traceback"], prints=prints)
    return Computed(body["value"], prints)


def _paths(directory: Path) -> list[str]:
    return [str(directory), *(path for path in sys.path if path)]


def _kill(child: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)  # also what it left behind
        else:
            child.kill()
