"""ask_human: what goes out, what may come back, and who may send it (spec 02)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.errors import AwpError, ReplyError
from awp_core.expressions.replies import coerce_reply
from awp_core.nodes.base import Ask
from awp_core.nodes.builtin.ask_human import NODE
from awp_core.nodes.testing import RecordingContext, run_node


async def asked(config: dict, **context) -> Ask:
    ask = await run_node(NODE, {"prompt": "Go on?", **config}, RecordingContext(chat_id="chat-7", **context))
    assert isinstance(ask, Ask)
    return ask


async def test_asks_the_chat_that_started_the_run_and_only_it_may_answer():
    ask = await asked({})
    assert (ask.prompt, ask.expect, ask.approver) == ("Go on?", {}, "chat-7")
    assert (ask.envelope.channel, ask.envelope.kind, ask.envelope.chat_id) == ("notebook", "question", "chat-7")
    assert (ask.timeout_s, ask.on_timeout) == (None, None)


async def test_the_node_itself_sends_nothing():
    context = RecordingContext()
    await run_node(NODE, {"prompt": "x"}, context)
    assert context.sent == []


async def test_an_approver_of_its_own_wins_over_the_chat():
    assert (await asked({"approver": "boss", "chat_id": "c2"})).approver == "boss"
    assert (await asked({"chat_id": "c2"})).approver == "c2"


async def test_a_question_to_nobody_is_refused_because_anybody_could_answer_it():
    with pytest.raises(AwpError, match="not a chat"):
        await asked({"chat_id_from": "gone"})


async def test_the_prompt_is_filled_and_goes_out_as_it_is_recorded():
    ask = await asked({"prompt": "Pay {{sum}}?"}, inputs={"sum": 12.5})
    assert ask.prompt == ask.envelope.text == "Pay 12.5?"


async def test_the_prompt_may_come_from_a_selector():
    ask = await run_node(NODE, {"prompt_from": "draft"}, RecordingContext(outputs={"draft": {"q": 1}}))
    assert ask.prompt == '{"q": 1}'


async def test_minutes_become_seconds_and_the_branch_is_a_case():
    config = {"timeout_minutes": 1.5, "on_timeout": {"branch": "late"}}
    ask = await asked(config)
    assert (ask.timeout_s, ask.on_timeout) == (90.0, "late")
    parsed = NODE.config.model_validate({"prompt": "x", **config})
    assert NODE.cases(parsed) == ("late",)
    assert NODE.fields(parsed) == {"reply", "expired"}


async def test_what_is_expected_is_plain_json():
    expect = {"field": "pick", "type": "choice", "options": ["no", "2"]}
    ask = await asked({"expect": expect})
    assert ask.expect == expect
    assert ask.envelope.expect == expect


@pytest.mark.parametrize(
    ("kind", "limits", "good", "bad"),
    [
        ("integer", {"min": 1, "max": 5}, "5", ["0", "6"]),
        ("number", {"min": 0.5}, "0.5", ["0.4"]),
        ("text", {"min": 2, "max": 3}, "abc", ["a", "abcd"]),
    ],
)
async def test_least_and_greatest_are_enforced(kind, limits, good, bad):
    expect = (await asked({"expect": {"field": "f", "type": kind, **limits}})).expect
    coerce_reply(kind, good, (), expect["schema"])
    for reply in bad:
        with pytest.raises(ReplyError):
            coerce_reply(kind, reply, (), expect["schema"])


async def test_limits_add_to_a_schema():
    expect = {"field": "f", "type": "integer", "schema": {"multipleOf": 5}, "max": 10}
    assert (await asked({"expect": expect})).expect["schema"] == {"multipleOf": 5, "maximum": 10}


@pytest.mark.parametrize(
    "config",
    [
        {"prompt": None},
        {"prompt_from": "x"},
        {"expect": {"type": "boolean"}},
        {"expect": {"field": "", "type": "boolean"}},
        {"expect": {"field": "f", "type": "colour"}},
        {"expect": {"field": "f", "schema": "a.json"}},
        {"expect": {"field": "f", "type": "choice", "options": [1, True]}},
        {"timeout_minutes": 0},
        {"on_timeout": {}},
        {"on_timeout": "late"},
        {"approver": ""},
    ],
)
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate({"prompt": "x", **config})


def test_tells_its_fields():
    def fields(**config):
        return NODE.fields(NODE.config.model_validate({"prompt": "x", **config}))

    assert fields() == {"reply"}
    assert fields(expect={"field": "ok", "type": "boolean"}) == {"ok", "raw_reply"}


def test_no_agent_can_ever_answer_it():
    assert NODE.agent(NODE.config.model_validate({"prompt": "x"})) is None
