"""`subworkflow`: another workflow as one node of this one (spec 02)."""

from __future__ import annotations

from pydantic import Field

from awp_core.nodes.base import Ask, Lane, NodeConfig, NodeContext, NodeType, Output


class SubworkflowConfig(NodeConfig):
    """Fields of a subworkflow node; `share_input` and `share_output` say what goes in and comes out."""

    subworkflow: str = Field(min_length=1, description="path of the workflow, from this one, or its name")


async def _run(context: NodeContext, config: SubworkflowConfig) -> Output | Ask:
    return await context.run_workflow(config.subworkflow)


NODE = NodeType("subworkflow", "Runs another workflow as one node.", SubworkflowConfig, _run, lane=Lane.PROVIDER)
