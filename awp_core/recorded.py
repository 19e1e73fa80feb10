"""What a run was told from outside, read from its record, and services that tell it again (spec 08, Replay)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from awp_core.channels.base import Envelope, Receipt
from awp_core.engine.plan import Plan
from awp_core.engine.ports import AgentCall, NestedCall, NestedOutcome
from awp_core.engine.questions import OWNER, PreparedReply
from awp_core.errors import NodeError
from awp_core.execution import Job, Origin
from awp_core.manifest.load import Workflow
from awp_core.nested import run_nested
from awp_core.runs.layout import RunFolder
from awp_core.runs.reader import read_record
from awp_core.services import AppServices, secrets_of, sensitive_fields

if TYPE_CHECKING:
    from awp_core.app import App

JSON = Any
PROVIDER = "replay"


class Answer(NamedTuple):
    """What an agent answered, and which model it was."""

    output: dict[str, JSON]
    model: str


@dataclass(slots=True)
class Recorded:
    """What a run was told, in the order it was told.

    Attributes:
        folder: The run.
        answers: Of agents, by node and request.
        errors: Of nodes that failed.
        replies: Of people, by node.
        receipts: Of channels, by channel, chat and text of the envelope.
        nested: Ids of nested runs, by node.
        called, waiting, sent: While it is read: requests without an answer yet, open questions, envelopes, by node.
    """

    folder: RunFolder
    answers: dict[tuple[str, str], deque[Answer]] = field(default_factory=lambda: defaultdict(deque))
    errors: dict[str, str] = field(default_factory=dict)
    replies: dict[str, list[PreparedReply]] = field(default_factory=lambda: defaultdict(list))
    receipts: dict[tuple[str, str, str], Receipt] = field(default_factory=dict)
    nested: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))
    called: dict[str, tuple[str, str]] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    sent: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: RunFolder) -> Recorded:
        """Read a run's record.

        Raises:
            RunFolderError: It is damaged.
        """
        recorded = cls(folder)
        for event in read_record(folder).events:
            reader = _READERS.get(event.type)
            if reader is not None:
                reader(recorded, event.node or "", event.data)
        return recorded


def _provider_called(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    request = str(data.get("request"))
    if "output" in data:
        recorded.answers[node, request].append(Answer(data["output"], data["model"]))
    else:  # its answer is what the node finishes with
        recorded.called[node] = (request, data["model"])


def _node_finished(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    if node in recorded.called:
        request, model = recorded.called.pop(node)
        recorded.answers[node, request].append(Answer(data["output"], model))
    if node in recorded.sent and isinstance(data["output"], dict):
        output = data["output"]
        delivered = output.get("sent", output.get("delivered", True)) is True
        recorded.receipts[recorded.sent[node]] = Receipt(delivered, str(output.get("reason", "")))
    if data.get("expired"):
        recorded.replies[node].append(PreparedReply(None, expired=True))
    recorded.waiting.discard(node)


def _node_failed(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    recorded.errors[node] = data["error"]
    if node in recorded.waiting:  # nobody answered in time
        recorded.replies[node].append(PreparedReply(None, expired=True))


def _node_skipped(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    if data["cause"] == "on_failure":
        _node_failed(recorded, node, data)


def _human_asked(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    if "nested" not in data:
        recorded.waiting.add(node)


def _human_replied(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    if node in recorded.waiting:  # a question of a nested run is answered in there
        replier = None if data["replier"] == OWNER else data["replier"]
        recorded.replies[node].append(PreparedReply(data["raw"], replier))
    recorded.waiting.discard(node)


def _envelope_written(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    recorded.sent[node] = (data["channel"], data["chat_id"], data["text"])


def _node_nested(recorded: Recorded, node: str, data: Mapping[str, Any]) -> None:
    recorded.nested[node].append(data["run_id"])


_READERS = {
    "provider.called": _provider_called,
    "node.finished": _node_finished,
    "node.failed": _node_failed,
    "node.skipped": _node_skipped,
    "human.asked": _human_asked,
    "human.replied": _human_replied,
    "node.nested": _node_nested,
    "envelope.written": _envelope_written,
}


class ReplayServices(AppServices):
    """Services that answer from a record: no provider, no channel. Code runs for real."""

    def __init__(self, app: App, workflow: Workflow, plan: Plan, chat_id: str, recorded: Recorded) -> None:
        super().__init__(app, workflow, plan, None, chat_id, {})
        self._recorded = recorded

    @property
    def provider_name(self) -> str:
        """Always `replay`."""
        return PROVIDER

    def _aim(self, plan: Plan, explicit: str | None) -> None:
        """Nothing is called, so nothing has to be there."""

    async def call_agent(self, call: AgentCall) -> dict[str, Any]:
        """Give the recorded answer to the same request.

        Raises:
            NodeError: The recorded node failed too, or it never asked this.
        """
        answers = self._recorded.answers.get((call.node, call.request))
        if not answers:
            raise self._unrecorded(call.node, f"asked {call.agent or 'its agent'!r} what the recorded run never asked")
        answer = answers.popleft()
        facts: dict[str, Any] = {
            "provider": PROVIDER, "model": answer.model, "agent": call.agent or call.node, "prompt_tokens": 0,
            "completion_tokens": 0, "duration_s": 0.0, "request": call.request,
        }  # fmt: skip
        call.emit("provider.called", facts | ({"output": answer.output} if call.keep_answer else {}))
        return answer.output

    async def run_workflow(self, call: NestedCall) -> NestedOutcome:
        """Replay the nested run that the recorded one had here.

        Raises:
            NodeError: It had none.
        """
        run_ids = self._recorded.nested.get(call.node)
        folder = RunFolder(self._recorded.folder.nested(call.node, run_ids.popleft())) if run_ids else None
        if folder is None or not folder.events.exists():
            raise self._unrecorded(call.node, "runs a workflow that the recorded run never ran")
        recorded = Recorded.of(folder)
        workflow = self._app.library.of_run(folder, as_run=True)
        job = replay_job(self._app, workflow, recorded, self._chat_id)
        try:
            return await run_nested(job, call, Origin(replay=True))
        finally:
            await job.services.aclose()  # it is made for this one call, so nobody else closes its sandbox

    def confirms(self, channel: str) -> bool:
        """Nothing is sent, so there is nothing to confirm."""
        del channel
        return False

    async def deliver(self, envelope: Envelope, run_id: str, node: str, key: str) -> Receipt:
        """Send nothing; give the recorded receipt."""
        del run_id, node, key
        sent = (envelope.channel, envelope.chat_id, envelope.text)
        return self._recorded.receipts.get(sent, Receipt(True))

    def _unrecorded(self, node: str, what: str) -> NodeError:
        error = self._recorded.errors.get(node)
        if error is not None:
            return NodeError(node, error)
        run_id = self._recorded.folder.run_id
        return NodeError(node, f"it {what} ({run_id})", hint="something above it gives another result than it did then")


def replay_job(app: App, workflow: Workflow, recorded: Recorded, chat_id: str) -> Job:
    """Equip a recorded workflow with the answers of its record.

    Raises:
        ManifestError: It is not valid here.
    """
    plan = app.plan(workflow)
    return Job(
        workflow,
        plan,
        ReplayServices(app, workflow, plan, chat_id, recorded),
        PROVIDER,
        secrets=secrets_of(workflow, plan, app.channels, app.environ),
        sensitive_fields=sensitive_fields(workflow),
        replies=recorded.replies,
    )
