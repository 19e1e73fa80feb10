"""Spec 01, Processing order 1: behaviour is identical with and without libyaml, for any text."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from awp_core.manifest.scanner import has_libyaml
from awp_core.manifest.source import parse_document

pytestmark = pytest.mark.skipif(not has_libyaml(), reason="PyYAML was built without libyaml")

PIECES = [
    "a", "b: ", "- ", "\n", "\n  ", "\n    ", "? ", ": ", ":", "{", "}", "[", "]", ",", "&x ", "*x",
    "*x ", "!!str ", "!!int ", "! ", "!t", "|", "|2", "|-\n", "|+\n", ">", "\n\n", "'", '"', "''",
    "\\n", "#", " #c", " ", "\t", "---", "--- ", "...", "-", "<<: ", "key: ", "1", "1.10", "true",
    "no", "\u2028", "\x85", "é", "😀", "%", "%YAML 1.1\n", "@", "`", "~", "?", "\n- ", "\nb: ",
    "\r\n", "\r", '"a"', "\\", "\\x41", "\\ud800", "{{ x }}", "\n---\n", "\n...\n", "\ufeff", "\0",
    "!<x>", "=", "\\U00110000",
]  # fmt: skip
yaml_like = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def paths(data, path=()):
    yield path
    if isinstance(data, dict):
        for key, item in data.items():
            yield from paths(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from paths(item, (*path, index))


def everything(text, *, use_libyaml):
    """Return all that a caller can see of a document."""
    document = parse_document(text, "f", use_libyaml=use_libyaml)
    places = [
        (
            path,
            document.locate(path),
            document.locate(path, key=True),
            document.scalar_text(path),
            document.block_scalar_line(path),
        )
        for path in paths(document.data)
    ]
    return repr(document.data), document.problems, places


@settings(max_examples=1500, deadline=None)
@given(yaml_like)
@example("a: {b: }")
@example("[a?b, ?c]")
@example("{b? : 1}")
@example("|#")
@example("- a\t\n")
@example("!t'a'!")
@example("%YAML 1.2\n---\na: 1\n")
@example("{? a, b:\n }")
def test_both_scanners_give_the_same_data_positions_and_findings(text):
    assert everything(text, use_libyaml=True) == everything(text, use_libyaml=False)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.binary(max_size=60)))
def test_never_raises_and_always_has_data_or_a_problem(text):
    document = parse_document(text, "f")
    assert document.data is not None or document.problems
    for finding in document.problems:
        assert finding.rule == "M6"
        assert finding.location.line >= 1
        assert finding.location.column >= 1
        assert finding.message
