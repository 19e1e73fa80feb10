"""Do the same for every item of a list, some at a time, and keep the order of the results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from awp_core.errors import AwpError
from awp_core.manifest.models import MAX_ITEMS

T = TypeVar("T")
JSON = Any


def items_at(value: JSON, selector: str, *, truncate: bool) -> list[JSON]:
    """Return the list a fan-out works on, at most 500 items.

    Raises:
        AwpError: It is no list, or is longer and `truncate` is false.
    """
    if not isinstance(value, list):
        what = "nothing" if value is None else f"a {type(value).__name__}"
        raise AwpError(f"{selector!r} gives {what}, not a list", hint="select a list of items")
    if len(value) > MAX_ITEMS and not truncate:
        raise AwpError(
            f"{selector!r} has {len(value)} items; {MAX_ITEMS} are the most",
            hint=f"select fewer, or write `truncate: true` to take the first {MAX_ITEMS}",
        )
    return value[:MAX_ITEMS]


async def for_each(items: Sequence[T], limit: int, work: Callable[[int, T], Awaitable[JSON]]) -> list[JSON]:
    """Call `work(index, item)` for every item, at most `limit` at a time; results are in the order of the items.

    Raises:
        AwpError: What the first item that failed raised; the others are cancelled, and their index is named.
    """
    results: list[JSON] = [None] * len(items)
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for index, item in waiting:  # shared: each worker takes the next item that nobody took
            try:
                results[index] = await work(index, item)
            except AwpError as error:
                error.message = f"item {index}: {error.message}"
                raise

    tasks = [asyncio.ensure_future(worker()) for _ in range(min(limit, len(items)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return results
