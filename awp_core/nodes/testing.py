"""A context to test a node type with, without an engine: it keeps what the node sends, logs and misses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from awp_core.channels.base import Envelope, Receipt
from awp_core.errors import AwpError, NotFoundError
from awp_core.executors.local import call_function
from awp_core.expressions.selectors import Selector, select
from awp_core.nodes.base import JSON, Ask, GivenReply, NodeType, Output
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy

CodeRunner = Callable[[CodeJob, SandboxPolicy], Awaitable[CodeResult]]


class RecordingContext:
    """A `NodeContext` made of plain values.

    Args:
        inputs: The workflow's inputs.
        outputs: Outputs of nodes that finished, by id.
        upstream: Which of them the node depends on; all of them by default.
        agents: What each agent answers, by name; an object, or a function of the instructions and what it sees.
        run_code: What runs Python, such as `Sandbox().run`; without it, code is an error.
        receipt: What became of every envelope.
        reply: The reply to the node's last question.
        shared: What `share_input` lets through; `upstream` by default.
        workflows: What each workflow gives, by reference.

    Attributes:
        sent: Envelopes, in order.
        logged: Texts the node logged.
        missed: Selectors that found nothing.
        asked: Instructions and visible values of every call of an agent.
    """

    run_id = "test-run"

    def __init__(
        self,
        inputs: Mapping[str, JSON] | None = None,
        outputs: Mapping[str, JSON] | None = None,
        *,
        upstream: Iterable[str] | None = None,
        node: str = "node",
        chat_id: str = "owner",
        timeout: float | None = None,
        agents: Mapping[str, Output | Callable[[str, Mapping[str, JSON]], Output]] | None = None,
        run_code: CodeRunner | None = None,
        receipt: Receipt | None = None,
        reply: GivenReply | None = None,
        shared: Mapping[str, JSON] | None = None,
        workflows: Mapping[str, Output | Ask] | None = None,
    ) -> None:
        self.inputs: Mapping[str, JSON] = inputs or {}
        self.outputs: Mapping[str, JSON] = outputs or {}
        names = self.outputs if upstream is None else upstream
        self.upstream: Mapping[str, JSON] = {name: self.outputs[name] for name in names if name in self.outputs}
        self.node = node
        self.chat_id = chat_id
        self.timeout = timeout
        self.reply = reply
        self.shared: Mapping[str, JSON] = self.upstream if shared is None else shared
        self.sent: list[Envelope] = []
        self.logged: list[str] = []
        self.missed: list[str] = []
        self.asked: list[tuple[str, dict[str, JSON]]] = []
        self._agents = agents or {}
        self._workflows = workflows or {}
        self._run_code = run_code
        self._receipt = receipt or Receipt(True)

    def select(self, selector: str) -> JSON:
        """Return the value at `selector`; a missing path is None and kept in `missed`."""
        found = select(Selector.parse(selector), self.inputs, self.outputs, {})
        if not found.found:
            self.missed.append(selector)
        return found.value

    async def send(self, envelope: Envelope) -> Receipt:
        """Keep an envelope."""
        self.sent.append(envelope)
        return self._receipt

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python by what the constructor got.

        Raises:
            AwpError: It got nothing.
        """
        if self._run_code is None:
            raise AwpError("this context runs no code", hint="give it run_code=Sandbox().run")
        return await self._run_code(job, policy)

    async def run_function(self, reference: str, arguments: Mapping[str, JSON]) -> JSON:
        """Call an installed function, as the engine does but from the working directory."""
        return (await call_function(reference, arguments, Path.cwd())).value

    async def call_agent(self, agent: str, instructions: str, extra: Mapping[str, JSON]) -> Output:
        """Answer for an agent.

        Raises:
            NotFoundError: The constructor got no answer for it.
        """
        if agent not in self._agents:
            raise NotFoundError.for_name("agent", agent, self._agents)
        visible = {**self.upstream, **extra}
        self.asked.append((instructions, visible))
        answer = self._agents[agent]
        return answer(instructions, visible) if callable(answer) else dict(answer)

    async def run_workflow(self, reference: str) -> Output | Ask:
        """Answer for another workflow.

        Raises:
            NotFoundError: The constructor got no answer for it.
        """
        if reference not in self._workflows:
            raise NotFoundError.for_name("workflow", reference, self._workflows)
        return self._workflows[reference]

    def log(self, text: str) -> None:
        """Keep a text."""
        self.logged.append(text)

    def place(self, field: str) -> tuple[str, int]:
        """Return a made-up file for the field, and line 1."""
        return f"<{self.node}.{field}>", 1


async def run_node(kind: NodeType, config: Mapping[str, Any], context: RecordingContext) -> Any:
    """Parse a config as the engine does, run the node once, and return its output or its `Ask`.

    Raises:
        pydantic.ValidationError: The type refuses the config.
    """
    result = kind.run(context, kind.config.model_validate(dict(config)))
    return await result if isinstance(result, Awaitable) else result
