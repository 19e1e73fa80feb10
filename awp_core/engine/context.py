"""What a running node gets to touch, bound to one node of one run (`awp_core.nodes.base.NodeContext`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from awp_core.channels.base import Envelope, Receipt
from awp_core.engine.ports import AgentCall, NestedCall
from awp_core.errors import AwpError, NodeError
from awp_core.expressions.selectors import Selector, select
from awp_core.nodes.base import Ask, GivenReply
from awp_core.nodes.sharing import shared_inputs, shared_values
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy

if TYPE_CHECKING:
    from awp_core.engine.plan import PlannedNode
    from awp_core.engine.scheduler import Scheduler

JSON = Any
_NOTHING: Mapping[str, JSON] = {}


class EngineContext:
    """The `NodeContext` of the engine. It looks things up when asked, because most nodes ask for little."""

    __slots__ = ("_node", "_own", "_scheduler")

    def __init__(self, scheduler: Scheduler, node: PlannedNode, own: Mapping[str, JSON] = _NOTHING) -> None:
        self._scheduler = scheduler
        self._node = node
        self._own = own  # values that only this node sees: the item of a copy, the last output of a loop

    def with_values(self, values: Mapping[str, JSON]) -> EngineContext:
        """Return a context of the same node that sees more."""
        return EngineContext(self._scheduler, self._node, {**self._own, **values})

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

    @property
    def reply(self) -> GivenReply | None:
        """The reply to the node's last question, if it asked with `Ask.again`."""
        state = self._scheduler.state.nodes[self._node.id]
        return None if state.reply is None else GivenReply(*state.reply, nested=state.nested)

    @property
    def shared(self) -> Mapping[str, JSON]:
        """What `share_input` lets through; without it the same as `upstream`."""
        share = self._node.node.share_input
        return self.upstream if share is None else shared_values(share, self.select)

    def select(self, selector: str) -> JSON:
        """Return the value at `selector`; a missing path is None and recorded."""
        scheduler = self._scheduler
        parsed = Selector.parse(selector)
        if parsed.parts[0] in self._own:
            return select(parsed, _NOTHING, self._own, {}).value
        found = select(parsed, scheduler.state.inputs, scheduler.outputs, scheduler.services.env)
        if not found.found:
            scheduler.bus.emit("selector.missing", self._node.id, {"selector": selector, "nearest": found.nearest})
        return found.value

    async def send(self, envelope: Envelope, turn: int = 0) -> Receipt:
        """Write the node's envelope of this turn once and hand it to its channel."""
        scheduler = self._scheduler
        node = self._node.id
        expect = scheduler.bus.redacted(dict(envelope.expect)) if envelope.expect is not None else None
        envelope = replace(envelope, text=scheduler.bus.redacted(envelope.text), expect=expect)
        file = scheduler.storage.envelope_file(node, turn)
        fresh = scheduler.storage.write_envelope(node, envelope, turn)
        if fresh or not scheduler.was_announced(file):
            scheduler.bus.emit("envelope.written", node, {
                "channel": envelope.channel, "kind": envelope.kind, "chat_id": envelope.chat_id,
                "text": envelope.text, "file": file,
            })  # fmt: skip
        confirms = scheduler.services.confirms(envelope.channel)
        if not fresh and (not confirms or scheduler.storage.delivered(node, turn)):
            return Receipt(True, "it was sent before")
        key = scheduler.storage.envelope_key(node, turn)
        receipt = await scheduler.services.deliver(envelope, self.run_id, node, key)
        if confirms and receipt.delivered:
            scheduler.storage.write_receipt(node, turn)
        return receipt

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python in the sandbox."""
        result = await self._scheduler.services.run_code(job, policy)
        self._scheduler.facts(self._node.id)["backend"] = result.backend
        return result

    async def run_function(self, reference: str, arguments: Mapping[str, JSON]) -> JSON:
        """Call an installed function in a process of its own."""
        self._scheduler.facts(self._node.id)["backend"] = "local"
        return await self._scheduler.services.run_function(reference, arguments, self.log)

    async def call_agent(self, agent: str, instructions: str, extra: Mapping[str, JSON]) -> dict[str, JSON]:
        """Call an agent with what this node may see, once there is room for another call of the run.

        Raises:
            NodeError: It took longer than the limit of one call.
        """
        scheduler, node = self._scheduler, self._node

        def emit(kind: str, data: Mapping[str, Any]) -> None:
            scheduler.bus.emit(kind, node.id, data)

        visible = {**self.shared, **self._own, **extra}
        keep = node.type.name != "agent" or node.node.loop is not None or node.node.fan_out is not None
        call = AgentCall(node.id, agent, instructions, self.inputs, visible, keep, emit, self.log)
        limit = asyncio.timeout(node.call_timeout)
        async with scheduler.calls:
            try:
                async with limit:
                    return await scheduler.services.call_agent(call)
            except TimeoutError as exc:
                if not limit.expired():
                    raise
                raise NodeError(
                    node.id,
                    f"a call took longer than {node.call_timeout:g} s and was stopped",
                    hint="raise `execution.timeout_per_agent`",
                ) from exc

    async def run_workflow(self, reference: str) -> dict[str, JSON] | Ask:
        """Run another workflow as a part of this run; one that was cut off or waited goes on.

        Without `share_input` it is offered the inputs of this run, the outputs above it, and the fields of those.

        Raises:
            NodeError: It failed.
            AwpError: It cannot be found or started.
        """
        scheduler, node = self._scheduler, self._node.id
        if not scheduler.state.nodes[node].child:
            scheduler.bus.emit("node.nested", node, {"run_id": scheduler.services.new_run_id()})
        folder = scheduler.storage.nested(node, scheduler.state.nodes[node].child)
        share = self._node.node.share_input
        inputs = self._offered() if share is None else shared_inputs(share, self.select)
        call = NestedCall(
            node,
            reference,
            inputs,
            share is not None,
            self._node.node.share_output,
            self.run_id,
            folder,
            self.reply,
            self.log,
        )
        outcome = await scheduler.services.run_workflow(call)
        if outcome.question is not None:
            return outcome.question
        if outcome.output is None:
            raise NodeError(node, outcome.failure, hint=f"see its run folder: {folder}")
        if outcome.tokens:
            scheduler.facts(node)["tokens"] = outcome.tokens
        return outcome.output

    def _offered(self) -> dict[str, JSON]:
        fields = [output for output in self.upstream.values() if isinstance(output, dict)]
        offered = {**self.inputs, **self.upstream}
        for output in fields:
            offered |= output
        return offered

    async def reduce_by(self, name: str, items: Sequence[JSON]) -> JSON:
        """Return what the code node `name` makes of `items`, for a `fan_in`.

        Raises:
            AwpError: There is no such code node.
        """
        plan = self._scheduler.plan
        reducer = plan.nodes.get(name)
        if reducer is None or reducer.type.name != "code":
            raise AwpError(f"fan_in: {name!r} is no code node", hint="reduce by sum, min, max, concat, or a code node")
        context = EngineContext(self._scheduler, reducer, {"items": list(items)})
        config = reducer.config.model_copy(update={"inputs": {**reducer.config.inputs, "items": "items"}})
        output: Any = reducer.type.run(context, config)
        return await output if isinstance(output, Awaitable) else output

    def log(self, text: str) -> None:
        """Keep a text in the run's log and show it."""
        if text:
            self._scheduler.bus.log(self._node.id, text)

    def place(self, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a field of this node starts."""
        return self._scheduler.services.place(self._node.id, field)
