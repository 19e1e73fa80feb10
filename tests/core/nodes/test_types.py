"""Every node type: found by its file, described, and tolerant of fields it does not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.nodes import load_node_types
from awp_core.nodes.base import Lane
from awp_core.nodes.builtin.agent import NODE as AGENT
from awp_core.nodes.builtin.static import NODE as STATIC
from awp_core.nodes.testing import RecordingContext, run_node

TYPES = load_node_types()
SMALLEST = {
    "merge": {"strategy": "concat_list", "inputs": ["a"], "output": "o"},
    "route": {"cases": [{"id": "a", "default": True}]},
    "answer": {"text": "x"},
    "ask_human": {"prompt": "x"},
    "static": {"value": 1},
    "fan_out": {"items_from": "a"},
    "subworkflow": {"subworkflow": "other"},
    "compute": {"function": "json:dumps"},
}


def test_every_type_of_the_table_but_the_delegation_loop_is_there():
    assert set(TYPES) == {
        "agent", "answer", "ask_human", "code", "compute", "deliver", "fan_out", "merge", "route", "static",
        "subworkflow",
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_field_is_described_for_completion(name):
    kind = TYPES[name]
    assert kind.summary.endswith(".")
    assert [field for field, about in kind.config.model_fields.items() if not about.description] == []


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_field_of_a_later_version_is_ignored(name):
    TYPES[name].config.model_validate({**SMALLEST.get(name, {}), "of_a_later_version": 1})


def test_only_agents_and_classification_need_a_provider():
    callers = {name for name, config in ((n, SMALLEST.get(n, {})) for n in TYPES)
               if TYPES[name].agent(TYPES[name].config.model_validate(config)) is not None}  # fmt: skip
    assert callers == {"agent", "fan_out"}


@pytest.mark.parametrize("value", [0, None, "", [1, [2]], {"a": {"b": None}}, "{{not filled}}"])
async def test_static_gives_any_value_as_written(value):
    assert await run_node(STATIC, {"value": value}, RecordingContext()) == value


def test_static_without_a_value_is_refused_but_null_is_a_value():
    with pytest.raises(ValidationError):
        STATIC.config.model_validate({})
    assert STATIC.fields(STATIC.config.model_validate({"value": {"a": 1}})) == {"a"}
    assert STATIC.fields(STATIC.config.model_validate({"value": None})) is None


async def test_agent_passes_its_instructions_and_what_is_above():
    context = RecordingContext(outputs={"a": {"x": 1}}, agents={"writer": {"text": "ok"}})
    assert await run_node(AGENT, {"agent": "writer", "instructions": "Write."}, context) == {"text": "ok"}
    assert context.asked == [("Write.", {"a": {"x": 1}})]


def test_an_agent_node_needs_nothing_and_calls_its_own_agent():
    config = AGENT.config.model_validate({})
    assert AGENT.agent(config) == ""
    assert AGENT.lane is Lane.PROVIDER
