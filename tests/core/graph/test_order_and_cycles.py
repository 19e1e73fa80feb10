"""Orders, levels and cycles, against brute force and worked examples."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awp_core.errors import AwpError
from awp_core.graph.build import Graph
from awp_core.graph.cycles import closing_arrows, find_cycle, find_cycles
from awp_core.graph.order import levels, topological_order

NAMES = "abcdefg"


@st.composite
def graphs(draw):
    names = NAMES[: draw(st.integers(0, len(NAMES)))]
    return Graph.of({name: draw(st.lists(st.sampled_from(names), max_size=3)) for name in names})


@st.composite
def graphs_without_cycles(draw):
    names = draw(st.permutations(NAMES))
    earlier = {name: names[:index] for index, name in enumerate(names)}
    return Graph.of(
        {name: draw(st.lists(st.sampled_from(earlier[name]), max_size=4)) if earlier[name] else [] for name in NAMES}
    )


def on_a_cycle(graph):
    """The nodes that can reach themselves, by closing the relation step by step."""
    reach = {node: set(graph.dependents[node]) for node in graph.ids}
    for _ in graph.ids:
        for node in graph.ids:
            reach[node] |= {far for near in reach[node] for far in reach[near]}
    return {node for node in graph.ids if node in reach[node]}


@given(graphs_without_cycles())
def test_every_node_stands_after_its_dependencies(graph):
    order = topological_order(graph)
    assert sorted(order) == sorted(graph.ids)
    assert all(order.index(other) < order.index(node) for node in order for other in graph.dependencies[node])


@given(graphs_without_cycles())
def test_of_the_nodes_that_are_ready_the_first_in_graph_order_is_next(graph):
    order = topological_order(graph)
    for index, chosen in enumerate(order):
        done = set(order[:index])
        ready = [node for node in graph.ids if node not in done and done.issuperset(graph.dependencies[node])]
        assert chosen == ready[0]


@given(graphs_without_cycles())
def test_a_level_is_the_longest_way_from_a_root(graph):
    def depth(node):
        return max((depth(other) + 1 for other in graph.dependencies[node]), default=0)

    by_level = levels(graph)
    assert [node for level in by_level for node in level] == sorted(
        graph.ids, key=lambda node: (depth(node), graph.ids.index(node))
    )
    assert all({depth(node) for node in level} == {index} for index, level in enumerate(by_level))


@given(graphs())
def test_finds_a_cycle_if_and_only_if_there_is_one(graph):
    cycles = find_cycles(graph)
    tangled = on_a_cycle(graph)
    assert (find_cycle(graph) is None) == (not tangled)
    assert {cycle[0] for cycle in cycles} <= tangled
    for cycle in cycles:
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(after in graph.dependents[before] for before, after in pairwise(cycle))
    assert not on_a_cycle(graph.without(closing_arrows(graph)))


@given(graphs())
def test_an_order_exists_exactly_without_cycles(graph):
    if find_cycle(graph):
        with pytest.raises(AwpError, match="cycle"):
            topological_order(graph)
    else:
        assert len(topological_order(graph)) == len(graph.ids)


def test_finds_one_cycle_for_each_tangle_and_the_short_way_through():
    graph = Graph.of({"a": ["d", "b"], "b": ["a"], "c": ["b"], "d": ["c"], "self": ["self"], "x": ["y"], "y": ["x"]})
    assert find_cycles(graph) == [["a", "b", "a"], ["self", "self"], ["x", "y", "x"]]


def test_the_error_prints_the_cycle_as_a_path():
    with pytest.raises(AwpError, match="a → b → c → a"):
        levels(Graph.of({"a": ["c"], "b": ["a"], "c": ["b"]}))


def test_a_very_long_chain_and_a_very_long_cycle_need_no_recursion():
    chain = {f"n{i}": [f"n{i - 1}"] if i else [] for i in range(20_000)}
    assert len(levels(Graph.of(chain))) == 20_000
    chain["n0"] = ["n19999"]
    cycle = find_cycle(Graph.of(chain))
    assert cycle is not None
    assert len(cycle) == 20_001
