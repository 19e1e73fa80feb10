"""One node's work: an attempt with its time limit, its repetitions after failures, and what repeats it on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from awp_core.engine import fanning, looping, questions
from awp_core.engine.context import EngineContext
from awp_core.errors import NodeError, RunFolderError, describe
from awp_core.nodes.base import Ask
from awp_core.values import check_json

if TYPE_CHECKING:
    from awp_core.engine.plan import PlannedNode
    from awp_core.engine.scheduler import Scheduler

JSON = Any


async def work_on(scheduler: Scheduler, node: PlannedNode) -> JSON | Ask:
    """Run a node until it has an output, or a question for a person.

    Raises:
        Exception: Whatever the last attempt raised.
    """
    if node.node.loop is None:
        return await _attempts(scheduler, node, EngineContext(scheduler, node))
    return await looping.run_loop(scheduler, node, lambda context: _attempts(scheduler, node, context))


async def _attempts(scheduler: Scheduler, node: PlannedNode, context: EngineContext) -> JSON | Ask:
    attempt = 1
    while True:
        try:
            return await _attempt(scheduler, node, context)
        except RunFolderError:
            raise
        except Exception as error:
            kind = type(error).__name__
            sent = node.type.name in questions.SENDERS and scheduler.storage.has_envelope(node.id)
            if sent or not node.retry.repeats(attempt, kind):
                raise
            delay = node.retry.delay(attempt)
            facts = {"attempt": attempt, "delay_s": delay, "error": describe(error)}
            scheduler.bus.emit("node.retrying", node.id, facts)
            await asyncio.sleep(delay)
        attempt += 1
        scheduler.bus.emit("node.started", node.id, {"attempt": attempt})


async def _attempt(scheduler: Scheduler, node: PlannedNode, context: EngineContext) -> JSON | Ask:
    limit = asyncio.timeout(node.timeout)
    try:
        async with limit:
            output = await _once(node, context)
            if isinstance(output, Ask):
                if output.nested is None:
                    await context.send(output.envelope, output.turn)
                return output
    except KeyboardInterrupt as exc:
        scheduler.stop("cancelled", "the run was interrupted")
        raise NodeError(node.id, "it was interrupted") from exc
    except SystemExit as exc:  # let through, it would end the event loop and every other run on it
        raise NodeError(node.id, f"it raised {describe(exc)}") from exc
    except TimeoutError as exc:
        if not limit.expired():
            raise
        raise NodeError(
            node.id,
            f"it took longer than its {node.timeout:g} s and was stopped",
            hint="raise `timeout` on the node",
        ) from exc
    check_json(output, node.id)
    return output


async def _once(node: PlannedNode, context: EngineContext) -> JSON | Ask:
    if node.node.fan_out is not None:
        return await fanning.run_fan_out(node, node.node.fan_out, context)
    output: Any = node.type.run(context, node.config)
    return await output if isinstance(output, Awaitable) else output
