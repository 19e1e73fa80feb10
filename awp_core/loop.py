"""One daemon thread with its own event loop, for callers that are not async or whose loop is busy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """A thread that starts with its first use and ends with the process.

    Runs outlive the notebook cell that started them, so they cannot live on the kernel's own loop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine on the loop; safe from every thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running())

    def call(self, function: Callable[[], T]) -> T:
        """Run a short function on the loop and return its result; safe from every thread but the loop's own."""

        async def once() -> T:
            return function()

        return self.submit(once()).result()

    def owns_this_thread(self) -> bool:
        """Whether the caller runs on the loop's own thread, where waiting for it would never end."""
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                # Not the policy's loop: a uvloop or nest_asyncio policy of somebody else must not reach in here.
                self._loop = (
                    asyncio.SelectorEventLoop()
                    if not hasattr(asyncio, "ProactorEventLoop")
                    else asyncio.ProactorEventLoop()
                )
                threading.Thread(target=self._serve, args=(self._loop,), name="awp-loop", daemon=True).start()
            return self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()
