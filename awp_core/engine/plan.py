"""Compile a valid workflow into what the scheduler needs, once, before the first node."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from awp_core.engine.retry import RetryPolicy
from awp_core.expressions.evaluate import Expression
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import BranchGate, GraphNode
from awp_core.nodes.base import Lane, NodeType

_NO_RETRY = RetryPolicy()
PROVIDER_LIMIT = 16  # default of execution.max_parallel (spec 02, Scheduling)


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One node, ready to be scheduled.

    Attributes:
        id, index: Its id and place in the graph.
        node: The graph entry.
        type, config: Its type and parsed config.
        dependencies, dependents: Ids, in graph order.
        gates: `branch` gates; any of them opens.
        conditions: Expressions that must all be true, each with the field it stands in.
        enabled: False, or None when it is an expression (then among `conditions`) or true.
        cases: Case ids it can choose, when it is a route or an expiring question.
        retry, timeout: Policy, and seconds of one attempt (None for no limit).
        call_timeout: Seconds of one call of its agent, when it makes several.
        lane: What bounds how many of its kind run at once.
        instant: Whether it runs in place, without a task.
    """

    id: str
    index: int
    node: GraphNode
    type: NodeType
    config: Any
    dependencies: tuple[str, ...]
    dependents: tuple[str, ...]
    gates: tuple[BranchGate, ...]
    conditions: tuple[tuple[str, Expression], ...]
    enabled: bool
    cases: frozenset[str]
    retry: RetryPolicy
    timeout: float | None
    call_timeout: float | None
    lane: Lane
    instant: bool

    @property
    def ungated(self) -> bool:
        """Whether nothing but the end of its dependencies decides when it runs."""
        return self.enabled and not self.gates and not self.conditions

    @property
    def contains_failure(self) -> bool:
        """Whether its failure only skips its dependents."""
        return self.node.retry.error_strategy == "fail_branch" or self.node.on_failure == "continue"

    @property
    def skips_on_failure(self) -> bool:
        """Whether its failure counts as an empty output."""
        return self.node.on_failure == "skip"


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled workflow.

    Attributes:
        nodes: Every node by id, in graph order.
        sequential: Whether one node runs at a time.
        limits: How many nodes of a lane run at once.
        total_timeout: Seconds the run may work, not counting pauses.
        result: The selector of `orchestration.result`, or None.
    """

    nodes: Mapping[str, PlannedNode]
    sequential: bool
    limits: Mapping[Lane, int]
    total_timeout: float
    result: str | None

    @property
    def leaves(self) -> list[PlannedNode]:
        """Nodes nothing depends on, in graph order."""
        return [node for node in self.nodes.values() if not node.dependents]

    def agents(self) -> dict[str, str]:
        """Return the agent each node calls, for nodes that call one."""
        named = ((node.id, node.type.agent(node.config)) for node in self.nodes.values())
        return {node_id: agent for node_id, agent in named if agent is not None}

    def channels(self) -> dict[str, str]:
        """Return the channel each node sends to, for nodes that send; a loop that asks sends its questions."""
        named: dict[str, str] = {}
        for node in self.nodes.values():
            channel = node.type.channel(node.config)
            if channel is None and node.node.loop is not None and node.node.loop.type == "interactive":
                channel = node.node.loop.input_channel
            if channel is not None:
                named[node.id] = channel
        return named


def build_plan(workflow: Workflow, node_types: Mapping[str, NodeType]) -> Plan:
    """Compile a workflow that validated without an error.

    Args:
        workflow: Its nodes have known types, good configs, and no cycle; the rules have seen to that.
        node_types: Every node type by name.
    """
    assert workflow.manifest is not None  # noqa: S101 - validated by the caller, and mypy needs to know
    graph = workflow.graph
    execution = workflow.manifest.orchestration.execution
    used = {node_types[node.type].name: node_types[node.type] for node in workflow.nodes}
    in_place = frozenset(name for name, kind in used.items() if not inspect.iscoroutinefunction(kind.run))
    nodes = {
        node.id: _planned(node, node_types[node.type], graph.dependents[node.id], execution.node_timeout, in_place)
        for node in workflow.nodes
    }
    bound = execution.max_parallel or PROVIDER_LIMIT
    cores = os.cpu_count() or 1
    limits = {
        Lane.PROVIDER: bound,
        Lane.COMPUTE: min(cores, execution.max_parallel or cores),
        Lane.INSTANT: 1,
    }
    result = workflow.manifest.orchestration.result
    return Plan(nodes, execution.mode == "sequential", limits, execution.total_timeout, result)


def _planned(
    node: GraphNode, kind: NodeType, dependents: tuple[str, ...], agent_timeout: float, in_place: frozenset[str]
) -> PlannedNode:
    config = kind.config.model_validate(node.config)
    calls_agent = kind.agent(config) is not None
    lane = Lane.PROVIDER if calls_agent or node.fan_out is not None else kind.lane
    timeout = node.timeout or kind.timeout(config)
    many = node.fan_out is not None or kind.calls_often
    if timeout is None and calls_agent and not many:
        timeout = agent_timeout
    retry = RetryPolicy.of(node.retry) if "retry" in node.raw else _NO_RETRY
    instant = lane is Lane.INSTANT and kind.name in in_place and not retry.retries and node.loop is None
    return PlannedNode(
        id=node.id,
        index=node.index,
        node=node,
        type=kind,
        config=config,
        dependencies=tuple(dict.fromkeys(node.dependency_ids)),
        dependents=tuple(dependents),
        gates=node.branch,
        conditions=_conditions(node),
        enabled=node.enabled is not False,
        cases=frozenset(kind.cases(config)),
        retry=retry,
        timeout=timeout,
        call_timeout=agent_timeout if calls_agent and many else None,
        lane=lane,
        instant=instant,
    )


def _conditions(node: GraphNode) -> tuple[tuple[str, Expression], ...]:
    if node.when is None and isinstance(node.enabled, bool) and not any(d.when for d in node.depends_on):
        return ()
    texts = [("enabled", node.enabled)] if isinstance(node.enabled, str) else []
    if node.when is not None:
        texts.append(("when", node.when))
    texts += [(f"depends_on {d.id}", d.when) for d in node.depends_on if d.when is not None]
    return tuple((field, Expression.parse(text)) for field, text in texts)
