"""Completion of lines and of cell bodies."""

from __future__ import annotations

import pytest

from awp_magics.completion import complete_body, complete_line

ASK = """%%awp asking --quiet
inputs: {who: {type: string, default: you}}
graph:
  - {id: approve, type: ask_human, prompt: "May I?", expect: {field: ok, type: boolean}}
"""


@pytest.mark.parametrize(
    ("magic", "before", "word", "found"),
    [
        ("%awp", [], "res", ["resume"]),
        ("%awp", ["run"], "ask", ["asking"]),
        ("%awp", ["run", "asking"], "w", ["who="]),
        ("%awp", ["run", "asking"], "--req", ["--require-complete"]),
        ("%awp", ["run", "asking", "--reply"], "", ["approve="]),
        ("%awp", ["reply", "asking", "--node"], "", ["approve"]),
        ("%awp", ["wait"], "ask", ["asking"]),
        ("%awp", ["nothing"], "x", []),
        ("%%awp", [], "--ch", ["--chat"]),
        ("%%awp_code", ["--workflow"], "as", ["asking"]),
    ],
)
def test_completes_a_line(do, shell, magic, before, word, found):
    do(ASK)
    do("%awp run asking")
    assert complete_line(shell.session, magic, before, word) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("  - {id: b, type: ask", ["ask_human"]),
        ("  - {id: b, depends_on: [app", ["approve"]),
        ("    depends_on: app", ["approve"]),
        ("  - {id: b, type: ask_human, prompt_f", ["prompt_from: "]),
        ("gra", ["graph: "]),
        ("    prompt: wh", []),
    ],
)
def test_completes_the_body_of_a_cell(shell, line, found):
    assert complete_body(shell.session, f"{ASK}{line}", line, len(line)) == found
