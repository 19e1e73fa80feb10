"""What a node type is, and the context it runs in.

A node type is one file in `builtin/` that exports `NODE`. It gets its parsed config and a `NodeContext`, nothing
else: no engine, no run folder, no global. That is what makes a type testable alone and safe to add from outside.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from awp_core.channels.base import Envelope, Receipt
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy

JSON = Any
Output = dict[str, Any]


class NodeConfig(BaseModel):
    """The base of every node type's config; unknown fields are ignored and listed by rule M4."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class Lane(StrEnum):
    """What bounds how many nodes of a type run at once (spec 02, Scheduling)."""

    INSTANT = "instant"  # plain functions: run in place, without a task
    COMPUTE = "compute"  # bounded by the cores
    PROVIDER = "provider"  # bounded by execution.max_parallel, 16 by default


@dataclass(frozen=True, slots=True)
class Ask:
    """Returned by a node that waits for a person; the engine pauses and later calls `on_reply`.

    Attributes:
        prompt: What the person reads, Markdown.
        expect: Field, type and options of the answer, as in the manifest.
        envelope: What goes out to the channel, once.
        approver: Who may answer; empty for anybody.
        timeout_s: Seconds until the question expires; None for never.
        on_timeout: The branch taken when it expires; None makes expiry a failure.
        again: Whether the node runs again with the reply (`NodeContext.reply`) instead of ending with it.
        turn: Which question of this node it is, from 0; each has an envelope of its own.
        nested: For a question of a nested run, which sent its own envelope: what tells the question from others.
    """

    prompt: str
    expect: Mapping[str, JSON]
    envelope: Envelope
    approver: str = ""
    timeout_s: float | None = None
    on_timeout: str | None = None
    again: bool = False
    turn: int = 0
    nested: str | None = None


@dataclass(frozen=True, slots=True)
class GivenReply:
    """The reply to a question of a node that runs again.

    Attributes:
        value: As the question wanted it.
        raw: As given.
        replier: Who gave it.
        nested: `Ask.nested` of the question.
    """

    value: JSON
    raw: JSON
    replier: str
    nested: str | None = None


class NodeContext(Protocol):
    """Everything a running node may touch."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def node(self) -> str:
        """The node's id."""

    @property
    def inputs(self) -> Mapping[str, JSON]:
        """The workflow's inputs."""

    @property
    def upstream(self) -> Mapping[str, JSON]:
        """Outputs of the direct dependencies that finished, in the order of `depends_on`."""

    @property
    def chat_id(self) -> str:
        """The chat that started the run; what `chat_id: auto` means."""

    @property
    def timeout(self) -> float | None:
        """Seconds this attempt may take; None for no limit."""

    @property
    def reply(self) -> GivenReply | None:
        """The reply to the node's last question, if it asked with `Ask.again`."""

    @property
    def shared(self) -> Mapping[str, JSON]:
        """What `share_input` lets through, by node or name; without it the same as `upstream`."""

    def select(self, selector: str) -> JSON:
        """Return the value at `selector`; a missing path is None and recorded as `selector.missing`."""

    async def send(self, envelope: Envelope) -> Receipt:
        """Write an envelope, exactly once for this node and run, and hand it to its channel."""

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python in the sandbox."""

    async def run_function(self, reference: str, arguments: Mapping[str, JSON]) -> JSON:
        """Call an installed function, named `module:function`, in a process of its own.

        Raises:
            CodeError: It cannot be imported, or raised.
        """

    def call_agent(self, agent: str, instructions: str, extra: Mapping[str, JSON]) -> Awaitable[Output]:
        """Call an agent and return its JSON object; `extra` is added to what it may see."""

    async def run_workflow(self, reference: str) -> Output | Ask:
        """Run another workflow as a part of this run; return its output, or the question it waits for.

        `share_input` says what it gets, `share_output` what of its state is its output.

        Raises:
            AwpError: It cannot be found or started, or it failed.
        """

    def log(self, text: str) -> None:
        """Keep a text in the run's log and show it in the cell."""

    def place(self, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a field of this node starts, for tracebacks."""


@dataclass(frozen=True, slots=True)
class SelectorUse:
    """A selector a config contains, and the path of the field it stands in (below the node)."""

    path: tuple[str | int, ...]
    selector: str


def _no_selectors(_config: Any) -> Iterable[SelectorUse]:
    return ()


def _unknown_fields(_config: Any) -> frozenset[str] | None:
    return None


def _no_agent(_config: Any) -> str | None:
    return None


def _no_channel(_config: Any) -> str | None:
    return None


def _no_cases(_config: Any) -> tuple[str, ...]:
    return ()


# A plain function returns the output itself; a coroutine function may return an `Ask` instead. A `static` node's
# output is any JSON value, hence JSON and not Output.
Runner = Callable[[NodeContext, Any], JSON]


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type.

    Attributes:
        name: The value of `type:`.
        summary: One sentence for documentation and completion.
        config: The pydantic model of its fields.
        run: Returns the output, or an awaitable of the output or an `Ask`. In lane INSTANT it must not block.
        lane: What bounds its parallelism; a config that calls an agent is in lane PROVIDER all the same.
        channel: The channel a config sends to; None if it sends nothing.
        agent: The agent a config calls; None for no provider. "" means the node's own generic agent.
        selectors: The selectors a config contains (rule N5).
        fields: The output's field names; None when they cannot be known (rules N5, R13).
        cases: The case ids a route can choose (rule N4).
        calls_often: Whether one attempt calls its agent several times; `timeout_per_agent` is then of one call.
        timeout: Seconds one attempt may take when the node says nothing; None for no limit.
    """

    name: str
    summary: str
    config: type[NodeConfig]
    run: Runner
    lane: Lane = Lane.INSTANT
    agent: Callable[[Any], str | None] = _no_agent
    channel: Callable[[Any], str | None] = _no_channel
    selectors: Callable[[Any], Iterable[SelectorUse]] = _no_selectors
    fields: Callable[[Any], frozenset[str] | None] = _unknown_fields
    cases: Callable[[Any], tuple[str, ...]] = _no_cases
    calls_often: bool = False
    timeout: Callable[[Any], float | None] = field(default=lambda _config: None)


def shown(value: JSON) -> str:
    """Render a value for a person: text as it is, anything else as JSON.

    >>> shown({"a": 1})
    '{"a": 1}'
    """
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
