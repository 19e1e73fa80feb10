"""The stub: the same request gets the same answer, which fits its schema and says that it is a stub."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from awp_core.agents.contract import misfit
from awp_core.errors import EngineUnavailableError, ProviderError
from awp_core.providers import load_providers
from awp_core.providers.base import Request
from awp_core.providers.builtin.stub import ANSWERS, PROVIDER, StubProvider, read_answers
from awp_core.providers.instances import instance

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["title", "score", "confidence"],
}


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - repeatable on purpose


def request(agent: str = "writer", **fields) -> Request:
    return Request(agent, "", (), **fields)


async def test_without_a_schema_it_says_what_it_is():
    response = await StubProvider().complete(request())
    assert response.value == {"text": "[stub] writer: stub: canned answers", "confidence": 1.0}
    assert response.model == "stub: canned answers"


async def test_the_same_request_gets_the_same_answer_and_another_gets_another():
    stub = StubProvider()
    first = await stub.complete(request(schema=SCHEMA, inputs={"n": 1}))
    assert (await StubProvider().complete(request(schema=SCHEMA, inputs={"n": 1}))).value == first.value
    answers = [(await stub.complete(request(schema=SCHEMA, inputs={"n": n}))).value for n in range(12)]
    assert len({str(answer) for answer in answers}) > 1
    assert {answer["confidence"] for answer in answers} == {1.0}


async def test_a_route_that_classifies_gets_one_of_its_classes():
    response = await StubProvider().complete(request(visible={"classes": ["a", "b"]}))
    assert response.value["class"] in {"a", "b"}
    assert response.value["text"].startswith("[stub]")


@pytest.mark.parametrize("classes", [[], [1], "ab", None])
async def test_other_values_called_classes_are_left_alone(classes):
    assert "class" not in (await StubProvider().complete(request(visible={"classes": classes}))).value


async def test_canned_answers_come_in_turn_and_the_last_stays():
    stub = StubProvider({"writer": ["one", {"n": 2}], "other": {"x": 1}, "none": []})
    assert [(await stub.complete(request())).text for _ in range(3)] == ["one", '{"n":2}', '{"n":2}']
    assert (await stub.complete(request("other"))).text == '{"x":1}'
    assert (await stub.complete(request("none"))).text == "[]"
    assert (await stub.complete(request("third"))).value["text"].startswith("[stub]")


async def test_reads_canned_answers_from_the_file_the_environment_names(tmp_path):
    file = tmp_path / "answers.yaml"
    file.write_text("writer:\n  - {title: no}\n", "utf-8")
    environ = {ANSWERS: str(file)}
    assert PROVIDER.missing(environ) == ""
    assert (await PROVIDER.create(environ).complete(request())).text == '{"title":"no"}'


@pytest.mark.parametrize(
    ("text", "said"), [("- a", "must map agents"), ("a: [", "answers.yaml"), (None, "cannot read")]
)
def test_a_bad_file_of_answers_is_told_before_the_run(tmp_path, text, said):
    file = tmp_path / "answers.yaml"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(EngineUnavailableError, match=said):
        read_answers(file)
    assert said in PROVIDER.missing({ANSWERS: str(file)})


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA,
        {"const": {"a": [1]}},
        {"enum": [None, 2]},
        {"type": ["null", "integer"], "minimum": 200},
        {"type": "integer", "maximum": -5},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        {"type": "integer", "minimum": 1.5, "maximum": 2.5},
        {"type": "number", "maximum": 0.0001, "minimum": 0.00005},
        {"type": "string", "minLength": 40, "maxLength": 41},
        {"type": "string", "maxLength": 0},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 3},
        {"type": "array", "maxItems": 1},
        {"properties": {"a": {"type": "null"}}, "required": ["a", "b"]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"required": ["b"]}]},
        {"$ref": "#/definitions/x~1y", "definitions": {"x/y": {"type": "boolean"}}},
        {},
    ],
)
def test_an_instance_fits_its_schema(schema):
    for seed in range(20):
        assert misfit(instance(schema, seeded(seed)), schema) == ""


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 10**12},
        {"type": "array", "minItems": 10**12},
        {"$ref": "#"},
        {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 50},
        {"$ref": "https://example.org/schema.json"},
        {"type": "integer", "minimum": float("inf"), "maximum": "9"},
        {"type": 7, "properties": [], "required": "a", "enum": {}, "anyOf": 1, "items": 3},
    ],
)
def test_a_hostile_schema_costs_little(schema):
    assert len(repr(instance(schema, seeded(1)))) < 100_000


leaves = st.sampled_from([{"type": name} for name in ("string", "integer", "number", "boolean", "null")])
schemas = st.recursive(
    leaves,
    lambda part: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, part),
        st.builds(
            lambda parts: {"type": "object", "properties": parts, "required": sorted(parts)},
            st.dictionaries(st.sampled_from("abc"), part, max_size=3),
        ),
    ),
    max_leaves=8,
)


@given(schemas, st.integers(0, 5))
def test_an_instance_of_any_plain_schema_fits(schema, seed):
    Draft7Validator(schema).validate(instance(schema, seeded(seed)))


async def test_the_callable_provider_names_the_agent_that_is_no_function():
    provider = load_providers()["callable"].create({})
    with pytest.raises(ProviderError, match="'writer' is no Python function") as caught:
        await provider.complete(request())
    assert '@awp_core.agent("writer")' in caught.value.hint


def test_this_version_has_stub_and_callable():
    providers = load_providers()
    assert {"stub", "callable"} <= set(providers)
    assert [providers[name].missing({}) for name in ("stub", "callable")] == ["", ""]
