"""route: the first case that holds, or the class an agent names (spec 02)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.errors import AwpError
from awp_core.nodes.base import SelectorUse
from awp_core.nodes.builtin.route import NODE
from awp_core.nodes.testing import RecordingContext, run_node

CASES = [
    {"id": "big", "when": {"selector": "amount", "op": ">", "value": 100}},
    {"id": "some", "when": {"selector": "amount", "op": ">", "value": 10}},
    {"id": "no", "default": True},
]
CLASSIFY = {"mode": "classify", "agent": "triage", "classes": ["billing", "bug"], "input": "ticket"}


async def chosen(amount: object, cases: object = CASES):
    return await run_node(NODE, {"cases": cases}, RecordingContext({"amount": amount}))


async def test_the_first_case_that_holds_wins():
    assert await chosen(500) == {"case": "big", "mode": "condition"}
    assert await chosen(50) == {"case": "some", "mode": "condition"}


async def test_the_default_is_taken_last_and_says_so():
    assert await chosen(5) == {"case": "no", "mode": "condition", "fallback": True}
    assert await chosen(50, [CASES[2], CASES[1]]) == {"case": "some", "mode": "condition"}


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        ("==", 1, 1.0),
        ("!=", 1, True),
        (">=", 2, 2),
        ("<", 1, 2),
        ("<=", 2, 2),
        ("contains", [1], 1),
        ("in", "a", ["a"]),
    ],
)
async def test_knows_every_operator(op, left, right):
    cases = [{"id": "yes", "when": {"selector": "amount", "op": op, "value": right}}, CASES[2]]
    assert (await chosen(left, cases))["case"] == "yes"


async def test_incomparable_values_are_an_error_not_a_silent_no():
    with pytest.raises(AwpError, match="cannot evaluate"):
        await chosen("many")


async def test_without_a_default_it_fails_with_what_to_do():
    with pytest.raises(AwpError, match="none is the default") as caught:
        await chosen(5, CASES[:2])
    assert "default: true" in caught.value.hint


async def test_an_agent_chooses_a_class_and_sees_the_input():
    context = RecordingContext({"ticket": "I was charged twice"}, agents={"triage": {"class": "billing"}})
    assert await run_node(NODE, CLASSIFY, context) == {"case": "billing", "mode": "classify"}
    question, visible = context.asked[0]
    assert "billing, bug" in question
    assert visible == {"input": "I was charged twice", "classes": ["billing", "bug"]}


async def test_a_plain_text_answer_will_do():
    context = RecordingContext({"ticket": ""}, agents={"triage": {"text": " bug\n"}})
    assert (await run_node(NODE, CLASSIFY, context))["case"] == "bug"


@pytest.mark.parametrize("answer", [{"class": "Bug"}, {"class": None}, {"class": ["bug"]}, {"other": "bug"}, {}])
async def test_a_class_outside_the_list_is_an_error(answer):
    context = RecordingContext({"ticket": ""}, agents={"triage": answer})
    with pytest.raises(AwpError, match="none of billing, bug"):
        await run_node(NODE, CLASSIFY, context)


async def test_a_near_class_is_suggested_and_not_taken():
    context = RecordingContext({"ticket": ""}, agents={"triage": {"class": "bugs"}})
    with pytest.raises(AwpError) as caught:
        await run_node(NODE, CLASSIFY, context)
    assert "'bug'" in caught.value.hint


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"mode": "guess", "cases": CASES},
        {"mode": "classify"},
        {"cases": [{"id": "a", "when": {"selector": "x", "op": "~", "value": 1}}]},
        {"cases": [{"id": "a", "when": {"selector": "x", "op": "=="}}]},
        {"cases": [{"when": {"selector": "x", "op": "==", "value": 1}}]},
        {"cases": [{"id": True, "default": True}]},
    ],
)
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate(config)


def test_only_classification_needs_a_provider():
    by_condition = NODE.config.model_validate({"cases": CASES})
    by_agent = NODE.config.model_validate(CLASSIFY)
    assert NODE.agent(by_condition) is None
    assert NODE.agent(by_agent) == "triage"
    assert NODE.agent(NODE.config.model_validate({"mode": "classify", "classes": ["a"]})) == ""


def test_tells_cases_fields_and_selectors():
    by_condition = NODE.config.model_validate({"cases": CASES})
    by_agent = NODE.config.model_validate(CLASSIFY)
    assert NODE.cases(by_condition) == ("big", "some", "no")
    assert NODE.cases(by_agent) == ("billing", "bug")
    assert NODE.fields(by_agent) == {"case", "mode", "fallback"}
    assert list(NODE.selectors(by_condition)) == [
        SelectorUse(("cases", 0, "when", "selector"), "amount"),
        SelectorUse(("cases", 1, "when", "selector"), "amount"),
    ]
    assert list(NODE.selectors(by_agent)) == [SelectorUse(("input",), "ticket")]
