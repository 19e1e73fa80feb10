"""Cycles in a graph: which nodes can never start because they wait for each other.

Nothing here recurses, so that a hostile chain of any length cannot exhaust the stack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from awp_core.graph.build import Graph


def find_cycle(graph: Graph) -> list[str] | None:
    """Return the first cycle in graph order, or None.

    Arrows are followed from a node to what waits for it; the first node is repeated at the end.

    >>> find_cycle(Graph.of({"a": ["b"], "b": ["a"]}))
    ['a', 'b', 'a']
    """
    return next(iter(find_cycles(graph)), None)


def find_cycles(graph: Graph) -> list[list[str]]:
    """Return one cycle for each strongly connected component, in graph order of their first nodes.

    Each is a shortest one through the component's first node. A node that depends on itself is `[a, a]`.
    """
    place = {node: index for index, node in enumerate(graph.ids)}
    tangled = [members for members in _components(graph) if _is_cyclic(graph, members)]
    firsts = [(min(members, key=place.__getitem__), set(members)) for members in tangled]
    firsts.sort(key=lambda pair: place[pair[0]])
    return [_shortest_through(graph, first, members) for first, members in firsts]


def closing_arrows(graph: Graph) -> set[tuple[str, str]]:
    """Return `(source, target)` arrows without which the graph has no cycle.

    They are the arrows that lead back to a node still being explored when the graph is walked from its roots,
    and so the ones a picture should draw upwards.
    """
    closing: set[tuple[str, str]] = set()
    state: dict[str, bool] = {}  # True while a node is on the current path, False once it is done
    for start in (*graph.roots, *graph.ids):
        if start in state:
            continue
        state[start] = True
        path = [(start, iter(graph.dependents[start]))]
        while path:
            node, ahead = path[-1]
            following = next(ahead, None)
            if following is None:
                state[node] = False
                path.pop()
            elif following not in state:
                state[following] = True
                path.append((following, iter(graph.dependents[following])))
            elif state[following]:
                closing.add((node, following))
    return closing


def _is_cyclic(graph: Graph, members: list[str]) -> bool:
    return len(members) > 1 or members[0] in graph.dependents[members[0]]


def _components(graph: Graph) -> Iterator[list[str]]:
    """Yield strongly connected components (Tarjan's algorithm with an explicit stack)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    is_open: set[str] = set()

    def enter(node: str) -> tuple[str, Iterator[str]]:
        number[node] = low[node] = len(number)
        open_nodes.append(node)
        is_open.add(node)
        return node, iter(graph.dependents[node])

    for start in graph.ids:
        if start in number:
            continue
        path = [enter(start)]
        while path:
            node, ahead = path[-1]
            for following in ahead:
                if following not in number:
                    path.append(enter(following))
                    break
                if following in is_open:
                    low[node] = min(low[node], number[following])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    yield _close(node, open_nodes, is_open)


def _close(first: str, open_nodes: list[str], is_open: set[str]) -> list[str]:
    at = len(open_nodes) - 1
    while open_nodes[at] != first:
        at -= 1
    members = open_nodes[at:]
    del open_nodes[at:]
    is_open.difference_update(members)
    return members


def _shortest_through(graph: Graph, first: str, members: set[str]) -> list[str]:
    came_from: dict[str, str] = {}
    ahead = deque([first])
    while ahead:
        node = ahead.popleft()
        for following in graph.dependents[node]:
            if following == first:
                path = [first]
                while node != first:
                    path.append(node)
                    node = came_from[node]
                return [first, *reversed(path)] if len(path) > 1 else [first, first]
            if following in members and following not in came_from:
                came_from[following] = node
                ahead.append(following)
    raise AssertionError(f"{first!r} is in no cycle")  # a component with a cycle has one through each node
