"""merge: null is empty, everything else is a value (spec 02)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.errors import AwpError
from awp_core.nodes.base import SelectorUse
from awp_core.nodes.builtin.merge import NODE
from awp_core.nodes.testing import RecordingContext, run_node

OUTPUTS = {
    "zero": {"v": 0},
    "no": {"v": False},
    "blank": {"v": ""},
    "null": {"v": None},
    "list": {"v": [1, None, [2]]},
    "map": {"v": {"a": 1, "b": 1}},
    "later": {"v": {"b": 2}},
}


async def merged(strategy: str, *names: str):
    config = {"strategy": strategy, "inputs": [f"{name}.v" for name in names], "output": "out"}
    return await run_node(NODE, config, RecordingContext(outputs=OUTPUTS))


@pytest.mark.parametrize(("first", "value"), [("zero", 0), ("no", False), ("blank", "")])
async def test_zero_false_and_blank_are_values_and_null_is_not(first, value):
    output = await merged("first_non_empty", "null", first, "map")
    assert output == {"out": value}
    assert type(output["out"]) is type(value)


async def test_first_non_empty_of_nothing_is_null():
    assert await merged("first_non_empty", "null", "null") == {"out": None}


async def test_concat_list_flattens_one_level_and_skips_null():
    assert await merged("concat_list", "list", "null", "zero", "map") == {"out": [1, [2], 0, {"a": 1, "b": 1}]}


async def test_concat_list_of_nothing_is_an_empty_list():
    assert await merged("concat_list", "null") == {"out": []}


async def test_dict_union_lets_the_later_win():
    assert await merged("dict_union", "map", "null", "later") == {"out": {"a": 1, "b": 2}}
    assert await merged("dict_union", "later", "map") == {"out": {"b": 1, "a": 1}}


async def test_dict_union_changes_none_of_its_inputs():
    await merged("dict_union", "map", "later")
    assert OUTPUTS["map"] == {"v": {"a": 1, "b": 1}}


async def test_dict_union_names_the_selector_that_is_no_mapping():
    with pytest.raises(AwpError, match=r"'list\.v' is a list"):
        await merged("dict_union", "map", "list")


async def test_a_skipped_input_is_null_and_recorded():
    context = RecordingContext(outputs=OUTPUTS)
    config = {"strategy": "first_non_empty", "inputs": ["gone.v", "zero.v"], "output": "out"}
    assert await run_node(NODE, config, context) == {"out": 0}
    assert context.missed == ["gone.v"]


@pytest.mark.parametrize(
    "config",
    [
        {"strategy": "join", "inputs": ["a"], "output": "o"},
        {"strategy": "concat_list", "inputs": [], "output": "o"},
        {"strategy": "concat_list", "inputs": "a", "output": "o"},
        {"strategy": "concat_list", "inputs": ["a"]},
        {"inputs": ["a"], "output": "o"},
    ],
)
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate(config)


def test_tells_its_selectors_and_its_only_field():
    config = NODE.config.model_validate({"strategy": "concat_list", "inputs": ["a.x", "b"], "output": "all"})
    assert list(NODE.selectors(config)) == [SelectorUse(("inputs", 0), "a.x"), SelectorUse(("inputs", 1), "b")]
    assert NODE.fields(config) == {"all"}
