"""Pictures the tests share."""

import pytest

from awp_core.graph.picture import Picture, PictureEdge, PictureNode

HOSTILE = (
    '"><script>alert(1)</script>',
    "</text></svg><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "&amp;&#x3c;b&#x3e;<b>bold</b>",
    "]]><!--",
    'quote " back \\ slash \\N \\G end\\',
    "line\nbreak\r\x00\x1b[31m",
    "pay\u202egnp.exe\u2066",
    "half \ud800 pair \udfff \ufffe",
    "漢字" * 300,
    "Z" + "\u0301" * 500,
    "",
)


@pytest.fixture
def ticket():
    """Seven nodes: a route to two branches, a side way, and a merge."""
    kinds = {
        "fetch": "static",
        "triage": "route",
        "solve": "agent",
        "ask_boss": "ask_human",
        "lookup": "code",
        "combine": "merge",
        "reply": "answer",
    }
    return Picture(
        "ticket",
        tuple(PictureNode(node, node, kind, "engineer" if node == "solve" else "") for node, kind in kinds.items()),
        (
            PictureEdge("fetch", "triage"),
            PictureEdge("triage", "solve", "simple", dashed=True),
            PictureEdge("triage", "ask_boss", "escalate", dashed=True),
            PictureEdge("fetch", "lookup"),
            PictureEdge("solve", "combine"),
            PictureEdge("ask_boss", "combine"),
            PictureEdge("lookup", "combine"),
            PictureEdge("combine", "reply"),
        ),
    )


@pytest.fixture
def hostile():
    """A ring of nodes whose every text is an attack."""
    nodes = tuple(PictureNode(text, text, text, text) for text in HOSTILE)
    ring = zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], HOSTILE[::-1], strict=True)
    return Picture(HOSTILE[0], nodes, tuple(PictureEdge(*edge) for edge in ring))
