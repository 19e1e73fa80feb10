"""What a run's result is (spec 02, Edge decisions: Result of a run)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awp_core.expressions.selectors import Selector, select

if TYPE_CHECKING:
    from awp_core.engine.scheduler import Scheduler


def result_of(scheduler: Scheduler) -> Any:
    """Return the result: the selector, else the last answer's text, else the only finished leaf, else all of them."""
    plan, state = scheduler.plan, scheduler.state
    if plan.result is not None:
        found = select(Selector.parse(plan.result), state.inputs, scheduler.outputs, scheduler.services.env)
        if not found.found:
            scheduler.bus.emit("selector.missing", None, {"selector": plan.result, "nearest": found.nearest})
        return found.value
    answers = [
        (state.nodes[node.id].order, node.id)
        for node in plan.nodes.values()
        if node.type.name == "answer" and state.nodes[node.id].status == "finished"
    ]
    if answers:
        return scheduler.outputs[max(answers)[1]]["text"]
    leaves = [node.id for node in plan.leaves if state.nodes[node.id].status == "finished"]
    if len(leaves) == 1:
        return scheduler.outputs[leaves[0]]
    return {leaf: scheduler.outputs[leaf] for leaf in leaves}
