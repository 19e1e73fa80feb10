"""One process's work on one run: wire recorder, bus and scheduler, and clean up whatever happens."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from awp_core.drawing import layout_of
from awp_core.engine import questions
from awp_core.engine.plan import Plan
from awp_core.engine.ports import Services
from awp_core.engine.questions import OWNER, PreparedReply
from awp_core.engine.scheduler import Scheduler
from awp_core.errors import AwpError, ManifestChangedError, RunError, RunLockedError, writable
from awp_core.events.bus import EventBus, Observer
from awp_core.events.fold import RunState
from awp_core.events.model import start_clock
from awp_core.events.redact import Redactor
from awp_core.manifest.load import Workflow
from awp_core.runs import audit
from awp_core.runs.audit import AuditTrail, Chain
from awp_core.runs.files import disk_errors
from awp_core.runs.finish import write_completion
from awp_core.runs.layout import OUTBOX, UNSENT, RunFolder
from awp_core.runs.lock import RunLock
from awp_core.runs.reader import RunStore, read_record, read_state, replay
from awp_core.runs.recorder import RunRecorder, create_run_folder, discard_run_folder

_CANCEL_POLL_S = 0.25
_CANCEL_S = 30.0  # how long another process may take to notice


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a run needs besides its folder.

    Attributes:
        workflow, plan: What runs, read and compiled.
        services: What its nodes may ask for.
        provider: Name of the provider in use, for the record.
        functions: Agents that are Python functions of this session.
        secrets: Values that must never leave the engine, by name.
        sensitive_fields: Field names whose values are secret, whatever they are.
        replies: Answers given in advance, by node, in the order of its questions.
        children: What its subworkflow nodes run, by node.
    """

    workflow: Workflow
    plan: Plan
    services: Services
    provider: str
    functions: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    sensitive_fields: tuple[str, ...] = ()
    replies: Mapping[str, Sequence[PreparedReply]] = field(default_factory=dict)
    children: Mapping[str, Job] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run comes from.

    Attributes:
        parent: Id of the run it is nested in.
        run: Id of the run it repeats: a replay, or a fork.
        replay: Whether it is answered from the record of that run; it then sends nothing.
        reused: For a fork, `node.finished` by node of what it takes over from that run, in their order.
    """

    parent: str = ""
    run: str = ""
    replay: bool = False
    reused: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


NEW = Origin()


class Execution:
    """The live part of a run. It belongs to one event loop and holds the run's lock until it closes."""

    def __init__(self, job: Job, folder: RunFolder, recorder: RunRecorder, state: RunState) -> None:
        self.job = job
        self.folder = folder
        self.recorder = recorder
        redactor = Redactor(job.secrets, fields=job.sensitive_fields)
        self.bus = EventBus(recorder, state, redactor, start_clock(state.t))
        self.scheduler = Scheduler(job.plan, self.bus, recorder, job.services, job.replies)
        self.working = True

    @classmethod
    def start(
        cls,
        job: Job,
        folder: RunFolder,
        inputs: Mapping[str, Any],
        observers: tuple[Observer, ...] = (),
        warnings: Sequence[str] = (),
        origin: Origin = NEW,
    ) -> Execution:
        """Make a run folder, record `run.started` and keep warnings in the run's log; on an error nothing is left.

        Args:
            job, folder: What runs, and where it is recorded.
            inputs: Resolved inputs.
            observers: Shown every event.
            warnings: Kept in the run's log.
            origin: Where the run comes from.

        Raises:
            RunFolderError: The folder cannot be written.
        """
        workflow = job.workflow
        about = _about(job, folder, inputs, origin)
        redactor = Redactor(job.secrets, fields=job.sensitive_fields)
        lock = create_run_folder(folder, workflow.text.encode("utf-8", "surrogatepass"), redactor.clean(about))
        try:
            box = UNSENT if origin.replay else OUTBOX
            state = RunState(run_id=folder.run_id)
            execution = cls._guarded(job, folder, lock, state, observers, AuditTrail(folder, job.plan.agents()), box)
            with _closing_on_error(execution):
                execution.bus.emit("run.started", None, {
                    "workflow": workflow.name, "version": about["version"], "digest": workflow.digest,
                    "inputs": dict(inputs), "nodes": list(job.plan.nodes), "provider": job.provider,
                    **_whence(job, origin),
                })  # fmt: skip
                for node, data in origin.reused.items():
                    execution.bus.emit("node.finished", node, {**data, "reused": True})
                for warning in warnings:
                    execution.bus.log("_run", f"warning: {warning}\n")
        except BaseException:
            discard_run_folder(folder)
            raise
        return execution

    @classmethod
    def resume(
        cls,
        job: Job,
        folder: RunFolder,
        *,
        accept_changes: bool = False,
        observers: tuple[Observer, ...] = (),
    ) -> Execution:
        """Take over a run that is paused or was cut off, and record `run.resumed`.

        Raises:
            RunLockedError: Somebody works on it.
            RunError: It is over.
            ManifestChangedError: The manifest is another one and `accept_changes` is false.
            ReplyError, NotFoundError: A reply does not fit; nothing was changed.
        """
        lock = RunLock(folder.lock)
        try:
            # A request from before was meant for a process that is gone.
            with disk_errors(folder.cancel_request):
                folder.cancel_request.unlink(missing_ok=True)
            record = read_record(folder)
            state = replay(folder, record)
            announced = {event.data["file"] for event in record.events if event.type == "envelope.written"}
            _check_resumable(state, job, accept_changes=accept_changes)
            for node, given in job.replies.items():
                if node in state.questions:
                    questions.check(state.questions, node, given[0])
            if record.torn:
                with disk_errors(folder.events):
                    os.truncate(folder.events, record.size)
            trail = AuditTrail.resume(folder, record.events, job.plan.agents())
        except BaseException:
            lock.release()
            raise
        box = UNSENT if state.replay else OUTBOX
        execution = cls._guarded(job, folder, lock, state, observers, trail, box)
        with _closing_on_error(execution):
            execution.scheduler.announced(announced)
            data: dict[str, Any] = {"active_s": state.active_s}
            if state.digest != job.workflow.digest:
                data["accepted_digest"] = job.workflow.digest
            execution.bus.emit("run.resumed", None, data)
            execution.recorder.remove_checkpoint()
        return execution

    @classmethod
    def cancel(cls, job: Job, folder: RunFolder, reason: str) -> Execution | None:
        """Take over a run that nobody works on, set to stop at once; or ask its owner to stop it and wait until it did.

        A run may be parked, or parking, or taken up by somebody at this very moment, so both are tried in turn.

        Raises:
            RunLockedError: Its owner does not react.
            RunError: It ended in another way meanwhile.
        """
        end = time.monotonic() + _CANCEL_S
        while read_state(folder).status != "cancelled":
            try:
                execution = cls.resume(job, folder, accept_changes=True)
            except RunLockedError:
                if time.monotonic() > end:
                    raise
                with disk_errors(folder.cancel_request):
                    folder.cancel_request.write_text(reason, "utf-8")
                time.sleep(_CANCEL_POLL_S)
            else:
                execution.scheduler.stop("cancelled", reason)
                return execution
        return None

    @classmethod
    def _guarded(
        cls,
        job: Job,
        folder: RunFolder,
        lock: RunLock,
        state: RunState,
        observers: tuple[Observer, ...],
        trail: AuditTrail,
        box: str,
    ) -> Execution:
        try:
            execution = cls(job, folder, RunRecorder(folder, lock, box, trail), state)
        except BaseException:
            trail.close()
            lock.release()
            raise
        for observer in observers:
            execution.bus.observe(observer)
        return execution

    @property
    def state(self) -> RunState:
        """What is known of the run so far."""
        return self.bus.state

    async def work(self) -> RunState:
        """Work until the run ends or waits for a person.

        Raises:
            RunFolderError: The record cannot be written.
        """
        watch = asyncio.ensure_future(self._watch_for_cancel())
        try:
            return await self.scheduler.run()
        finally:
            watch.cancel()
            try:
                if self.state.over:
                    await self._end_children()
                    self._write_completion()
            finally:
                self.close()

    def reply(self, node: str | None, reply: PreparedReply) -> bool:
        """Answer an open question if the run works, and say whether it does; call on the loop that works.

        On that loop, because a run must not park between the question and the answer.

        Raises:
            ReplyError, NotFoundError: It does not fit; the question stays open.
        """
        if not self.working or self.state.status != "running":
            return False
        question = questions.find(self.state.questions, node)
        self.scheduler.reply(question.node, reply)
        return True

    def close(self) -> None:
        """Give the record and the lock back; harmless when done twice."""
        self.working = False
        self.recorder.close()

    async def _watch_for_cancel(self) -> None:
        while True:
            await asyncio.sleep(_CANCEL_POLL_S)
            if self.folder.cancel_request.exists():
                self.scheduler.stop("cancelled", "it was cancelled from another process")

    async def _end_children(self) -> None:
        """Cancel nested runs that wait, or were cut off: their run will never go on with them."""
        for node, job in self.job.children.items():
            run_id = self.state.node(node).child
            if not run_id or self.state.node(node).status == "finished":
                continue
            with suppress(AwpError):  # never started, over, or damaged
                execution = Execution.resume(job, RunFolder(self.folder.nested(node, run_id)), accept_changes=True)
                execution.scheduler.stop("cancelled", f"run {self.state.run_id}, which it is a part of, ended")
                await execution.work()

    def _write_completion(self) -> None:
        chain = self.recorder.audit.chain if self.recorder.audit is not None else Chain()
        finish_folder(self.folder, self.job.workflow, self.state, chain)
        with suppress(OSError):
            self.folder.cancel_request.unlink(missing_ok=True)


def finish_folder(folder: RunFolder, workflow: Workflow, state: RunState, chain: Chain | None = None) -> None:
    """Write what a run leaves when it is over; the caller holds the run's lock.

    Without a `chain`, the audit chain is brought up to the record first.

    Raises:
        AuditError: The chain is broken.
        RunFolderError: It cannot be written.
    """
    if chain is None:
        agents = RunStore(folder.root.parent).about(folder.run_id).get("agents")
        chain = audit.finish(folder, read_record(folder).events, agents if isinstance(agents, dict) else {})
    layout = None
    with suppress(Exception):  # a picture that cannot be drawn must not cost the run its completion
        layout = layout_of(workflow)
    write_completion(folder, state, layout, chain)


class _closing_on_error:  # noqa: N801 - reads as a statement
    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._execution.close()


def _check_resumable(state: RunState, job: Job, *, accept_changes: bool) -> None:
    if state.over:
        raise RunError(f"run {state.run_id} is over: {state.status}", hint="start a new one with `awp run`")
    if state.digest != job.workflow.digest and not accept_changes:
        raise ManifestChangedError(
            f"the workflow was changed since run {state.run_id} started: its digest was {state.digest[:12]}…, "
            f"now it is {job.workflow.digest[:12]}…",
            hint="undo the change, or go on with the new text by --accept-changes",
        )


def _whence(job: Job, origin: Origin) -> dict[str, Any]:
    """The optional fields of `run.started`; most runs have none of them."""
    chat_id = "" if job.services.chat_id == OWNER else job.services.chat_id
    facts = {"chat_id": chat_id, "parent": origin.parent, "origin": origin.run, "replay": origin.replay}
    return {name: value for name, value in facts.items() if value}


def _about(job: Job, folder: RunFolder, inputs: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    meta = job.workflow.manifest.workflow if job.workflow.manifest is not None else None
    return {
        "run_id": folder.run_id,
        "workflow": job.workflow.name,
        "version": meta.version if meta is not None else "",
        "digest": job.workflow.digest,
        # A path need not be Unicode, the record must be.
        "source": writable(str(job.workflow.path.resolve())) if job.workflow.path is not None else None,
        "inputs": dict(inputs),
        "provider": job.provider,
        "agents": job.plan.agents(),
        "functions": list(job.functions),
        "autonomy": meta.autonomy if meta is not None else None,
        "chat_id": job.services.chat_id,
        "parent": origin.parent or None,
        "origin": origin.run or None,
        "replay": origin.replay,
        "versions": _versions(),
    }


@cache
def _versions() -> dict[str, str]:
    return {"awp-magics": version("awp-magics"), "python": platform.python_version()}
