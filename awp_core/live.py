"""The runs this process works on: how they are started, kept, and woken when a question is overdue."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.engine.questions import next_deadline
from awp_core.errors import AwpError
from awp_core.events.bus import Observer
from awp_core.events.fold import RunState
from awp_core.execution import NEW, Execution, Job, Origin
from awp_core.handle import Run
from awp_core.loop import BackgroundLoop
from awp_core.runs.layout import RunFolder, new_run_id

if TYPE_CHECKING:
    from awp_core.app import App

Work = Coroutine[Any, Any, RunState]


class LiveRuns:
    """The runs of one app that are not over.

    Attributes:
        runs: By id; a parked one stays, so that everybody who asks for it gets the same handle.
        answering: Held while an answer is given, so that two at the same moment come one after the other.
    """

    def __init__(self, app: App, loop: BackgroundLoop) -> None:
        self.runs: dict[str, Run] = {}
        self.answering = threading.RLock()
        self._app = app
        self._loop = loop

    def begin(
        self,
        root: Path,
        job: Job,
        inputs: Mapping[str, Any],
        observers: tuple[Observer, ...],
        warnings: Sequence[str],
        origin: Origin = NEW,
    ) -> tuple[Run, Work]:
        """Make a run below `root`; arguments as for `Execution.start`. The caller says where its work is done."""
        folder = RunFolder(root / new_run_id())
        run = Run(self._app, folder)
        return run, self._attached(run, Execution.start(job, folder, inputs, observers, warnings, origin))

    def launch(self, run: Run, work: Work) -> Run:
        """Do the work on the background loop; returns at once."""
        execution = run.execution
        assert execution is not None  # noqa: S101 - `begin` and `go_on` attach it
        run.attach(execution, self._loop.submit(work))
        return run

    def go_on(self, run: Run, execution: Execution) -> Run:
        """Go on with a run that was taken over, on the background loop; returns at once."""
        return self.launch(run, self._attached(run, execution))

    def working(self) -> list[Run]:
        """Return the runs that are being worked on."""
        return [run for run in list(self.runs.values()) if run.execution is not None]

    def _attached(self, run: Run, execution: Execution) -> Work:
        run.attach(execution, None)
        self.runs[run.id] = run
        return self._work(run, execution)

    async def _work(self, run: Run, execution: Execution) -> RunState:
        try:
            state = await execution.work()
            if state.status == "paused" and self._loop.owns_this_thread():
                self._wake_at_deadline(run, state)
            return state
        except asyncio.CancelledError:
            if execution.state.over:
                return execution.state
            raise
        finally:
            await execution.job.services.aclose()
            if self.runs.get(run.id) is run and execution.state.over:
                del self.runs[run.id]

    def _wake_at_deadline(self, run: Run, state: RunState) -> None:
        """Go on with a parked run when its next question is overdue, as long as this process lives."""
        left = next_deadline(state.questions.values())
        if left is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(max(0.0, left), lambda: loop.run_in_executor(None, self._wake, run))

    def _wake(self, run: Run) -> None:
        with self.answering, suppress(AwpError):  # refused, or somebody else was faster: it stays as it is
            left = next_deadline(run.questions) if run.execution is None and run.status == "paused" else None
            if left is not None and left <= 0:
                self._app.go_on(run)
