"""The graph itself: who waits for whom."""

import pytest

from awp_core.errors import NotFoundError
from awp_core.graph.build import Graph

DIAMOND = {"load": [], "left": ["load"], "right": ["load"], "join": ["left", "right"]}


def test_keeps_graph_order_and_knows_both_directions():
    graph = Graph.of(DIAMOND)
    assert graph.ids == ("load", "left", "right", "join")
    assert graph.dependents == {"load": ("left", "right"), "left": ("join",), "right": ("join",), "join": ()}
    assert graph.roots == ("load",)
    assert graph.leaves == ("join",)


def test_ignores_unknown_and_repeated_dependencies():
    graph = Graph.of({"a": ["ghost"], "b": ["a", "a"]})
    assert graph.dependencies == {"a": (), "b": ("a",)}


def test_finds_ancestors_and_descendants_over_several_steps():
    graph = Graph.of(DIAMOND)
    assert graph.ancestors("join") == {"load", "left", "right"}
    assert graph.descendants("left") == {"join"}
    assert graph.ancestors("load") == frozenset()


def test_a_node_in_a_cycle_is_its_own_ancestor():
    assert Graph.of({"a": ["b"], "b": ["a"]}).ancestors("a") == {"a", "b"}


def test_names_the_nearest_node_for_an_unknown_id():
    with pytest.raises(NotFoundError, match="did you mean 'load'"):
        Graph.of(DIAMOND).ancestors("laod")


def test_leaves_out_given_arrows():
    graph = Graph.of(DIAMOND).without([("left", "join")])
    assert graph.dependencies["join"] == ("right",)
    assert graph.leaves == ("left", "join")
