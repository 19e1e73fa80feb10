"""Layouts by both backends, and what happens when Graphviz misbehaves."""

import os
import random
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from awp_core.graph.dotlayout import GraphvizError, find_graphviz, place_by_graphviz
from awp_core.graph.geometry import Arrow, Plan
from awp_core.graph.layout import lay_out
from awp_core.graph.picture import Picture, PictureEdge, PictureNode

BUILTIN = {"GRAPHVIZ_DOT": "builtin", "PATH": ""}
needs_graphviz = pytest.mark.skipif(find_graphviz(os.environ) is None, reason="no Graphviz installed")
needs_scripts = pytest.mark.skipif(os.name == "nt", reason="the fake Graphviz is a shell script")
backends = pytest.mark.parametrize("environ", [BUILTIN, pytest.param(None, marks=needs_graphviz)])

PAIR = Plan([(100.0, 40.0), (100.0, 40.0)], [Arrow(0, 1)], horizontal=False)


def tangle(count, arrows, seed):
    """Random arrows in both directions, some labelled, a few of them loops."""
    rng = random.Random(seed)  # noqa: S311 - a fixed drawing, no secret
    pairs = {(rng.randrange(count), rng.randrange(count)) for _ in range(arrows)}
    return Picture(
        "tangle",
        tuple(PictureNode(f"n{i}", f"node_{i}" * rng.randint(1, 3), "agent") for i in range(count)),
        tuple(PictureEdge(f"n{a}", f"n{b}", rng.choice(["", "", "yes"])) for a, b in sorted(pairs)),
    )


def assert_sound(layout):
    boxes = {box.node.id: box for box in layout.boxes}
    for box in layout.boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.y + box.height <= layout.height
    for one, other in combinations(layout.boxes, 2):
        apart = (
            one.x + one.width <= other.x
            or other.x + other.width <= one.x
            or one.y + one.height <= other.y
            or other.y + other.height <= one.y
        )
        assert apart, (one, other)
    for route in layout.routes:
        assert len(route.points) % 3 == 1
        assert touches(boxes[route.edge.source], route.points[0]), route
        assert touches(boxes[route.edge.target], route.points[-1]), route


def touches(box, point):
    """Whether a point lies on the border of a box, up to two pixels."""
    x, y = point[0] - box.x, point[1] - box.y
    near = -2 <= x <= box.width + 2 and -2 <= y <= box.height + 2
    return near and min(abs(x), abs(x - box.width), abs(y), abs(y - box.height)) <= 2


@backends
def test_boxes_stand_apart_and_arrows_touch_their_nodes(environ, ticket):
    layout = lay_out(ticket, environ)
    assert len(layout.boxes) == 7
    assert len(layout.routes) == 8
    assert_sound(layout)


@backends
@pytest.mark.parametrize("seed", range(4))
def test_tangles_with_cycles_loops_and_labels_are_laid_out_soundly(environ, seed):
    assert_sound(lay_out(tangle(14, 22, seed), environ))


def test_our_own_arrows_never_pass_under_a_box():
    layout = lay_out(tangle(25, 40, seed=9), BUILTIN)
    for route in layout.routes:
        for x, y in along(route.points):
            for box in layout.boxes:
                if box.node.id not in (route.edge.source, route.edge.target):
                    assert not (box.x < x < box.x + box.width and box.y < y < box.y + box.height)


def along(points):
    """Points on a chain of cubic Bézier curves."""
    for start in range(0, len(points) - 1, 3):
        p, q, r, s = points[start : start + 4]
        for step in range(21):
            t = step / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield tuple(sum(w * point[axis] for w, point in zip(weights, (p, q, r, s), strict=True)) for axis in (0, 1))


def test_our_own_labels_never_cover_each_other_or_a_box():
    layout = lay_out(tangle(20, 34, seed=5), BUILTIN)
    labels = [route.label_at for route in layout.routes if route.label and route.edge.source != route.edge.target]
    assert len(labels) > 3
    for one, other in combinations(labels, 2):
        assert abs(one[0] - other[0]) > 20 or abs(one[1] - other[1]) >= 18
    for x, y in labels:
        assert not any(b.x < x < b.x + b.width and b.y < y < b.y + b.height for b in layout.boxes)


def test_a_chain_runs_straight_down_however_long_it_is():
    names = [f"s{i}" for i in range(30)]
    chain = Picture(
        "chain",
        tuple(PictureNode(name, name, "code") for name in names),
        tuple(PictureEdge(a, b) for a, b in pairwise(names)),
    )
    layout = lay_out(chain, BUILTIN)
    assert not layout.horizontal
    assert len({box.x + box.width / 2 for box in layout.boxes}) == 1
    assert layout.width < 300


def test_a_wide_and_shallow_graph_runs_from_left_to_right():
    names = [f"task_{i}" for i in range(12)]
    fan = Picture(
        "fan",
        tuple(PictureNode(name, name, "code") for name in ["start", *names]),
        tuple(PictureEdge("start", name) for name in names),
    )
    layout = lay_out(fan, BUILTIN)
    assert layout.horizontal
    assert layout.width < 900
    assert_sound(layout)


def test_nodes_without_arrows_are_wrapped_to_the_width_of_a_cell():
    loose = Picture("loose", tuple(PictureNode(f"n{i}", f"n{i}", "code") for i in range(40)), ())
    layout = lay_out(loose, BUILTIN)
    assert layout.width < 960
    assert_sound(layout)


def test_arrows_that_close_a_cycle_are_marked_and_run_from_source_to_target():
    pair = Picture(
        "pair",
        (PictureNode("a", "a", "agent"), PictureNode("b", "b", "agent")),
        (PictureEdge("a", "b"), PictureEdge("b", "a")),
    )
    forth, back = lay_out(pair, BUILTIN).routes
    assert (forth.back, back.back) == (False, True)
    assert forth.points[0][1] < forth.points[-1][1]
    assert back.points[0][1] > back.points[-1][1]


def test_an_empty_picture_and_unknown_ends_are_no_problem():
    assert lay_out(Picture("", (), ()), BUILTIN).boxes == ()
    stray = Picture("stray", (PictureNode("a", "a", "code"),), (PictureEdge("a", "ghost"), PictureEdge("ghost", "a")))
    assert lay_out(stray, BUILTIN).routes == ()


@needs_graphviz
def test_uses_graphviz_for_coordinates_when_there_is_one(ticket):
    layout = lay_out(ticket)
    assert layout.backend in {"dot", "graphviz-pure"}
    assert layout.reason == ""


# The chain


def fake(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@needs_scripts
def test_the_variable_comes_before_dot_and_dot_before_graphviz_pure(tmp_path):
    pure = fake(tmp_path, "graphviz-pure", "")
    assert find_graphviz({"PATH": ""}, [tmp_path]) == ("graphviz-pure", pure)
    dot = fake(tmp_path, "dot", "")
    assert find_graphviz({"PATH": str(tmp_path)}, []) == ("dot", dot)
    assert find_graphviz({"PATH": str(tmp_path), "GRAPHVIZ_DOT": "/opt/dot"}, []) == ("dot", "/opt/dot")


def test_without_any_graphviz_nothing_is_found():
    assert find_graphviz({"PATH": ""}, []) is None


@needs_scripts
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "exit code -9"),
        ("cat >/dev/null; echo hello", "not a layout of this graph"),
        ("cat >/dev/null; echo 'graph 1 2 2'; echo stop", "not a layout of this graph"),
        ("echo 'graph 1 nan 1e999'; echo 'node n0 nan nan 1 1'; echo stop", "not a layout of this graph"),
        ("printf '\\377\\376\\000'", "not a layout of this graph"),
        ("true", "not a layout of this graph"),
        ("exec cat /dev/zero", "printed too much"),
    ],
)
def test_a_broken_graphviz_falls_back_with_the_reason(tmp_path, ticket, script, reason):
    layout = lay_out(ticket, {"GRAPHVIZ_DOT": fake(tmp_path, "dot", script), "PATH": os.environ["PATH"]})
    assert layout.backend == "builtin"
    assert reason in layout.reason
    assert_sound(layout)


def test_a_graphviz_that_does_not_exist_falls_back_with_the_reason(ticket):
    layout = lay_out(ticket, {"GRAPHVIZ_DOT": "/nonexistent/dot", "PATH": ""})
    assert layout.backend == "builtin"
    assert "cannot be started" in layout.reason


@needs_scripts
@pytest.mark.timeout(60)  # the child sleeps longer than this and holds the pipe open
def test_a_graphviz_that_hangs_is_killed_with_its_children(tmp_path):
    binary = fake(tmp_path, "dot", "sleep 300; echo late")
    with pytest.raises(GraphvizError, match=r"did not finish within 0\.1 s"):
        place_by_graphviz(PAIR, binary, os.environ, limit_s=0.1)


@needs_scripts
def test_no_text_of_the_user_reaches_graphviz(tmp_path, hostile):
    seen = tmp_path / "seen.dot"
    binary = fake(tmp_path, "dot", f"cat > '{seen}'; exit 1")
    lay_out(hostile, {"GRAPHVIZ_DOT": binary, "PATH": os.environ["PATH"]})
    source = seen.read_text()
    assert "n11" in source
    assert source.isascii()
    assert not any(word in source for word in ("script", "alert", "quote", "half", "\\", "<", "&"))


# Large pictures


def test_more_than_two_hundred_nodes_are_grouped_by_level():
    nodes = tuple(PictureNode(f"n{i}", f"n{i}", "code") for i in range(202))
    fan = tuple(PictureEdge("n0", f"n{i}") for i in range(1, 201)) + tuple(
        PictureEdge(f"n{i}", "n201") for i in range(1, 201)
    )
    layout = lay_out(Picture("big", nodes, fan), BUILTIN)
    assert [box.node.label for box in layout.boxes] == ["n0", "level 2: 200 nodes", "n201"]
    assert [route.label for route in layout.routes] == ["200 arrows", "200 arrows"]


def test_a_long_chain_is_grouped_into_a_few_bands():
    nodes = tuple(PictureNode(f"n{i}", f"n{i}", "code") for i in range(1000))
    edges = tuple(PictureEdge(f"n{i}", f"n{i + 1}") for i in range(999))
    layout = lay_out(Picture("long", nodes, edges), BUILTIN)
    assert len(layout.boxes) == 16
    assert layout.boxes[0].node.label == "levels 1 to 63: 63 nodes"


def test_a_group_shows_the_state_to_look_at_first():
    group = PictureNode("g", "g", "group", members=("a", "b", "c"))
    assert group.state({}) == ""
    assert group.state({"x": "failed"}) == "pending"
    assert group.state({"a": "finished"}) == "running"
    assert group.state({"a": "finished", "b": "failed", "c": "running"}) == "failed"
    assert group.state({"a": "finished", "b": "skipped", "c": "finished"}) == "finished"
    assert group.counts({"a": "finished"}) == "2 pending, 1 finished"
