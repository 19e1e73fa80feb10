"""Spec 01, Editing: stable order, blocks for long texts, no aliases, and nothing changes type."""

import math

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from awp_core.errors import UsageError
from awp_core.manifest.scanner import has_libyaml
from awp_core.manifest.source import parse_document
from awp_core.manifest.write import dump_yaml


def read(text, **options):
    document = parse_document(text, "f", **options)
    assert [f for f in document.problems if f.severity == "error"] == []
    return document.data


HOSTILE = [
    "yes", "no", "on", "Off", "y", "N", "null", "~", "", " ", "1.10", "012", "1e3", "1_000", "0x1F",
    "12:30:45", "2026-01-02", "true", "<<", "=", "- a", "a: b", "a:", "a #b", "#", "? x", "%", "@x",
    "`", "*a", "&a", "!t", "{{ x }}", "[a", "'", '"', "\\", "\n", "\n\n", "a\n", "a\n\n\n", "\na",
    "  a\nb", "\ta\nb", "a\nb", "a \nb ", "a\n  \nb", " \n \n", "a\n ", "a\r\nb", "\u2028",
    "a\u2028\nb", "\x85", "\x00", "\x7f\n", "\ufeff", "---", "...\n---\n", "a\n---\nb", "é漢😀",
    "\u00a0x", "x" * 2000, "a" * 1100 + ": b", ".inf", "None", "-", "# c\nx\n", "\ufdd0",
    "\U0010ffff", "a\tb", "./x", "https://x.example/?a=b#c",
]  # fmt: skip
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(st.sampled_from([" ", "\n", "\t", "a", "b: ", "#", "- "]), max_size=8).map("".join),
)
scalars = st.one_of(
    texts, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.integers(10**50, 10**60)
)
trees = st.recursive(
    scalars,
    lambda t: st.one_of(st.lists(t, max_size=4), st.dictionaries(texts, t, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=600, deadline=None)
@given(trees.filter(lambda tree: tree is not None))
@example({"a": [[["x\n\n"], "y"], {"b": " lead\nx", "c": "z\n\n"}]})
@example({"k" * 1500: {"a": 1}, "l" * 1500: "x\ny", "m" * 1500: []})
def test_reads_back_what_was_written(tree):
    text = dump_yaml(tree)
    for use_libyaml in (True, False):
        assert repr(read(text, use_libyaml=use_libyaml)) == repr(tree)


@settings(max_examples=400, deadline=None)
@given(st.recursive(texts, lambda t: st.one_of(st.lists(t, max_size=3), st.dictionaries(texts, t, max_size=3))))
def test_other_readers_see_the_same_texts(tree):
    text = dump_yaml(tree)
    assert yaml.safe_load(text) == tree
    if has_libyaml():
        assert yaml.load(text, Loader=yaml.CSafeLoader) == tree


@pytest.mark.parametrize("text", HOSTILE)
def test_every_hostile_text_survives_as_value_key_and_item(text):
    data = {text: text, "list": [text, {"z": text, text: 1}], "end": text}
    assert read(dump_yaml(data)) == data
    assert yaml.safe_load(dump_yaml(data)) == data


@pytest.mark.parametrize("word", ["yes", "no", "NO", "on", "off", "y", "n", "1.10", "012", "2026-01-02", "null", "~"])
def test_quotes_what_a_reader_could_take_for_another_type(word):
    assert dump_yaml([word]) == f'- "{word}"\n'
    assert dump_yaml({word: 1}) == f'"{word}": 1\n'


def test_writes_a_workflow_as_people_would():
    data = {
        "workflow": {"name": "demo", "tags": [], "version": "1.0.0"},
        "graph": [
            {"id": "a", "depends_on": ["b", "c"], "source": "def main():\n    return {}\n"},
            {"id": "d"},
        ],
        "note": "no end\nof line",
        "on": True,
        "rest": {},
    }
    assert dump_yaml(data) == (
        "workflow:\n"
        "  name: demo\n"
        "  tags: []\n"
        '  version: "1.0.0"\n'
        "graph:\n"
        "  - id: a\n"
        "    depends_on:\n"
        "      - b\n"
        "      - c\n"
        "    source: |\n"
        "      def main():\n"
        "          return {}\n"
        "  - id: d\n"
        "note: |-\n"
        "  no end\n"
        "  of line\n"
        '"on": true\n'
        "rest: {}\n"
    )


def test_never_breaks_long_lines_and_keeps_unicode():
    line = "wörter " * 200 + "ende"
    assert dump_yaml({"a": line}) == f"a: {line}\n"


def test_writes_shared_values_twice_instead_of_an_alias():
    shared = ["x"]
    assert dump_yaml({"a": shared, "b": shared}) == "a:\n  - x\nb:\n  - x\n"


def test_writes_special_numbers():
    text = dump_yaml([math.inf, -math.inf, math.nan, 1e16, -0.0])
    assert text == "- .inf\n- -.inf\n- .nan\n- 1.0e+16\n- -0.0\n"


def test_writes_tuples_as_lists():
    assert dump_yaml({"a": (1, ())}) == "a:\n  - 1\n  - []\n"


def _cycle():
    items: list[object] = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    "data",
    [{1: "x"}, {"a": {1, 2}}, [object()], ["\ud800"], [10**500], [10**100_000], _cycle(), {"a": b"x"}],
    ids=["number key", "set", "object", "surrogate", "long", "huge", "cycle", "bytes"],
)
def test_refuses_what_yaml_cannot_hold(data):
    with pytest.raises(UsageError):
        dump_yaml(data)


def test_reads_back_the_deepest_nesting_it_writes():
    data: list[object] = []
    for _ in range(99):
        data = [data]
    assert read(dump_yaml(data)) == data
    with pytest.raises(UsageError):
        dump_yaml([data])
