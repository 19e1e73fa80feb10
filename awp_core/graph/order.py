"""Orders in which a workflow can run: a stable topological order, and levels."""

from __future__ import annotations

import heapq

from awp_core.errors import AwpError
from awp_core.graph.build import Graph
from awp_core.graph.cycles import find_cycle


def topological_order(graph: Graph) -> list[str]:
    """Return all ids so that each stands after everything it depends on; graph order breaks ties.

    Raises:
        AwpError: If the graph has a cycle; the message names it.
    """
    place = {node: index for index, node in enumerate(graph.ids)}
    missing = {node: len(graph.dependencies[node]) for node in graph.ids}
    ready = [place[node] for node in graph.roots]
    order = []
    while ready:
        node = graph.ids[heapq.heappop(ready)]
        order.append(node)
        for dependent in graph.dependents[node]:
            missing[dependent] -= 1
            if not missing[dependent]:
                heapq.heappush(ready, place[dependent])
    if len(order) < len(graph.ids):
        raise _cycle_error(graph)
    return order


def levels(graph: Graph) -> list[list[str]]:
    """Return the nodes by level, each in graph order.

    A node without dependencies has level 0, any other stands one level below its lowest dependency.

    Raises:
        AwpError: If the graph has a cycle; the message names it.
    """
    depth: dict[str, int] = {}
    for node in topological_order(graph):
        depth[node] = max((depth[other] + 1 for other in graph.dependencies[node]), default=0)
    by_level: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in graph.ids:
        by_level[depth[node]].append(node)
    return by_level


def _cycle_error(graph: Graph) -> AwpError:
    path = " → ".join(find_cycle(graph) or [])
    return AwpError(f"the graph has a cycle: {path}", hint="remove one of these dependencies")
