"""The state of a run as a fold over its events; the engine, resume, widgets and the reader all use this one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from awp_core.events.model import Event

NodeStatus = Literal["pending", "running", "waiting", "finished", "failed", "skipped", "cancelled"]
RunStatus = Literal["running", "paused", "complete", "partial", "failed", "cancelled"]
OVER = frozenset({"complete", "partial", "failed", "cancelled"})


@dataclass(slots=True)
class NodeState:
    """What is known of one node.

    Attributes:
        status: Where it stands.
        output: Its output once finished.
        case: For a route the case it chose, for an expired question its `on_timeout` branch.
        expired: Whether it is a question nobody answered in time.
        reply: The accepted answer to a question: its value, as given, and who gave it.
        nested: For a reply to a question of a nested run, which question that was.
        iterations: How often a loop ran; `output` is then that of the last time.
        history: What a loop asked a person, and the replies.
        child: Id of the nested run of the attempt.
        counts: Whether dependents may treat it as finished: true for `finished` and for `on_failure: skip`.
        tainted: Whether it was skipped because something above it failed.
        error, hint, detail: Message, advice and the user's own code lines, when it failed.
        reason: Why it was skipped.
        attempts: How often it was started.
        started, ended: Seconds of the run's own clock (`Event.t`).
        order: Sequence number of the event that ended it; 0 while it has not.
    """

    status: NodeStatus = "pending"
    output: Any = None
    case: str | None = None
    expired: bool = False
    reply: tuple[Any, Any, str] | None = None
    nested: str | None = None
    iterations: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    child: str = ""
    counts: bool = False
    tainted: bool = False
    error: str = ""
    hint: str = ""
    detail: str = ""
    reason: str = ""
    attempts: int = 0
    started: float | None = None
    ended: float | None = None
    order: int = 0

    @property
    def duration(self) -> float | None:
        """Seconds from start to end, or None."""
        return None if self.started is None or self.ended is None else max(0.0, self.ended - self.started)


@dataclass(frozen=True, slots=True)
class Question:
    """An open question; `again` and `nested` as in `Ask`."""

    node: str
    prompt: str
    expect: dict[str, Any]
    channel: str
    chat_id: str
    approver: str
    asked: str
    deadline: str | None = None
    on_timeout: str | None = None
    again: bool = False
    nested: str | None = None


@dataclass(slots=True)
class RunState:
    """What is known of a run. `apply` is the only thing that changes it.

    Attributes:
        chat_id: The chat that started it.
        origin: For a replay or a fork, the run it repeats.
        replay: Whether it is answered from the record of `origin`.
        active_s: Seconds it worked, not counting pauses.
        seq, t: Number and clock of the last event.
    """

    run_id: str = ""
    workflow: str = ""
    digest: str = ""
    provider: str = ""
    chat_id: str = "owner"
    origin: str = ""
    replay: bool = False
    status: RunStatus = "running"
    inputs: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, NodeState] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    result: Any = None
    reason: str = ""
    failures: list[dict[str, str]] = field(default_factory=list)
    started: str = ""
    ended: str = ""
    active_s: float = 0.0
    tokens: int = 0
    seq: int = 0
    t: float = 0.0

    def node(self, node_id: str) -> NodeState:
        """Return the state of a node, which is `pending` if nothing happened to it yet."""
        state = self.nodes.get(node_id)
        if state is None:
            state = self.nodes[node_id] = NodeState()
        return state

    @property
    def over(self) -> bool:
        """Whether nothing will ever happen to this run again."""
        return self.status in OVER

    @property
    def caveat(self) -> str:
        """What a reader of the results must know: that no model gave them (spec 02, Node types)."""
        return "stub: canned answers, no model" if "stub" in self.provider.split(", ") else ""

    def counts(self) -> dict[str, int]:
        """Return how many nodes have each status."""
        totals: dict[str, int] = {}
        for node in self.nodes.values():
            totals[node.status] = totals.get(node.status, 0) + 1
        return totals


def fold(events: Iterable[Event]) -> RunState:
    """Return the state after `events`."""
    state = RunState()
    for event in events:
        apply(state, event)
    return state


def apply(state: RunState, event: Event) -> None:
    """Change `state` by one event. An unknown type, from a newer version, changes nothing but `seq`."""
    if event.seq:
        state.seq, state.t = event.seq, event.t
    handler = _HANDLERS.get(event.type)
    if handler is not None:
        handler(state, event)


def _run_started(state: RunState, event: Event) -> None:
    data = event.data
    state.workflow, state.digest, state.provider = data["workflow"], data["digest"], data["provider"]
    state.inputs, state.started, state.status = data["inputs"], event.ts, "running"
    state.chat_id = data.get("chat_id", state.chat_id)
    state.origin, state.replay = data.get("origin", ""), data.get("replay", False)
    state.nodes = {node_id: NodeState() for node_id in data["nodes"]}


def _run_paused(state: RunState, event: Event) -> None:
    state.status, state.active_s = "paused", event.data["active_s"]


def _run_resumed(state: RunState, event: Event) -> None:
    state.status, state.active_s = "running", event.data["active_s"]
    state.digest = event.data.get("accepted_digest", state.digest)
    for node in state.nodes.values():
        if node.status == "running":  # it was cut off: it starts again
            node.status, node.started = "pending", None


def _run_finished(state: RunState, event: Event) -> None:
    data = event.data
    state.status, state.reason, state.result = data["status"], data["reason"], data["result"]
    state.failures, state.active_s, state.ended = list(data["failures"]), data["active_s"], event.ts
    state.questions.clear()
    for node in state.nodes.values():
        if node.status in {"running", "waiting"}:
            node.status = "cancelled"


def _node_started(state: RunState, event: Event) -> None:
    node = state.node(event.node or "")
    attempt = event.data.get("attempt", 1)
    node.status, node.started = "running", event.t
    if attempt > node.attempts > 0:  # a new try has a nested run of its own
        node.child = ""
    node.attempts = attempt
    state.questions.pop(event.node or "", None)  # nobody answered in time, and the node looks what to do


def _end(state: RunState, event: Event) -> NodeState:
    node = state.node(event.node or "")
    node.ended, node.order = event.t, event.seq
    state.questions.pop(event.node or "", None)
    return node


def _node_finished(state: RunState, event: Event) -> None:
    node = _end(state, event)
    node.status, node.counts, node.output = "finished", True, event.data["output"]
    node.case, node.expired = event.data.get("case"), event.data.get("expired", False)
    state.tokens += event.data.get("tokens", 0)


def _node_failed(state: RunState, event: Event) -> None:
    node = _end(state, event)
    data = event.data
    node.status, node.error = "failed", data["error"]
    node.hint, node.detail = data.get("hint", ""), data.get("detail", "")
    if data["contained"]:
        state.failures.append({"node": event.node or "", "error": data["error"]})


def _node_skipped(state: RunState, event: Event) -> None:
    node = _end(state, event)
    node.status, node.reason = "skipped", event.data["reason"]
    node.tainted = event.data["cause"] == "failure"
    if event.data["cause"] == "on_failure":
        node.counts, node.output, node.error = True, {}, event.data.get("error", "")
        state.failures.append({"node": event.node or "", "error": node.error})


def _human_asked(state: RunState, event: Event) -> None:
    data, node_id = event.data, event.node or ""
    state.node(node_id).status = "waiting"
    state.questions[node_id] = Question(
        node_id, data["prompt"], dict(data["expect"]), data["channel"], data["chat_id"], data["approver"], event.ts,
        data.get("deadline"), data.get("on_timeout"), data.get("again", False), data.get("nested"),
    )  # fmt: skip


def _human_replied(state: RunState, event: Event) -> None:
    node = state.node(event.node or "")
    node.reply = (event.data["value"], event.data["raw"], event.data["replier"])
    question = state.questions.get(event.node or "")
    if question is not None and question.again:
        node.status, node.nested = "pending", question.nested
        del state.questions[question.node]


def _loop_iterated(state: RunState, event: Event) -> None:
    node = state.node(event.node or "")
    if node.reply is not None and node.nested is None:
        node.history.append({"asked": node.output, "reply": node.reply[0]})
    node.iterations, node.output = event.data["iteration"], event.data["output"]
    node.reply, node.child = None, ""


def _node_nested(state: RunState, event: Event) -> None:
    state.node(event.node or "").child = event.data["run_id"]


def _provider_called(state: RunState, event: Event) -> None:
    state.tokens += event.data["prompt_tokens"] + event.data["completion_tokens"]


_HANDLERS = {
    "run.started": _run_started,
    "run.paused": _run_paused,
    "run.resumed": _run_resumed,
    "run.finished": _run_finished,
    "node.started": _node_started,
    "node.finished": _node_finished,
    "node.failed": _node_failed,
    "node.skipped": _node_skipped,
    "human.asked": _human_asked,
    "human.replied": _human_replied,
    "loop.iterated": _loop_iterated,
    "node.nested": _node_nested,
    "provider.called": _provider_called,
}
