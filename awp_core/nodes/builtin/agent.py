"""`agent`: one call of an agent; the default when a graph entry names no type."""

from __future__ import annotations

from pydantic import Field

from awp_core.nodes.base import Lane, NodeConfig, NodeContext, NodeType, Output


class AgentConfig(NodeConfig):
    """Fields of an agent node."""

    agent: str = Field(default="", description="name or folder of the agent; by default a generic one")
    instructions: str = Field(default="", description="what it is asked to do")


async def _run(context: NodeContext, config: AgentConfig) -> Output:
    return await context.call_agent(config.agent, config.instructions, {})


NODE = NodeType("agent", "Calls an agent.", AgentConfig, _run, lane=Lane.PROVIDER, agent=lambda config: config.agent)
