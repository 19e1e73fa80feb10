"""The handle of a run: what a caller sees of it, alive or read back from its folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.errors import NotFoundError, RunCancelledError, RunError, RunPausedError, UsageError
from awp_core.events.fold import NodeState, Question, RunState
from awp_core.events.model import Event
from awp_core.execution import Execution
from awp_core.runs.layout import RunFolder
from awp_core.runs.lock import is_locked
from awp_core.runs.reader import read_record, read_state

if TYPE_CHECKING:
    from awp_core.app import App


_TICK_S = 0.5


class Run:
    """One run of a workflow. Also exported as `RunResult`.

    Example:
        >>> import awp_core
        >>> run = awp_core.run("hello", name="Ada")  # doctest: +SKIP
        >>> run.status, run.result  # doctest: +SKIP
        ('complete', 'Hello, Ada')
    """

    def __init__(self, app: App, folder: RunFolder) -> None:
        self._app = app
        self._folder = folder
        self._execution: Execution | None = None
        self._future: Future[RunState] | None = None
        self._state: RunState | None = None

    # --- what it is ------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The run id, which is also the folder's name."""
        return self._folder.run_id

    @property
    def name(self) -> str:
        """What to type for it: its id, or the path of its folder if it is not found by its id from here."""
        return self._app.name_of(self)

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self._folder.root

    @property
    def snapshot(self) -> RunState:
        """Everything known now; read-only."""
        if self._state is not None and self._state.over:
            return self._state
        execution = self._execution
        if execution is not None and (execution.working or execution.state.over):
            return execution.state
        if self._state is None or not self._state.over:
            self._state = read_state(self._folder)  # another process may have gone on with it
        return self._state

    @property
    def status(self) -> str:
        """`running`, `paused`, `complete`, `partial`, `failed`, `cancelled`, or `interrupted`.

        `interrupted` is a run that was cut off by a crash; `resume` goes on with it.
        """
        status = self.snapshot.status
        if status == "running" and self.execution is None and not is_locked(self._folder.lock):
            return "interrupted"
        return status

    @property
    def state(self) -> str:
        """The same as `status`."""
        return self.status

    @property
    def reason(self) -> str:
        """Why it failed or was cancelled; empty otherwise."""
        return self.snapshot.reason

    @property
    def nodes(self) -> Mapping[str, NodeState]:
        """State by node: `.status`, `.output`, `.error`, `.started`, `.duration`."""
        return self.snapshot.nodes

    @property
    def questions(self) -> list[Question]:
        """The questions somebody must answer."""
        return list(self.snapshot.questions.values())

    @property
    def result(self) -> Any:
        """The result.

        Raises:
            RunPausedError: It waits for a person; says for whom and how to answer.
            RunCancelledError: It was cancelled.
            RunError: It failed, is still running, or was cut off.
        """
        status, state = self.status, self.snapshot
        if status in {"complete", "partial"}:
            return state.result
        if status == "paused":
            waiting = self.questions[0]
            raise RunPausedError(
                f"run {self.id} waits for an answer to {waiting.node!r}: {_first_line(waiting.prompt)}",
                hint=f"answer in the form, or: awp reply {self.name} VALUE"
                + (f" --node {waiting.node}" if len(self.questions) > 1 else ""),
            )
        if status == "cancelled":
            raise RunCancelledError(f"run {self.id} was cancelled: {state.reason}")
        if status == "failed":
            node = next((n for n in state.nodes.values() if n.status == "failed" and n.detail), None)
            detail = f"\n{node.detail}" if node is not None else ""
            raise RunError(f"run {self.id} failed: {state.reason}{detail}", hint=_hint(state))
        todo = "wait for it: run.wait()" if status == "running" else f"go on with it: awp resume {self.name}"
        raise RunError(f"run {self.id} has no result yet: it is {status}", hint=todo)

    def events(self) -> Iterator[Event]:
        """Yield the recorded events, oldest first."""
        if self._execution is not None and self._execution.working:
            self._execution.recorder.flush()
        yield from read_record(self._folder).events

    # --- what one can do with it -----------------------------------------------------------------------------------

    def reply(self, value: Any, node: str | None = None, *, replier: str | None = None) -> Run:
        """Answer an open question and let the run go on; returns at once, see `wait`.

        Raises:
            ReplyError: The reply does not fit, or the replier may not answer; the run stays paused.
            NotFoundError: There is no such question.
        """
        self._app.reply(self, value, node=node, replier=replier)
        return self

    def wait(self, timeout: float | None = None) -> Run:
        """Wait until the run ends or waits for a person.

        Args:
            timeout: Seconds; None waits as long as it takes.

        Raises:
            RunError: The time is up; the run goes on.
            RunFolderError: The record could not be written.
        """
        future = self._future
        if future is None:
            return self._wait_for_other(timeout)
        if self._app.loop.owns_this_thread():
            raise UsageError("cannot wait for a run from inside a run", hint="use `await` or a subworkflow")
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            # In short waits: a Ctrl-C that comes just before a wait without end would only be seen after it.
            left = _TICK_S if end is None else min(_TICK_S, max(0.0, end - time.monotonic()))
            try:
                future.result(left)
            except FutureTimeoutError:
                if future.done():
                    raise
                if end is not None and time.monotonic() >= end:
                    raise RunError(
                        f"run {self.id} is still running after {timeout:g} s", hint="it goes on; wait again"
                    ) from None
            else:
                return self

    def cancel(self, reason: str = "it was cancelled") -> Run:
        """Cancel the run, wherever it runs; what ended stays readable. Returns once it stopped, if it is ours."""
        self._app.cancel(self, reason)
        return self

    def __repr__(self) -> str:
        try:
            state = self.snapshot
        except (NotFoundError, RunError):
            return f"<Run {self.id}: folder is gone>"
        done = sum(1 for n in state.nodes.values() if n.status in {"finished", "skipped"})
        text = f"<Run {self.id} of {state.workflow}: {self.status}, {done}/{len(state.nodes)} nodes"
        return text + (f", waits for {', '.join(q.node for q in self.questions)}>" if self.status == "paused" else ">")

    # --- for the app -----------------------------------------------------------------------------------------------

    @property
    def run_folder(self) -> RunFolder:
        """The paths of the run."""
        return self._folder

    @property
    def execution(self) -> Execution | None:
        """The live part in this process while it works; None otherwise."""
        return self._execution if self._execution is not None and self._execution.working else None

    def attach(self, execution: Execution, future: Future[RunState] | None) -> None:
        """Follow a live part; called by the app."""
        self._execution, self._future = execution, future

    def _wait_for_other(self, timeout: float | None) -> Run:
        """Wait for a run that another process works on, or return at once."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.status == "running":
            if end is not None and time.monotonic() > end:
                raise RunError(f"run {self.id} is still running after {timeout:g} s", hint="it goes on; wait again")
            time.sleep(0.1)
        return self


def _first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else line[:119] + "…"


def _hint(state: RunState) -> str:
    return next((node.hint for node in state.nodes.values() if node.status == "failed" and node.hint), "")
