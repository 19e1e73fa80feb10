"""`deliver`: push what the nodes above produced to a channel; never waits (spec 02)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from awp_core.channels.base import Envelope
from awp_core.nodes.base import JSON, Lane, NodeConfig, NodeContext, NodeType, Output, shown
from awp_core.nodes.text import chat_of


class Delivery(NodeConfig):
    """Where and how it is delivered."""

    channel: str = Field(default="notebook", description="where it goes")
    chat_id: str = Field(default="auto", min_length=1, description="the chat; auto is the one that started the run")
    format: Literal["markdown", "text", "json", "html"] = Field(default="markdown", description="how it is written")
    voice: Any = Field(default=None, description="kept for channels that speak")


class DeliverConfig(NodeConfig):
    """Fields of a deliver node."""

    config: Delivery = Field(default=Delivery(), description="channel, chat and format")


async def _run(context: NodeContext, config: DeliverConfig) -> Output:
    delivery = config.config
    chat = chat_of(context, delivery.chat_id)
    text = "\n\n".join(part for part in map(_text, context.upstream.values()) if part)
    receipt = None
    if text:
        receipt = await context.send(Envelope(delivery.channel, "message", chat, text, format=delivery.format))
    reason = "nothing above it produced a text" if receipt is None else receipt.reason
    output: Output = {
        "delivered": receipt is not None and receipt.delivered,
        "channel": delivery.channel,
        "chat_id": chat,
        "chars": len(text),
    }
    return output if output["delivered"] else {**output, "reason": reason}


def _text(output: JSON) -> str:
    """The `output` or `text` of a node above, else all of it as JSON."""
    if isinstance(output, dict):
        if not output:
            return ""
        output = next((output[name] for name in ("output", "text") if output.get(name) is not None), output)
    return "" if output is None else shown(output)


NODE = NodeType(
    "deliver",
    "Pushes what the nodes above produced to a channel and goes on.",
    DeliverConfig,
    _run,
    lane=Lane.COMPUTE,
    channel=lambda config: config.config.channel,
    fields=lambda _config: frozenset({"delivered", "channel", "chat_id", "chars", "reason"}),
)
