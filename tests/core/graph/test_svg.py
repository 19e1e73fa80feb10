"""The SVG: what it says, and that no text can break out of it."""

import os
import xml.etree.ElementTree as ET

import pytest

from awp_core.graph.dotlayout import find_graphviz
from awp_core.graph.layout import lay_out
from awp_core.graph.picture import STATES, Picture, PictureEdge, PictureNode
from awp_core.graph.shapes import LOOKS, MARKS
from awp_core.graph.svg import render_svg

BUILTIN = {"GRAPHVIZ_DOT": "builtin", "PATH": ""}
SVG = "{http://www.w3.org/2000/svg}"
KINDS = [
    "agent",
    "fan_out",
    "delegation_loop",
    "deliver",
    "code",
    "merge",
    "route",
    "answer",
    "ask_human",
    "static",
    "compute",
    "subworkflow",
]
backends = pytest.mark.parametrize(
    "environ",
    [BUILTIN, pytest.param(None, marks=pytest.mark.skipif(find_graphviz(os.environ) is None, reason="no Graphviz"))],
)


def parsed(svg):
    svg.encode("utf-8")
    return ET.fromstring(svg)  # noqa: S314 - our own text, that it parses is the point


@backends
def test_hostile_text_is_inert(environ, hostile):
    layout = lay_out(hostile, environ)
    states = {node.id: node.id for node in hostile.nodes}
    root = parsed(render_svg(layout, states))
    allowed = {"svg", "title", "desc", "style", "rect", "g", "path", "text", "tspan", "circle"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == allowed - {"circle"}
    for element in root.iter():
        assert not any(name.startswith("on") or "href" in name or name == "style" for name in element.attrib)
        assert set(element.get("class", "").split()) <= {"awp", "e", "d", "h", "off", "c", "b", "f", "a", "i", "p", "l",
            "t", "k", "w", "m", "o", "unknown", "slate"}  # fmt: skip
    words = "".join(root.itertext())
    assert "alert(1)</script>" in words
    assert not set(words) & {"\u202e", "\u2066", "\x00", "\x1b", "\n", "\r"}


@backends
def test_the_same_layout_serves_every_state(environ, ticket):
    layout = lay_out(ticket, environ)
    for state in STATES:
        root = parsed(render_svg(layout, {"solve": state}))
        box = next(g for g in root.iter(f"{SVG}g") if (g.findtext(f"{SVG}title") or "").startswith("solve:"))
        assert state in box.get("class").split()
        assert state in "".join(box.itertext())
        assert MARKS[state] in {path.get("d") for path in box.iter(f"{SVG}path")}


def test_states_differ_by_word_and_mark_and_not_by_colour_alone():
    assert set(MARKS) == set(STATES)
    assert len(set(MARKS.values())) == len(STATES)


def test_without_states_nothing_is_said_about_states(ticket):
    svg = render_svg(lay_out(ticket, BUILTIN))
    assert "pending" not in "".join(text for element in parsed(svg).iter(f"{SVG}text") for text in element.itertext())


def test_every_node_type_has_an_icon_of_its_own():
    assert set(KINDS) <= set(LOOKS)
    assert len({look.icon for look in LOOKS.values()}) == len(LOOKS)


def test_says_in_words_what_it_shows(ticket):
    root = parsed(render_svg(lay_out(ticket, BUILTIN), {"fetch": "finished"}))
    assert root.findtext(f"{SVG}title") == "ticket"
    description = root.findtext(f"{SVG}desc")
    assert description.startswith("7 nodes (6 pending, 1 finished): fetch (static, finished); triage (route, pending")
    assert "combine (merge, pending, after solve, ask_boss, lookup)" in description


def test_gates_are_dashed_and_carry_their_branch(ticket):
    root = parsed(render_svg(lay_out(ticket, BUILTIN)))
    assert sum(path.get("class") == "e d" for path in root.iter(f"{SVG}path")) == 2
    assert {"simple", "escalate"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_a_long_label_is_cut_and_kept_whole_in_its_title():
    name = "summarise_" * 12
    root = parsed(render_svg(lay_out(Picture("p", (PictureNode("a", name, "agent"),), ()), BUILTIN)))
    assert next(root.iter(f"{SVG}text")).text.endswith("…")
    assert root.find(f"{SVG}g/{SVG}title").text == f"{name}: agent"


def test_themes_choose_the_style_sheet_only(ticket):
    layout = lay_out(ticket, BUILTIN)
    auto, light, dark = (render_svg(layout, theme=theme) for theme in ("auto", "light", "dark"))
    assert "@media(prefers-color-scheme:dark)" in auto
    assert "@media" not in light + dark
    assert light != dark
    assert light.partition("</style>")[2] == dark.partition("</style>")[2] == auto.partition("</style>")[2]


def test_a_hundred_nodes_stay_small():
    nodes = tuple(PictureNode(f"node_{i}", f"node_{i}", KINDS[i % 12], "writer") for i in range(100))
    edges = tuple(PictureEdge(f"node_{i // 3}", f"node_{i}") for i in range(1, 100))
    layout = lay_out(Picture("hundred", nodes, edges), BUILTIN)
    assert len(render_svg(layout, {"node_0": "finished"}).encode()) < 120_000


def test_an_empty_workflow_says_so():
    assert "no nodes yet" in render_svg(lay_out(Picture("", (), ()), BUILTIN))


def test_loops_and_pairs_are_drawn_dashed():
    nodes = (PictureNode("a", "a", "agent"), PictureNode("b", "b", "agent"))
    edges = (PictureEdge("a", "a"), PictureEdge("a", "b"), PictureEdge("b", "a"))
    root = parsed(render_svg(lay_out(Picture("c", nodes, edges), BUILTIN)))
    assert sorted(path.get("class") for path in root.iter(f"{SVG}path") if path.get("class")[0] == "e") == [
        "e",
        "e d",
        "e d",
    ]
