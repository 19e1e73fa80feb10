"""What to draw, as plain values: boxes, arrows, their words and their states. No coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from awp_core.graph.build import Graph
from awp_core.graph.cycles import closing_arrows

STATES = ("pending", "running", "waiting", "finished", "failed", "skipped", "cancelled")
"""Node statuses as in spec 02, Scheduling."""

_LOUDEST_FIRST = ("failed", "waiting", "running", "cancelled", "pending", "finished", "skipped")


class PictureNode(NamedTuple):
    """One box.

    Attributes:
        id: Key of the node, also in the `states` given when it is rendered.
        label: The first line; any text.
        kind: Node type; one of the known types chooses shape and icon, others are drawn as unknown.
        subtitle: More for the second line, such as the name of an agent.
        group: Name of what the node belongs to; "" for none.
        members: Ids this box stands for, if it stands for several (see `awp_core.graph.grouping`).
    """

    id: str
    label: str
    kind: str
    subtitle: str = ""
    group: str = ""
    members: tuple[str, ...] = ()

    def state(self, states: Mapping[str, str]) -> str:
        """Return the node's state, "" if there are none at all; of several members the one to look at first."""
        if not states:
            return ""
        if not self.members:
            return states.get(self.id, "pending")
        found = {states.get(member, "pending") for member in self.members}
        started = bool(found - {"pending"})
        if found <= {"pending", "finished", "skipped"} and started and "pending" in found:
            return "running"
        return next((state for state in _LOUDEST_FIRST if state in found), "pending")

    def counts(self, states: Mapping[str, str]) -> str:
        """Return how many members are in which state: "38 finished, 2 running"."""
        return count_states(self.members, states) if states else ""


class PictureEdge(NamedTuple):
    """One arrow from `source` to `target`; dashed if a gate decides whether it counts."""

    source: str
    target: str
    label: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class Picture:
    """A titled drawing of `nodes` and `edges`, in graph order.

    Of nodes with the same id the first is drawn, and edges with an unknown end are not: rules report both.
    """

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]

    def __post_init__(self) -> None:
        by_id: dict[str, PictureNode] = {}
        for node in self.nodes:
            by_id.setdefault(node.id, node)
        object.__setattr__(self, "nodes", tuple(by_id.values()))

    @cached_property
    def graph(self) -> Graph:
        """The arrows as a graph, cycles included."""
        waits_for: dict[str, list[str]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            if edge.target in waits_for:
                waits_for[edge.target].append(edge.source)
        return Graph.of(waits_for)

    @cached_property
    def closing(self) -> frozenset[tuple[str, str]]:
        """The arrows that close a cycle; they are drawn against the flow."""
        return frozenset(closing_arrows(self.graph))

    @cached_property
    def flow(self) -> Graph:
        """The graph without the arrows that close a cycle."""
        return self.graph.without(self.closing) if self.closing else self.graph


def count_states(ids: tuple[str, ...], states: Mapping[str, str]) -> str:
    """Return how many of `ids` are in which state, in the order of `STATES`.

    >>> count_states(("a", "b", "c"), {"a": "finished", "b": "finished"})
    '1 pending, 2 finished'
    """
    counted = Counter(states.get(node, "pending") for node in ids)
    return ", ".join(f"{counted[state]} {state}" for state in STATES if counted[state])
