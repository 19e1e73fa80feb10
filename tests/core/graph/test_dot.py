"""DOT text: readable, and quoted so that no label is more than a label."""

import os
import re
import subprocess

import pytest

from awp_core.graph.dot import to_dot
from awp_core.graph.dotlayout import find_graphviz
from awp_core.graph.picture import Picture, PictureEdge, PictureNode


def test_writes_names_labels_states_and_gates():
    nodes = (PictureNode("load", "load", "code"), PictureNode("save", "save", "deliver", "mail"))
    drawing = Picture("job", nodes, (PictureEdge("load", "save", "ok", dashed=True),))
    assert to_dot(drawing, {"load": "finished"}).splitlines() == [
        'digraph "job" {',
        "  rankdir=TB",
        '  node [fontname="Helvetica" style="rounded,filled" fillcolor="white"]',
        '  edge [fontname="Helvetica" fontsize=10]',
        '  "load" [label="load\\ncode\\nfinished" shape=box fillcolor="#d9f2e1"]',
        '  "save" [label="save\\ndeliver · mail\\npending" shape=cds]',
        '  "load" -> "save" [label="ok" style=dashed]',
        "}",
    ]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('say "hi"', '"say \\"hi\\""'),
        ("\\N", '"\\\\N"'),
        ("end\\", '"end\\\\"'),
        ('\\"', '"\\\\\\""'),
        ("<b>bold</b>", '"<b>bold</b>"'),
        ("two\nlines", '"two␊lines"'),
    ],
)
def test_quotes_hostile_names(text, quoted):
    drawing = Picture(text, (PictureNode("a", "a", "code"),), ())
    assert to_dot(drawing).splitlines()[0] == f"digraph {quoted} {{"


def test_outside_strings_only_our_own_words_remain(hostile):
    text = to_dot(hostile, {"x": "failed"})
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text)
    assert re.fullmatch(r"[A-Za-z0-9=\[\]{} \n>-]*", rest)
    assert not re.search(r"URL|href|target", rest)


def test_graphviz_reads_hostile_names_back_as_one_node_each(hostile):
    found = find_graphviz(os.environ)
    if found is None:
        pytest.skip("no Graphviz installed")
    answer = subprocess.run([found[1], "-Tplain"], input=to_dot(hostile).encode(), capture_output=True, check=True)
    lines = answer.stdout.decode().splitlines()
    assert sum(line.startswith("node ") for line in lines) == 12
    assert sum(line.startswith("edge ") for line in lines) == 12
