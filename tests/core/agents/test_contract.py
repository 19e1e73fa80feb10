"""What is taken out of a model's text, and how it is checked (spec 03, Output)."""

from __future__ import annotations

import socket

import pytest

from awp_core.agents.contract import ContractError, misfit, parse_object, read_answer

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 1}',
        ' \n{"n": 1}\n',
        'Here it is:\n```json\n{"n": 1}\n```\nBye {"n": 2}',
        '```\n{"n": 1}\n```',
        'Set {like this}. Sure: {"n": 1} and {"n": 2}',
        '```python\nprint({})\n```\n{"n": 1}',
    ],
)
def test_finds_the_object(text):
    assert parse_object(text) == {"n": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        "[1, 2]",
        '[{"n": 1}]',
        '"{}"',
        '{"n": 1',
        'Cut off: {"outer": {"n": 1}',
        '{"n": NaN}',
        '{"n": 1, "n": 2}',
        "{" * 50_000,
        "}{",
        "nothing, so {}",
    ],
)
def test_finds_nothing_rather_than_a_part(text):
    assert parse_object(text) is None


def test_braces_in_strings_do_not_count():
    assert parse_object(r'so: {"a": "}{ \" }", "b": {}} end') == {"a": '}{ " }', "b": {}}


def test_a_long_text_of_small_objects_that_are_none_is_given_up():
    assert parse_object("{a} " * 1_000 + '{"n": 1}') is None


def test_plain_text_is_a_text_only_without_a_schema():
    assert read_answer("Hello", None) == ({"text": "Hello"}, "")
    assert read_answer("Hello", SCHEMA) == ({}, "it holds no complete JSON object")


@pytest.mark.parametrize("answer", [[1], 7, None])
def test_a_value_that_is_no_object_is_refused(answer):
    assert read_answer(answer, None)[1]


def test_a_value_that_is_no_json_is_refused_by_path():
    assert "answer.x" in read_answer({"x": float("nan")}, None)[1]


def test_text_with_half_a_character_is_refused():
    assert read_answer("\ud800", None)[1]


def test_a_misfit_names_the_place():
    assert misfit({"n": "1"}, SCHEMA) == "$.n: '1' is not of type 'integer'"
    assert misfit({"n": 1}, SCHEMA) == ""


@pytest.mark.parametrize("schema", [{"type": "nothing"}, {"properties": 1}, {"pattern": "("}, {"$ref": "#/gone"}])
def test_a_wrong_schema_is_told_as_such(schema):
    with pytest.raises(ContractError, match="output schema is wrong"):
        misfit("x", schema)


def test_a_reference_is_never_fetched(monkeypatch):
    opened = []

    def refuse(*arguments, **_keywords):
        opened.append(arguments)
        raise OSError("refused")

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(ContractError):
        misfit({}, {"$ref": "http://127.0.0.1:9/schema.json"})
    assert opened == []


def test_a_long_value_makes_no_long_message():
    assert len(misfit({"n": "x" * 1_000_000}, SCHEMA)) < 500
