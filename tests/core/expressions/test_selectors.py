"""Selectors: what they find, what they do not, and what they say then."""

from __future__ import annotations

import pytest

from awp_core.errors import AwpError
from awp_core.expressions.selectors import Root, Selected, Selector, roots_of, select

INPUTS = {"topic": "birds", "draft": "an input", "order": {"id": 7}, "both": {"x": "input"}}
OUTPUTS = {
    "draft": {"text": "Hello", "score": None, "tags": []},
    "load": {"rows": [{"x": 1}, {"x": 2}], "a.b": "dotted", "a": {"b": "nested", "c": 3}, "0": "zero"},
    "words": "plain text",
    "both": {"x": "output"},
}
ENV = {"REGION": "eu", "API.URL": "u"}


def found(text: str) -> Selected:
    return select(Selector.parse(text), INPUTS, OUTPUTS, ENV)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("topic", "birds"),
        ("inputs.topic", "birds"),
        ("inputs", INPUTS),
        ("draft", "an input"),
        ("inputs.draft", "an input"),
        ("draft.text", "Hello"),
        ("load", OUTPUTS["load"]),
        ("load.rows.1.x", 2),
        ("load.rows", [{"x": 1}, {"x": 2}]),
        ("load.0", "zero"),
        ("order.id", 7),
        ("both.x", "output"),
        ("env.REGION", "eu"),
        (" draft.text ", "Hello"),
    ],
)
def test_finds_the_value(text, value):
    assert found(text) == Selected(value, True, "")


def test_a_path_to_null_is_found():
    assert found("draft.score") == Selected(None, True, "")


def test_the_longest_key_wins_when_keys_contain_dots():
    assert found("load.a.b").value == "dotted"
    assert found("load.a.c").value == 3
    assert found("env.API.URL").value == "u"


@pytest.mark.parametrize(
    ("text", "closest"),
    [
        ("draft.txt", "draft.text"),
        ("draf", "draft"),
        ("topics", "topic"),
        ("inputs.topics", "inputs.topic"),
        ("load.rows.2", "load.rows.1"),
        ("load.rows.-1", "load.rows.1"),
        ("load.rows.x", "load.rows.1"),
        ("load.rows.1.y.z", "load.rows.1"),
        ("load.rows.²", "load.rows.1"),
        ("load.rows.99999999999999999999", "load.rows.1"),
        ("draft.tags.0", "draft.tags"),
        ("draft.score.deep", "draft.score"),
        ("env.REGIO", "env.REGION"),
        ("nothing_like_it", ""),
    ],
)
def test_a_missing_path_is_null_and_names_the_nearest_that_exists(text, closest):
    assert found(text) == Selected(None, False, closest)


@pytest.mark.parametrize("text", ["words.upper", "draft.__class__", "draft.items", "load.rows.append", "words.0"])
def test_never_reads_an_attribute_or_a_character(text):
    assert not found(text).found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("draft.", "empty part"),
        (".draft", "empty part"),
        ("a..b", "empty part"),
        ('load["a.b"]', "brackets"),
        ("load.rows[0]", "brackets"),
        ("x" * 501, "501 characters"),
        (7, "not int"),
        (None, "not NoneType"),
    ],
)
def test_rejects_what_is_no_selector(text, what):
    with pytest.raises(AwpError, match=what):
        Selector.parse(text)


def test_an_error_in_brackets_says_how_to_write_it():
    with pytest.raises(AwpError) as caught:
        Selector.parse("load.rows[0]")
    assert "node.rows.0.name" in caught.value.hint


def test_a_selector_knows_its_parts_and_is_a_value():
    selector = Selector.parse(" load.rows.0 ")
    assert (selector.text, selector.parts, selector.root) == ("load.rows.0", ("load", "rows", "0"), "load")
    assert selector == Selector.parse("load.rows.0")
    assert len({selector, Selector.parse("load.rows.0")}) == 1


def test_roots_are_listed_in_the_order_they_are_tried():
    def roots(text: str) -> tuple[Root, ...]:
        return roots_of(Selector.parse(text))

    assert roots("a") == (Root("input", "a"), Root("node", "a"))
    assert roots("a.b") == (Root("node", "a"), Root("input", "a"))
    assert roots("inputs.a") == (Root("input", "a"),)
    assert roots("inputs") == (Root("input", ""),)
    assert roots("env.A") == (Root("env", "A"),)
