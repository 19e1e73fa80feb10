"""deliver: what the nodes above produced, joined by a blank line (spec 02)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from awp_core.channels.base import Envelope, Receipt
from awp_core.nodes.builtin.deliver import NODE
from awp_core.nodes.testing import RecordingContext, run_node

WHERE = {"config": {"channel": "discord", "chat_id": "c1", "format": "text"}}


async def test_output_wins_over_text_and_neither_means_all_of_it_as_json():
    outputs = {"a": {"text": "no", "output": "A"}, "b": {"text": "B"}, "c": {"n": 1}, "d": "D", "e": [1]}
    context = RecordingContext(outputs=outputs)
    output = await run_node(NODE, WHERE, context)
    text = 'A\n\nB\n\n{"n": 1}\n\nD\n\n[1]'
    assert context.sent == [Envelope("discord", "message", "c1", text, format="text")]
    assert output == {"delivered": True, "channel": "discord", "chat_id": "c1", "chars": 22}


async def test_structured_outputs_are_sent_as_json():
    context = RecordingContext(outputs={"a": {"output": {"x": "ä"}}})
    await run_node(NODE, WHERE, context)
    assert context.sent[0].text == '{"x": "ä"}'


@pytest.mark.parametrize("outputs", [{}, {"a": {}}, {"a": {"text": ""}}, {"a": None}])
async def test_nothing_above_is_not_delivered_and_says_why(outputs):
    context = RecordingContext(outputs=outputs)
    output = await run_node(NODE, WHERE, context)
    assert context.sent == []
    assert output == {
        "delivered": False, "channel": "discord", "chat_id": "c1", "chars": 0,
        "reason": "nothing above it produced a text",
    }  # fmt: skip


async def test_only_direct_dependencies_are_delivered():
    context = RecordingContext(outputs={"a": {"text": "A"}, "b": {"text": "B"}}, upstream=["b"])
    await run_node(NODE, WHERE, context)
    assert context.sent[0].text == "B"


async def test_a_refused_message_says_why():
    context = RecordingContext(outputs={"a": {"text": "A"}}, receipt=Receipt(False, "offline"))
    output = await run_node(NODE, WHERE, context)
    assert (output["delivered"], output["reason"], output["chars"]) == (False, "offline", 1)


async def test_without_a_config_it_goes_to_the_notebook_and_the_starting_chat():
    output = await run_node(NODE, {}, RecordingContext(outputs={"a": {"text": "A"}}, chat_id="me"))
    assert (output["channel"], output["chat_id"]) == ("notebook", "me")


@pytest.mark.parametrize("config", ["discord", {"channel": 1}, {"format": "pdf"}, {"chat_id": ""}])
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate({"config": config})
