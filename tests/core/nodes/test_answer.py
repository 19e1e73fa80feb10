"""answer: a text to the chat, without waiting (spec 02)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.channels.base import Envelope, Receipt
from awp_core.errors import AwpError
from awp_core.nodes.base import SelectorUse
from awp_core.nodes.builtin.answer import NODE
from awp_core.nodes.testing import RecordingContext, run_node

OUTPUTS = {"draft": {"text": "Hello {{secret}}", "rows": [1, "ü"]}}


async def test_sends_a_text_to_the_chat_that_started_the_run():
    context = RecordingContext(chat_id="chat-7")
    output = await run_node(NODE, {"text": "Done."}, context)
    assert output == {"sent": True, "text": "Done.", "channel": "notebook", "chat_id": "chat-7"}
    assert context.sent == [Envelope("notebook", "answer", "chat-7", "Done.")]


async def test_structured_values_are_sent_as_json():
    assert (await run_node(NODE, {"text_from": "draft.rows"}, RecordingContext(outputs=OUTPUTS)))["text"] == '[1, "ü"]'


async def test_fills_selectors_once_and_never_what_they_contain():
    context = RecordingContext({"name": "Ann", "secret": "hunter2"}, OUTPUTS)
    output = await run_node(NODE, {"text": "{{ name }}: {{draft.text}}, {{draft.rows}}{{gone}}!"}, context)
    assert output["text"] == 'Ann: Hello {{secret}}, [1, "ü"]!'
    assert context.missed == ["gone"]


async def test_a_text_full_of_braces_and_spaces_takes_no_time():
    text = "{{" + " " * 100_000 + "{{ x"
    assert (await run_node(NODE, {"text": text}, RecordingContext()))["text"] == text


async def test_a_message_that_was_not_sent_says_why():
    context = RecordingContext(receipt=Receipt(False, "no bridge"))
    output = await run_node(NODE, {"text": "x"}, context)
    assert (output["sent"], output["reason"]) == (False, "no bridge")


@pytest.mark.parametrize(("value", "chat"), [("c1", "c1"), (42, "42")])
async def test_the_chat_may_come_from_a_selector(value, chat):
    output = await run_node(NODE, {"text": "x", "chat_id_from": "to"}, RecordingContext({"to": value}))
    assert output["chat_id"] == chat


@pytest.mark.parametrize("value", [None, "", " ", True, {"id": 1}, ["c"]])
async def test_a_selector_that_gives_no_chat_is_an_error(value):
    context = RecordingContext({"to": value})
    with pytest.raises(AwpError, match=r"'to' gives .* not a chat"):
        await run_node(NODE, {"text": "x", "chat_id_from": "to"}, context)
    assert context.sent == []


@pytest.mark.parametrize(
    "config",
    [{}, {"text": "a", "text_from": "b"}, {"text": 1}, {"text": "a", "chat_id": ""}, {"text": "a", "channel": 1}],
)
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate(config)


def test_tells_every_selector():
    config = NODE.config.model_validate({"text": "{{ a.b }} and {{c}}", "chat_id_from": "d"})
    assert list(NODE.selectors(config)) == [
        SelectorUse(("text",), "a.b"),
        SelectorUse(("text",), "c"),
        SelectorUse(("chat_id_from",), "d"),
    ]
    assert list(NODE.selectors(NODE.config.model_validate({"text_from": "e"}))) == [SelectorUse(("text_from",), "e")]
