"""Opt-in `nest_asyncio`: lets a cell call `asyncio.run()`. Nothing of ours needs it (spec 07)."""

from __future__ import annotations

import asyncio
import sys

from awp_core.errors import UsageError


def apply_nesting() -> None:
    """Patch the running loop so that it can be entered again.

    Raises:
        UsageError: It cannot be done here; says why.
    """
    if sys.version_info >= (3, 14):
        raise UsageError("nest_asyncio breaks asyncio on Python 3.14", hint="use `await` in the cell instead")
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return  # nothing runs, so asyncio.run() works as it is
    if not isinstance(loop, asyncio.BaseEventLoop):
        raise UsageError(
            f"nest_asyncio cannot patch a loop of type {type(loop).__name__}", hint="use `await` in the cell instead"
        )
    import nest_asyncio

    nest_asyncio.apply(loop)
