"""What the engine needs from outside, as protocols; `runs` and `app` provide them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from awp_core.channels.base import Envelope, Receipt
from awp_core.nodes.base import Ask, GivenReply
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.values import digest, dump_json

JSON = Any


class RunStorage(Protocol):
    """Durable things that are not events."""

    def flush(self) -> None:
        """Hand held events to the operating system."""

    def keep(self, node: str, file: str, text: str) -> None:
        """Write a text file of a node."""

    def envelope_file(self, node: str, turn: int = 0) -> str:
        """Return where the node's envelope of a turn is kept, from the run folder."""

    def has_envelope(self, node: str) -> bool:
        """Whether the node's envelope was written, in this process or an earlier one."""

    def write_envelope(self, node: str, envelope: Envelope, turn: int = 0) -> bool:
        """Write the node's one envelope of a turn durably; False if it was there."""

    def envelope_key(self, node: str, turn: int = 0) -> str:
        """Return what tells the node's envelope of a turn from every other, of any run."""

    def delivered(self, node: str, turn: int = 0) -> bool:
        """Whether the envelope of a turn has a receipt."""

    def write_receipt(self, node: str, turn: int = 0) -> None:
        """Write durably that the envelope of a turn was delivered."""

    def nested(self, node: str, run_id: str) -> Path:
        """Return the folder of a nested run."""

    def write_checkpoint(self, body: dict[str, Any]) -> None:
        """Write the open questions durably."""

    def remove_checkpoint(self) -> None:
        """Forget the open questions."""


@dataclass(frozen=True, slots=True)
class AgentCall:
    """One call of an agent by a node.

    Attributes:
        node: The node that calls.
        agent: The agent's name; "" for the node's own generic agent.
        instructions: The node's instructions.
        inputs: The workflow's inputs.
        visible: What the agent may see: outputs by node, plus what the node adds.
        keep_answer: Whether the record must hold the answer, because the node's output is not the answer.
        emit: Record a fact about the call, such as `provider.called`.
        log: Keep text the agent printed.
    """

    node: str
    agent: str
    instructions: str
    inputs: Mapping[str, JSON]
    visible: Mapping[str, JSON]
    keep_answer: bool
    emit: Callable[[str, Mapping[str, Any]], None]
    log: Callable[[str], None]

    @property
    def request(self) -> str:
        """What is asked, as a digest: by it a replay finds the answer. All of it is redacted already."""
        asked = [self.agent, self.instructions, dict(self.inputs), dict(self.visible)]
        return digest(dump_json(asked))[:32]


@dataclass(frozen=True, slots=True)
class NestedCall:
    """A run inside of a run.

    Attributes:
        node: The node that calls.
        reference: Path or name of the workflow, as written.
        inputs: What the nested run may get.
        exact: Whether it gets all of it, as `share_input` says; else only the inputs it declares, by name.
        share_output: What of its state comes out; empty for its result.
        parent: Id of the run it is a part of.
        folder: Where it is, or will be, recorded.
        reply: The reply to its question, if it waits for one.
        log: Keep text its nodes printed.
    """

    node: str
    reference: str
    inputs: Mapping[str, JSON]
    exact: bool
    share_output: tuple[str, ...]
    parent: str
    folder: Path
    reply: GivenReply | None
    log: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class NestedOutcome:
    """How far a nested run got: an output, or a question, or why it has neither."""

    output: dict[str, JSON] | None = None
    question: Ask | None = None
    failure: str = ""
    tokens: int = 0


class Services(Protocol):
    """What nodes may ask for."""

    @property
    def env(self) -> Mapping[str, str]:
        """Declared environment variables that are not sensitive."""

    @property
    def chat_id(self) -> str:
        """The chat that started the run."""

    def run_code(self, job: CodeJob, policy: SandboxPolicy) -> Awaitable[CodeResult]:
        """Run Python in the sandbox."""

    def run_function(
        self, reference: str, arguments: Mapping[str, JSON], log: Callable[[str], None]
    ) -> Awaitable[JSON]:
        """Call an installed function in a process of its own; `log` gets what it prints."""

    def call_agent(self, request: AgentCall) -> Awaitable[dict[str, JSON]]:
        """Call an agent."""

    def new_run_id(self) -> str:
        """Return an id for a nested run."""

    def run_workflow(self, call: NestedCall) -> Awaitable[NestedOutcome]:
        """Start a nested run, or go on with it, until it ends or waits."""

    def confirms(self, channel: str) -> bool:
        """Whether a channel confirms what it delivered, and knows an envelope again by its key."""

    def deliver(self, envelope: Envelope, run_id: str, node: str, key: str) -> Awaitable[Receipt]:
        """Hand an envelope of a node, already on disk, to its channel; `key` is the same at every attempt."""

    def place(self, node: str, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a node's field starts."""

    async def aclose(self) -> None:
        """Give back what the services hold."""
