"""Channels: which there are, and what each does with an envelope that is on disk already."""

from __future__ import annotations

import sys

import pytest

from awp_core.channels import channel_names, load_channels
from awp_core.channels.base import DeliveryContext, Envelope
from awp_core.errors import NotFoundError

BRIDGES = ["discord", "email", "signal", "slack", "teams", "telegram", "whatsapp"]
CHANNELS = load_channels()
CONTEXT = DeliveryContext("run", "node", "run:node", {})


def envelope(text: str, chat_id: str = "c1") -> Envelope:
    return Envelope("terminal", "message", chat_id, text)


def test_the_notebook_the_terminal_and_every_bridge_of_the_seed_are_there():
    assert channel_names() >= {"notebook", "terminal", *BRIDGES}


def test_every_channel_is_found_under_its_own_name():
    assert [name for name, channel in CHANNELS.items() if channel.name != name or not channel.summary] == []


def test_an_unknown_channel_names_the_nearest():
    with pytest.raises(NotFoundError) as caught:
        CHANNELS.find("discrod")
    assert "'discord'" in caught.value.hint


@pytest.mark.parametrize("name", BRIDGES)
async def test_a_bridge_leaves_the_envelope_and_says_so(name, capsys):
    receipt = await CHANNELS[name].deliver(envelope("hi"), CONTEXT)
    assert receipt.delivered
    assert "outbox/" in receipt.reason
    assert capsys.readouterr() == ("", "")


async def test_the_notebook_prints_nothing(capsys):
    assert (await CHANNELS["notebook"].deliver(envelope("hi"), CONTEXT)).delivered
    assert capsys.readouterr() == ("", "")


async def test_the_terminal_prints_to_standard_error_only(capsys):
    assert (await CHANNELS["terminal"].deliver(envelope("one\ntwo"), CONTEXT)).delivered
    assert capsys.readouterr() == ("", "[c1] one\ntwo\n")


@pytest.mark.parametrize("bad", ["\x1b[2J", "\x07", "\x9b31m", "\u202e", "\r"])
async def test_the_terminal_shows_control_characters_instead_of_obeying_them(bad, capsys):
    await CHANNELS["terminal"].deliver(envelope(f"a{bad}b", chat_id=f"c{bad}"), CONTEXT)
    printed = capsys.readouterr().err
    assert bad not in printed
    assert printed.startswith("[c")


async def test_the_terminal_bounds_what_it_prints(capsys):
    await CHANNELS["terminal"].deliver(envelope("x" * 1_000_000), CONTEXT)
    printed = capsys.readouterr().err
    assert len(printed) < 21_000
    assert "1,000,000 characters in all" in printed


async def test_a_closed_terminal_is_not_delivered_and_says_why(monkeypatch, tmp_path):
    closed = (tmp_path / "err").open("w")
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    receipt = await CHANNELS["terminal"].deliver(envelope("hi"), CONTEXT)
    assert not receipt.delivered
    assert "standard error" in receipt.reason
