"""The graph of a workflow: who waits for whom, in graph order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from awp_core.errors import NotFoundError


@dataclass(frozen=True)
class Graph:
    """Nodes and the arrows between them; made by `Graph.of`.

    Attributes:
        ids: Every node id, in graph order (the order of the manifest).
        dependencies: For each id, the ids it waits for, each once, in the order given.
        dependents: For each id, the ids that wait for it, in graph order.
    """

    ids: tuple[str, ...]
    dependencies: Mapping[str, tuple[str, ...]]
    dependents: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, edges: Mapping[str, Sequence[str]]) -> Graph:
        """Build the graph from "node id to the ids it depends on".

        Dependencies on unknown ids are left out here, a rule reports them. A node may depend on itself.

        >>> Graph.of({"load": [], "clean": ["load", "lost"]}).dependencies
        {'load': (), 'clean': ('load',)}
        """
        dependencies = {
            node: tuple(dict.fromkeys(other for other in others if other in edges)) for node, others in edges.items()
        }
        dependents: dict[str, list[str]] = {node: [] for node in edges}
        for node, others in dependencies.items():
            for other in others:
                dependents[other].append(node)
        return cls(tuple(edges), dependencies, {node: tuple(others) for node, others in dependents.items()})

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes that wait for nothing."""
        return tuple(node for node in self.ids if not self.dependencies[node])

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The nodes nothing waits for."""
        return tuple(node for node in self.ids if not self.dependents[node])

    def ancestors(self, node: str) -> frozenset[str]:
        """Return every node that must end before `node`, directly or not.

        Raises:
            NotFoundError: If there is no such node.
        """
        return self._reachable(node, self.dependencies)

    def descendants(self, node: str) -> frozenset[str]:
        """Return every node that waits for `node`, directly or not.

        Raises:
            NotFoundError: If there is no such node.
        """
        return self._reachable(node, self.dependents)

    def without(self, arrows: Iterable[tuple[str, str]]) -> Graph:
        """Return the same graph without some `(source, target)` arrows."""
        gone = set(arrows)
        if not gone:
            return self
        return Graph.of(
            {node: [other for other in self.dependencies[node] if (other, node) not in gone] for node in self.ids}
        )

    def _reachable(self, node: str, step: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
        if node not in step:
            raise NotFoundError.for_name("node", node, self.ids)
        seen: set[str] = set()
        ahead = list(step[node])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                ahead.extend(step[other])
        return frozenset(seen)
