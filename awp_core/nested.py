"""Runs inside of runs: what a `subworkflow` node runs, and how it gets on (spec 02, Loops, fan-out, subworkflows).

A nested run has a folder, a record and a lock of its own below its parent's. Its questions are the parent's questions,
one at a time; so one reply, one resume and one cancel do for the whole tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from awp_core import preflight
from awp_core.channels.base import Envelope
from awp_core.engine.ports import NestedCall, NestedOutcome
from awp_core.engine.questions import PreparedReply, seconds_left
from awp_core.errors import ManifestChangedError
from awp_core.events.fold import Question, RunState
from awp_core.events.model import Event
from awp_core.execution import NEW, Execution, Job, Origin, finish_folder
from awp_core.expressions.selectors import Selector, select
from awp_core.manifest.inputs import resolve_inputs
from awp_core.manifest.load import Workflow
from awp_core.nodes.base import Ask
from awp_core.runs.layout import RunFolder
from awp_core.runs.lock import RunLock
from awp_core.runs.reader import RunStore, read_state
from awp_core.runs.recorder import discard_run_folder

if TYPE_CHECKING:
    from awp_core.app import App

JSON = Any
TYPE = "subworkflow"


def check_resumable(app: App, job: Job, folder: RunFolder, state: RunState, *, accept_changes: bool) -> None:
    """Refuse to go on with a run that has a part which cannot go on, before anything is changed.

    Raises:
        ManifestChangedError: The workflow of a nested run is another one now, and `accept_changes` is false.
        EngineUnavailableError: It calls a Python function that this session lacks.
    """
    for node, child in job.children.items():
        nested = _recorded(folder, node, state)
        if nested is None:
            continue
        inner = read_state(nested)
        if inner.over:
            continue
        if inner.digest != child.workflow.digest and not accept_changes:
            raise ManifestChangedError(
                f"{child.workflow.name}, which {node!r} runs, was changed since run {state.run_id} started",
                hint="undo the change, or go on with the new text by --accept-changes",
            )
        about = RunStore(nested.root.parent).about(nested.run_id)
        preflight.check_functions(about, inner.provider, child.plan.agents().values(), app.functions)
        check_resumable(app, child, nested, inner, accept_changes=accept_changes)


def _recorded(folder: RunFolder, node: str, state: RunState) -> RunFolder | None:
    run_id = state.node(node).child
    nested = RunFolder(folder.nested(node, run_id)) if run_id else None
    return nested if nested is not None and nested.events.exists() else None


async def run_nested(job: Job, call: NestedCall, origin: Origin = NEW) -> NestedOutcome:
    """Start a nested run, or go on with one that waited or was cut off, until it ends or asks.

    Raises:
        AwpError: It cannot be started.
    """
    folder = RunFolder(call.folder)

    def show(event: Event) -> None:
        if event.type == "node.log":
            call.log(event.data["text"])

    if not folder.events.exists():
        discard_run_folder(folder)  # cut off before its first event
        given = call.inputs if call.exact else _named(job.workflow, call)
        values, warnings = resolve_inputs(job.workflow, given)
        execution = Execution.start(job, folder, values, (show,), warnings, replace(origin, parent=call.parent))
        return _outcome(await execution.work(), call)
    state = read_state(folder)
    if state.over:
        if not folder.completion.exists():
            with RunLock(folder.lock):
                finish_folder(folder, job.workflow, state)
        return _outcome(state, call)
    job = replace(job, replies={**job.replies, **_replies(state, call)})
    execution = Execution.resume(job, folder, accept_changes=True, observers=(show,))
    return _outcome(await execution.work(), call)


def _named(workflow: Workflow, call: NestedCall) -> Mapping[str, JSON]:
    """Without `share_input`, a workflow gets what it declares, by name."""
    declared = workflow.manifest.inputs if workflow.manifest is not None else {}
    return {name: value for name, value in call.inputs.items() if name in declared}


def _replies(state: RunState, call: NestedCall) -> dict[str, list[PreparedReply]]:
    reply = call.reply
    asked = [question.node for question in state.questions.values() if reply and _key(question) == reply.nested]
    return {node: [PreparedReply(reply.raw, reply.replier)] for node in asked if reply is not None}


def _key(question: Question) -> str:
    """What tells a question from every other of its run, also from an earlier one of the same node."""
    return f"{question.node}#{question.asked}"


def _outcome(state: RunState, call: NestedCall) -> NestedOutcome:
    if state.questions:
        return NestedOutcome(question=_asked(next(iter(state.questions.values()))))
    if state.status not in {"complete", "partial"}:
        return NestedOutcome(failure=f"run {state.run_id} of {state.workflow} {state.status}: {state.reason}")
    return NestedOutcome(output=_shared(state, call), tokens=state.tokens)


def _asked(question: Question) -> Ask:
    timeout = None if question.deadline is None else max(0.0, seconds_left(question.deadline))
    envelope = Envelope(question.channel, "question", question.chat_id, question.prompt, expect=question.expect)
    return Ask(
        question.prompt,
        question.expect,
        envelope,
        approver=question.approver,
        timeout_s=timeout,
        again=True,
        nested=_key(question),
    )


def _shared(state: RunState, call: NestedCall) -> dict[str, JSON]:
    """What `share_output` lets out: fields of the result, or what a selector gives; without it the whole result."""
    result = state.result
    if not call.share_output:
        return result if isinstance(result, dict) else {"result": result}
    outputs = {name: node.output for name, node in state.nodes.items() if node.counts}
    shared: dict[str, JSON] = {}
    for name in call.share_output:
        if isinstance(result, dict) and name in result:
            shared[name] = result[name]
            continue
        found = select(Selector.parse(name), {}, {"result": result, **outputs}, {})
        if not found.found:
            call.log(f"share_output: {state.workflow} has no {name!r}\n")
        shared[name.rpartition(".")[2]] = found.value
    return shared
