"""What a running node gets to touch, bound to one node of one run (`awp_core.nodes.base.NodeContext`)."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from awp_core.channels.base import Envelope, Receipt
from awp_core.engine.ports import AgentCall
from awp_core.expressions.selectors import Selector, select
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy

if TYPE_CHECKING:
    from awp_core.engine.plan import PlannedNode
    from awp_core.engine.scheduler import Scheduler

JSON = Any


class EngineContext:
    """The `NodeContext` of the engine. It looks things up when asked, because most nodes ask for little."""

    __slots__ = ("_node", "_scheduler")

    def __init__(self, scheduler: Scheduler, node: PlannedNode) -> None:
        self._scheduler = scheduler
        self._node = node

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._scheduler.state.run_id

    @property
    def node(self) -> str:
        """The node's id."""
        return self._node.id

    @property
    def inputs(self) -> Mapping[str, JSON]:
        """The workflow's inputs."""
        return self._scheduler.state.inputs

    @property
    def upstream(self) -> Mapping[str, JSON]:
        """Outputs of the direct dependencies that finished, in the order of `depends_on`."""
        outputs = self._scheduler.outputs
        return {name: outputs[name] for name in self._node.dependencies if name in outputs}

    @property
    def chat_id(self) -> str:
        """The chat that started the run."""
        return self._scheduler.services.chat_id

    @property
    def timeout(self) -> float | None:
        """Seconds this attempt may take; None for no limit."""
        return self._node.timeout

    def select(self, selector: str) -> JSON:
        """Return the value at `selector`; a missing path is None and recorded."""
        scheduler = self._scheduler
        found = select(Selector.parse(selector), scheduler.state.inputs, scheduler.outputs, scheduler.services.env)
        if not found.found:
            scheduler.bus.emit("selector.missing", self._node.id, {"selector": selector, "nearest": found.nearest})
        return found.value

    async def send(self, envelope: Envelope) -> Receipt:
        """Write the node's envelope once and hand it to its channel."""
        scheduler = self._scheduler
        node = self._node.id
        expect = scheduler.bus.redacted(dict(envelope.expect)) if envelope.expect is not None else None
        envelope = replace(envelope, text=scheduler.bus.redacted(envelope.text), expect=expect)
        fresh = scheduler.storage.write_envelope(node, envelope)
        if fresh or not scheduler.was_announced(node):
            scheduler.bus.emit("envelope.written", node, {
                "channel": envelope.channel, "kind": envelope.kind, "chat_id": envelope.chat_id,
                "text": envelope.text, "file": f"outbox/{node}.json",
            })  # fmt: skip
        return await scheduler.services.deliver(envelope) if fresh else Receipt(True, "it was sent before")

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python in the sandbox."""
        result = await self._scheduler.services.run_code(job, policy)
        self._scheduler.backends[self._node.id] = result.backend
        return result

    def call_agent(self, agent: str, instructions: str, extra: Mapping[str, JSON]) -> Awaitable[dict[str, JSON]]:
        """Call an agent with what this node may see."""
        scheduler, node = self._scheduler, self._node.id

        def emit(kind: str, data: Mapping[str, Any]) -> None:
            scheduler.bus.emit(kind, node, data)

        visible = {**self.upstream, **extra}
        return scheduler.services.call_agent(AgentCall(node, agent, instructions, self.inputs, visible, emit, self.log))

    def log(self, text: str) -> None:
        """Keep a text in the run's log and show it."""
        if text:
            self._scheduler.bus.log(self._node.id, text)

    def place(self, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a field of this node starts."""
        return self._scheduler.services.place(self._node.id, field)
