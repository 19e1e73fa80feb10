"""`fan_out`: one call of an agent for each item of a list (spec 02)."""

from __future__ import annotations

from pydantic import Field

from awp_core.nodes.base import JSON, Lane, NodeConfig, NodeContext, NodeType, Output, SelectorUse
from awp_core.nodes.each import for_each, items_at


class FanOutConfig(NodeConfig):
    """Fields of a fan_out node."""

    agent: str = Field(default="", description="name or folder of the agent; by default a generic one")
    items_from: str = Field(description="selector of the list")
    instructions: str = Field(default="", description="what the agent is asked to do with each item")
    max_parallel: int = Field(default=1, ge=1, description="how many items are worked on at once")
    truncate: bool = Field(default=False, description="take the first 500 of a longer list, instead of failing")


async def _run(context: NodeContext, config: FanOutConfig) -> Output:
    items = items_at(context.select(config.items_from), config.items_from, truncate=config.truncate)

    async def call(index: int, item: JSON) -> Output:
        return await context.call_agent(config.agent, config.instructions, {"item": item, "item_index": index})

    results = await for_each(items, config.max_parallel, call)
    return {"items": results, "count": len(results)}


NODE = NodeType(
    "fan_out",
    "Calls an agent once for each item of a list.",
    FanOutConfig,
    _run,
    lane=Lane.PROVIDER,
    agent=lambda config: config.agent,
    calls_often=True,
    selectors=lambda config: [SelectorUse(("items_from",), config.items_from)],
    fields=lambda _config: frozenset({"items", "count"}),
)
