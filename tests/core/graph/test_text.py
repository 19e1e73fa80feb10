"""The drawn text, worked out by hand."""

from awp_core.graph.labels import cells
from awp_core.graph.picture import Picture, PictureEdge, PictureNode
from awp_core.graph.text import to_text


def picture(nodes, *arrows):
    return Picture(
        "w", tuple(PictureNode(name, name, "code") for name in nodes.split()), tuple(PictureEdge(*a) for a in arrows)
    )


def test_draws_a_route_two_branches_and_a_merge(ticket):
    assert to_text(ticket).splitlines() == [
        "ticket · 7 nodes",
        "○      fetch     static",
        "├─╮",
        "◇ │    triage    route",
        "├─│─╮",
        "○ │ │  solve     agent · engineer  [simple]",
        "│ │ ◎  ask_boss  ask_human         [escalate]",
        "├─│─╯",
        "│ ○    lookup    code",
        "├─╯",
        "○      combine   merge",
        "○      reply     answer",
    ]


def test_shows_states_by_mark_and_word(ticket):
    states = {"fetch": "finished", "triage": "finished", "solve": "skipped", "ask_boss": "waiting", "lookup": "running"}
    assert to_text(ticket, states).splitlines()[:7] == [
        "ticket · 7 nodes: 2 pending, 1 running, 1 waiting, 2 finished, 1 skipped",
        "✓      fetch     finished  static",
        "├─╮",
        "✓ │    triage    finished  route",
        "├─│─╮",
        "– │ │  solve     skipped   agent · engineer  [simple]",
        "│ │ ?  ask_boss  waiting   ask_human         [escalate]",
    ]


def test_ascii_only_uses_nothing_else(ticket):
    text = to_text(ticket, {"fetch": "finished"}, ascii_only=True)
    assert text.isascii()
    assert text.splitlines()[1:4] == [
        "v      fetch     finished  static",
        "+-+",
        "o |    triage    pending   route",
    ]


def test_a_gap_separates_nodes_that_no_arrow_connects():
    assert to_text(picture("a b c", ("a", "b"))).splitlines()[1:] == ["○  a  code", "○  b  code", "", "○  c  code"]


def test_names_the_way_in_when_a_gated_node_has_several():
    drawing = to_text(picture("a b c", ("a", "c", "yes", True), ("b", "c", "", True)))
    assert drawing.splitlines()[-1] == "○    c  code  [a: yes]  [b: gated]"


def test_a_cycle_is_drawn_without_its_closing_arrow_and_named():
    assert to_text(picture("a b", ("a", "b"), ("b", "a"))).splitlines() == [
        "w · 2 nodes",
        "○  a  code",
        "○  b  code",
        "cycle: b → a",
    ]


def test_says_after_instead_of_drawing_more_lanes_than_fit():
    arrows = [(f"s{i}", "end") for i in range(3)] + [("start", f"t{i}") for i in range(30)]
    names = "s0 s1 s2 end start " + " ".join(f"t{i}" for i in range(30))
    lines = to_text(picture(names, *arrows)).splitlines()
    assert len(lines) == 1 + 35
    assert lines[4] == "○  end    code  after s0, s1, s2"
    assert lines[6] == "○  t0     code  after start"


def test_hostile_text_stays_on_its_line_and_within_the_width(hostile):
    for ascii_only in (False, True):
        text = to_text(hostile, {"x": "failed"}, width=60, ascii_only=ascii_only)
        lines = text.split("\n")
        assert len(lines) == 1 + 12 + 1
        assert all(cells(line) <= 60 for line in lines)
        assert not set(text) & {"\x00", "\x1b", "\r", "\u202e"}
        text.encode("utf-8")


def test_a_thousand_nodes_are_one_line_each():
    nodes = " ".join(f"n{i}" for i in range(1000))
    chain = picture(nodes, *((f"n{i}", f"n{i + 1}") for i in range(999)))
    assert len(to_text(chain).splitlines()) == 1001


def test_an_empty_picture_is_one_line():
    assert to_text(Picture("", (), ())) == "workflow · 0 nodes"
