"""`loop` on a node: run it again while a condition holds, or ask a person each time (spec 02, Loops).

Each time is recorded as `loop.iterated`, so a run that was cut off or that waited goes on with the next time. What the
node sees of itself is its last output, under its own id, with `_loop_iterations` and, if a person was asked, `reply`
and `history`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from awp_core.channels.base import Envelope
from awp_core.engine.context import EngineContext
from awp_core.expressions.evaluate import Expression
from awp_core.nodes.base import Ask, shown

if TYPE_CHECKING:
    from awp_core.engine.plan import PlannedNode
    from awp_core.engine.scheduler import Scheduler
    from awp_core.events.fold import NodeState
    from awp_core.manifest.models import Loop

JSON = Any
COUNT = "_loop_iterations"
Once = Callable[[EngineContext], Awaitable[JSON | Ask]]


async def run_loop(scheduler: Scheduler, node: PlannedNode, once: Once) -> JSON | Ask:
    """Run a node's loop from where it stands to its end, or to a question; its output is that of the last time.

    Raises:
        AwpError: A time failed, or the condition cannot be evaluated.
    """
    loop = node.node.loop
    assert loop is not None  # noqa: S101 - the caller looked
    state = scheduler.state.nodes[node.id]
    while True:
        seen = _seen(state)
        if state.iterations:
            if not _goes_on(scheduler, node, loop, state):
                return seen if isinstance(state.output, dict) else {"output": state.output, COUNT: state.iterations}
            if loop.type == "interactive" and not _has_reply(state):
                question = _question(scheduler, loop, state)
                await EngineContext(scheduler, node).send(question.envelope, question.turn)
                return question
        output = await once(EngineContext(scheduler, node, {node.id: seen}))
        if isinstance(output, Ask):
            return output
        scheduler.bus.emit("loop.iterated", node.id, {"iteration": state.iterations + 1, "output": output})


def _seen(state: NodeState) -> dict[str, JSON]:
    seen: dict[str, JSON] = {**state.output} if isinstance(state.output, dict) else {}
    if state.history:
        seen["history"] = [*state.history]
    if _has_reply(state) and state.reply is not None:
        seen["reply"] = state.reply[0]
    return seen | {COUNT: state.iterations}


def _has_reply(state: NodeState) -> bool:
    return state.reply is not None and state.nested is None


def _goes_on(scheduler: Scheduler, node: PlannedNode, loop: Loop, state: NodeState) -> bool:
    if state.iterations >= loop.limit:
        return False
    if loop.condition is None:
        return True
    outputs = {**scheduler.outputs, node.id: _seen(state)}
    expression = Expression.parse(loop.condition)
    return bool(expression.evaluate(outputs, scheduler.state.inputs, scheduler.services.env))


def _question(scheduler: Scheduler, loop: Loop, state: NodeState) -> Ask:
    output = state.output
    named = output.get(loop.prompt_field) if loop.prompt_field and isinstance(output, dict) else None
    if named is None and isinstance(output, dict):
        named = next((output[name] for name in ("prompt", "text", "output") if output.get(name) is not None), output)
    chat = scheduler.services.chat_id
    prompt = shown(output if named is None else named)
    envelope = Envelope(loop.input_channel, "question", chat, prompt, expect={})
    return Ask(prompt, {}, envelope, approver=chat, again=True, turn=state.iterations)
