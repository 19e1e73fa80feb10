"""Run a plan: start nodes when their dependencies end, keep the facts, pause for people, stop on failure.

One event loop, no threads. A node of lane INSTANT runs in place; others run as tasks. Every change of state goes
through the bus, so what the scheduler knows is what the record says.
"""

from __future__ import annotations

import asyncio
import heapq
import traceback
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from awp_core.engine import questions
from awp_core.engine.attempts import work_on
from awp_core.engine.context import EngineContext
from awp_core.engine.decide import ENDED, Verdict, decide
from awp_core.engine.outcome import result_of
from awp_core.engine.plan import Plan, PlannedNode
from awp_core.engine.ports import RunStorage, Services
from awp_core.errors import AwpError, CodeError, NodeError, RunFolderError, describe, writable
from awp_core.events.bus import EventBus
from awp_core.events.fold import RunState
from awp_core.nodes.base import Ask, Lane
from awp_core.values import check_json

_BREATHE_EVERY = 64  # instant nodes between two turns of the event loop, so that cancel and widgets get a chance


class Stop(Exception):  # noqa: N818 - control flow, not an error
    """Ends the run: a status and a reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Scheduler:
    """One process's work on one run, from start or resume to the next pause or the end.

    Args:
        plan: The compiled workflow.
        bus: Where facts go; its state may already hold an earlier part of the run.
        storage: Durable things that are not events.
        services: What nodes may ask for.
        replies: Answers given in advance, by node, in the order of its questions.
    """

    def __init__(
        self,
        plan: Plan,
        bus: EventBus,
        storage: RunStorage,
        services: Services,
        replies: Mapping[str, Sequence[questions.PreparedReply]] | None = None,
    ) -> None:
        self.plan = plan
        self.bus = bus
        self.state: RunState = bus.state
        self.storage = storage
        self.services = services
        self.replies = {node: deque(given) for node, given in (replies or {}).items()}
        self.outputs: dict[str, Any] = {}
        self.calls = asyncio.Semaphore(plan.limits[Lane.PROVIDER])
        self._facts: dict[str, dict[str, Any]] = {}
        self._announced: set[str] = set()
        self._open: dict[str, int] = {}  # node -> dependencies that have not ended
        self._undecided: deque[str] = deque()
        self._ready: dict[Lane, list[int]] = {lane: [] for lane in Lane}
        self._by_index = {node.index: node for node in plan.nodes.values()}
        self._tasks: dict[asyncio.Task[Any], PlannedNode] = {}
        self._busy: dict[Lane, int] = dict.fromkeys(Lane, 0)
        self._done: deque[asyncio.Task[Any]] = deque()
        self._wake = asyncio.Event()
        self._stop: Stop | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._overdue = False
        self._began = 0.0
        self._active_before = self.state.active_s

    # --- outside ---------------------------------------------------------------------------------------------------

    async def run(self) -> RunState:
        """Work until the run ends or waits for a person; return its state.

        Raises:
            RunFolderError: The record cannot be written. The run is then cut off, as by a crash.
        """
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        limit = max(0.0, self.plan.total_timeout - self._active_before)
        timer = loop.call_later(limit, self.stop, "failed", f"timeout_total: it worked {self.plan.total_timeout:g} s")
        try:
            self._recover()
            await self._work()
            self._finish()
        except Stop as stop:
            await self._abandon()
            self._end(stop.status, stop.reason)
        except (asyncio.CancelledError, KeyboardInterrupt):
            await self._abandon()
            self._end("cancelled", "the run was interrupted")
            raise
        finally:
            timer.cancel()
            self.look_again_in(None)
            await self._abandon()
        return self.state

    def stop(self, status: str, reason: str) -> None:
        """Stop at the next turn: nothing new starts, running nodes are cancelled. The first call counts."""
        if self._stop is None:
            self._stop = Stop(status, reason)
            self._wake.set()

    def reply(self, node: str, given: questions.PreparedReply) -> None:
        """Answer an open question while the run works.

        Raises:
            NotFoundError: The node has no open question.
            ReplyError: The reply does not fit, or the replier may not answer; the question stays open.
        """
        questions.answer(self, node, given)
        self._wake.set()

    def answered(self, node: str, output: dict[str, Any]) -> None:
        """End a question whose reply is recorded."""
        self._finished(self.plan.nodes[node], output)

    def rerun(self, node: str) -> None:
        """Start a node again that had started before: after a reply, or where a crash cut it off."""
        planned = self.plan.nodes[node]
        if planned.index not in self._ready[planned.lane]:
            heapq.heappush(self._ready[planned.lane], planned.index)

    def look_again_in(self, seconds: float | None) -> None:
        """Look for overdue questions in so many seconds, if the run still works then; None for never."""

        def look() -> None:
            self._overdue = True
            self._wake.set()

        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if seconds is not None:
            self._deadline = asyncio.get_running_loop().call_later(max(0.0, seconds), look)

    def facts(self, node: str) -> dict[str, Any]:
        """What is known of a node's work besides its output; recorded when it finishes."""
        return self._facts.setdefault(node, {})

    @property
    def active_s(self) -> float:
        """Seconds the run has worked, over all processes, not counting pauses."""
        return round(self._active_before + asyncio.get_running_loop().time() - self._began, 6)

    def was_announced(self, file: str) -> bool:
        """Whether `envelope.written` for a file such as `outbox/ask.json` is in the record already."""
        return file in self._announced

    def announced(self, files: set[str]) -> None:
        """Tell which envelopes an earlier process recorded."""
        self._announced = files

    # --- the loop --------------------------------------------------------------------------------------------------

    def _recover(self) -> None:
        """Set up from the state: what ended stays ended, what was cut off starts again."""
        states = self.state.nodes
        for node in self.plan.nodes.values():
            state = states.get(node.id) or self.state.node(node.id)
            if state.counts:
                self.outputs[node.id] = state.output
            self._open[node.id] = sum(1 for name in node.dependencies if self.state.node(name).status not in ENDED)
            if state.status != "pending" or self._open[node.id]:
                continue
            if state.attempts:  # it was decided before, by what was known then
                self.rerun(node.id)
            else:
                self._undecided.append(node.id)
        questions.settle(self)

    async def _work(self) -> None:
        count = 0
        while True:
            if self._done:
                self._collect()
            if self._overdue:
                self._overdue = False
                questions.expire(self)
            while self._undecided and self._stop is None:
                self._decide(self.plan.nodes[self._undecided.popleft()])
            if self._stop is not None:
                raise self._stop
            if self._start_next():
                count += 1
                if count % _BREATHE_EVERY == 0:
                    self.storage.flush()
                    await asyncio.sleep(0)
            elif not self._undecided and not self._done:
                if not self._tasks:
                    return
                self.storage.flush()
                await self._wake.wait()
                self._wake.clear()

    def _decide(self, node: PlannedNode) -> None:
        scope = {"state": self.outputs, "inputs": self.state.inputs, "env": self.services.env}
        try:
            decision = decide(node, self.state.nodes, scope)
        except AwpError as error:
            self.bus.emit("node.started", node.id, hold=True)
            self._failed(node, error)
            return
        if decision.verdict is Verdict.RUN:
            heapq.heappush(self._ready[Lane.INSTANT if node.instant else node.lane], node.index)
        elif decision.verdict is Verdict.SKIP:
            self.bus.emit("node.skipped", node.id, {"reason": decision.reason, "cause": decision.cause})
            self._release(node)

    def _start_next(self) -> bool:
        """Start the ready node that comes first in the graph and has room; False if none."""
        if self.plan.sequential and self._tasks:
            return False
        best: Lane | None = None
        for lane, ready in self._ready.items():
            if not ready or (best is not None and ready[0] > self._ready[best][0]):
                continue
            if lane is Lane.INSTANT or self._busy[lane] < self.plan.limits[lane]:
                best = lane
        if best is None:
            return False
        node = self._by_index[heapq.heappop(self._ready[best])]
        if node.instant:
            self._run_in_place(node)
        else:
            self._spawn(node)
        return True

    def _run_in_place(self, node: PlannedNode) -> None:
        # Losing this `node.started` in a crash changes nothing: the node ends before anything else can happen.
        self.bus.emit("node.started", node.id, hold=True)
        try:
            output = node.type.run(EngineContext(self, node), node.config)
            check_json(output, node.id)
        except RunFolderError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a node type may raise anything; it fails the node
            self._failed(node, error)
        else:
            self._finished(node, output)

    def _spawn(self, node: PlannedNode) -> None:
        self.bus.emit("node.started", node.id)
        self._busy[node.lane] += 1
        task = asyncio.get_running_loop().create_task(work_on(self, node), name=f"awp node {node.id}")
        self._tasks[task] = node
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._done.append(task)
        self._wake.set()

    def _collect(self) -> None:
        while self._done:
            task = self._done.popleft()
            node = self._tasks.pop(task)
            self._busy[node.lane] -= 1
            error = None if task.cancelled() else task.exception()
            if isinstance(error, RunFolderError):
                raise error
            if task.cancelled():
                self._failed(node, NodeError(node.id, "it was cancelled from inside"))
            elif error is not None:
                self._failed(node, error)
            elif isinstance(task.result(), Ask):
                questions.ask(self, node, task.result())
            else:
                self._finished(node, task.result())

    # --- how a node ends -------------------------------------------------------------------------------------------

    def _finished(self, node: PlannedNode, output: Any) -> None:
        data: dict[str, Any] = {"output": output}
        if node.cases and isinstance(output, dict) and output.get("case") in node.cases:
            data["case"] = output["case"]
        if node.id in self._facts:
            data |= self._facts.pop(node.id)
        self.bus.emit("node.finished", node.id, data)
        self.outputs[node.id] = self.state.nodes[node.id].output
        self._release(node)

    def expired(self, node: PlannedNode, output: dict[str, Any], case: str) -> None:
        """End a question that nobody answered in time."""
        self.bus.emit("node.finished", node.id, {"output": output, "case": case, "expired": True})
        self.outputs[node.id] = output
        self._release(node)

    def failed(self, node: PlannedNode, error: BaseException) -> None:
        """End a node with an error, by its own failure policy."""
        self._failed(node, error)

    def _failed(self, node: PlannedNode, error: BaseException) -> None:
        message = describe(error)
        if node.skips_on_failure:
            self.bus.emit(
                "node.skipped",
                node.id,
                {"reason": "it failed, and on_failure is skip", "cause": "on_failure", "error": message},
            )
            self.outputs[node.id] = {}
            self._release(node)
            return
        data = {"error": message, "kind": type(error).__name__, "contained": node.contains_failure}
        if isinstance(error, AwpError) and error.hint:
            data["hint"] = writable(error.hint)
        if isinstance(error, CodeError) and error.traceback:
            data["detail"] = writable(error.traceback)
        self.bus.emit("node.failed", node.id, data)
        if not isinstance(error, AwpError):
            trace = self.bus.redacted("".join(traceback.format_exception(error)))
            self.storage.keep(node.id, "error.txt", trace)
        if node.contains_failure:
            self._release(node)
        else:
            self.stop("failed", f"{node.id}: {message}")

    def _release(self, node: PlannedNode) -> None:
        """Let dependents of an ended node be decided, once all of their dependencies have ended."""
        for name in node.dependents:
            self._open[name] -= 1
            if not self._open[name]:
                self._undecided.append(name)

    # --- how the run ends ------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        if self.state.questions:
            questions.park(self)
        else:
            self._end("complete", "")

    def _end(self, status: str, reason: str) -> None:
        result = result_of(self) if status == "complete" else None
        self.storage.remove_checkpoint()
        facts = {"status": status, "reason": reason, "result": result, "failures": list(self.state.failures)}
        self.bus.emit("run.finished", None, {**facts, "active_s": self.active_s})

    async def _abandon(self) -> None:
        """Cancel what runs and wait until it is really gone."""
        tasks = list(self._tasks)
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)
