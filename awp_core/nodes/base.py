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
    """

    prompt: str
    expect: Mapping[str, JSON]
    envelope: Envelope
    approver: str = ""
    timeout_s: float | None = None
    on_timeout: str | None = None


class Selecting(Protocol):
    """Read a value by selector; a missing path is None and recorded as `selector.missing`."""

    def __call__(self, selector: str) -> JSON:
        """Return the value at `selector`."""


class CallAgent(Protocol):
    """Call an agent and return its JSON object (spec 03)."""

    def __call__(self, agent: str, instructions: str, extra: Mapping[str, JSON]) -> Awaitable[Output]:
        """Call `agent`; `extra` is added to what it may see."""


@dataclass(frozen=True, slots=True)
class NodeContext:
    """Everything a running node may touch.

    Attributes:
        run_id: The run's id.
        node: The node's id.
        inputs: The workflow's inputs.
        upstream: Outputs of the direct dependencies that finished, in the order of `depends_on`.
        chat_id: The chat that started the run; what `chat_id: auto` means.
        select: Read a value by selector.
        send: Write an envelope, exactly once for this node and run, and hand it to its channel.
        run_code: Run Python in the sandbox.
        call_agent: Call an agent.
        log: Keep a text in the run's log and show it in the cell.
        place: File and line where the node's text field stands, for tracebacks: `place("source")`.
    """

    run_id: str
    node: str
    inputs: Mapping[str, JSON]
    upstream: Mapping[str, JSON]
    chat_id: str
    select: Selecting
    send: Callable[[Envelope], Awaitable[Receipt]]
    run_code: Callable[[CodeJob, SandboxPolicy], Awaitable[CodeResult]]
    call_agent: CallAgent
    log: Callable[[str], None]
    place: Callable[[str], tuple[str, int]]


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


def _no_cases(_config: Any) -> tuple[str, ...]:
    return ()


Runner = Callable[[NodeContext, Any], "Awaitable[Output | Ask] | Output"]


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type.

    Attributes:
        name: The value of `type:`.
        summary: One sentence for documentation and completion.
        config: The pydantic model of its fields.
        run: A plain function for lane INSTANT, else a coroutine function. Returns the output, or an `Ask`.
        lane: What bounds its parallelism.
        agent: The agent a config calls; None for no provider. "" means the node's own generic agent.
        selectors: The selectors a config contains (rule N5).
        fields: The output's field names; None when they cannot be known (rules N5, R13).
        cases: The case ids a route can choose (rule N4).
        timeout: Seconds one attempt may take when the node says nothing; None for no limit.
    """

    name: str
    summary: str
    config: type[NodeConfig]
    run: Runner
    lane: Lane = Lane.INSTANT
    agent: Callable[[Any], str | None] = _no_agent
    selectors: Callable[[Any], Iterable[SelectorUse]] = _no_selectors
    fields: Callable[[Any], frozenset[str] | None] = _unknown_fields
    cases: Callable[[Any], tuple[str, ...]] = _no_cases
    timeout: Callable[[Any], float | None] = field(default=lambda _config: None)


def shown(value: JSON) -> str:
    """Render a value for a person: text as it is, anything else as JSON.

    >>> shown({"a": 1})
    '{"a": 1}'
    """
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
