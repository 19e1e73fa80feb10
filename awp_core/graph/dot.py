"""DOT text for people who want to go on with Graphviz themselves (`awp graph --format dot`).

A backslash starts an escape in a DOT string (`\\N` is the node's name), and a value that starts with `<` outside quotes
is markup. Everything is therefore quoted with backslashes doubled, and no attribute that links somewhere is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from awp_core.graph.labels import clean
from awp_core.graph.picture import Picture, PictureEdge, PictureNode

_NO_STATES: Mapping[str, str] = MappingProxyType({})

_SHAPES = {
    "code": "box",
    "compute": "box",
    "route": "hexagon",
    "merge": "invtrapezium",
    "deliver": "cds",
    "answer": "note",
    "static": "note",
    "subworkflow": "box3d",
}

_FILLS = {
    "running": "#dbe8fd",
    "waiting": "#fdefc8",
    "finished": "#d9f2e1",
    "failed": "#fbd9d6",
    "skipped": "#eceef2",
    "cancelled": "#f1dfe9",
}


def to_dot(picture: Picture, states: Mapping[str, str] = _NO_STATES) -> str:
    """Return the picture as a DOT graph; node names are the ids, states are a fill and a word.

    >>> print(to_dot(Picture("w", (PictureNode("a", "a", "code"),), ())), end="")
    digraph "w" {
      rankdir=TB
      node [fontname="Helvetica" style="rounded,filled" fillcolor="white"]
      edge [fontname="Helvetica" fontsize=10]
      "a" [label="a\\ncode" shape=box]
    }
    """
    lines = [
        f"digraph {_quoted(picture.title or 'workflow')} {{",
        "  rankdir=TB",
        '  node [fontname="Helvetica" style="rounded,filled" fillcolor="white"]',
        '  edge [fontname="Helvetica" fontsize=10]',
        *(f"  {_quoted(node.id)} {_node(node, node.state(states))}" for node in picture.nodes),
    ]
    known = {node.id for node in picture.nodes}
    lines += [_edge(edge) for edge in picture.edges if edge.source in known and edge.target in known]
    return "\n".join([*lines, "}", ""])


def _node(node: PictureNode, state: str) -> str:
    below = " · ".join(part for part in (node.kind, node.subtitle) if part)
    words = [part for part in (node.label, below, state) if part]
    attributes = [f'label="{_joined(words)}"', f"shape={_SHAPES.get(node.kind, 'box')}"]
    if state in _FILLS:
        attributes.append(f'fillcolor="{_FILLS[state]}"')
    if state == "skipped":
        attributes.append('style="rounded,filled,dashed"')
    return f"[{' '.join(attributes)}]"


def _edge(edge: PictureEdge) -> str:
    attributes = []
    if edge.label:
        attributes.append(f"label={_quoted(edge.label)}")
    if edge.dashed:
        attributes.append("style=dashed")
    shown = f" [{' '.join(attributes)}]" if attributes else ""
    return f"  {_quoted(edge.source)} -> {_quoted(edge.target)}{shown}"


def _joined(words: list[str]) -> str:
    return "\\n".join(_escaped(word) for word in words)


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"')
