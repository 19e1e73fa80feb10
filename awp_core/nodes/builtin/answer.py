"""`answer`: send a turn's output to the chat; never waits (spec 02)."""

from __future__ import annotations

from pydantic import Field, model_validator

from awp_core.channels.base import Envelope
from awp_core.nodes.base import Lane, NodeConfig, NodeContext, NodeType, Output, SelectorUse
from awp_core.nodes.text import chat_of, placeholders, text_of


class AnswerConfig(NodeConfig):
    """Fields of an answer node."""

    channel: str = Field(default="notebook", description="where the answer goes")
    text: str | None = Field(default=None, description="the answer; {{selector}} is filled in")
    text_from: str | None = Field(default=None, description="selector of the answer")
    chat_id: str = Field(default="auto", min_length=1, description="the chat; auto is the one that started the run")
    chat_id_from: str | None = Field(default=None, description="selector of the chat")

    @model_validator(mode="after")
    def _one_text(self) -> AnswerConfig:
        if (self.text is None) == (self.text_from is None):
            raise ValueError("needs exactly one of 'text' and 'text_from'")
        return self


async def _run(context: NodeContext, config: AnswerConfig) -> Output:
    text = text_of(context, config.text, config.text_from)
    chat = chat_of(context, config.chat_id, config.chat_id_from)
    receipt = await context.send(Envelope(config.channel, "answer", chat, text))
    output: Output = {"sent": receipt.delivered, "text": text, "channel": config.channel, "chat_id": chat}
    return output if receipt.delivered else {**output, "reason": receipt.reason}


def _selectors(config: AnswerConfig) -> list[SelectorUse]:
    uses = placeholders("text", config.text)
    named = (("text_from", config.text_from), ("chat_id_from", config.chat_id_from))
    return uses + [SelectorUse((field,), selector) for field, selector in named if selector is not None]


NODE = NodeType(
    "answer",
    "Sends an answer to the chat and goes on.",
    AnswerConfig,
    _run,
    lane=Lane.COMPUTE,
    channel=lambda config: config.channel,
    selectors=_selectors,
    fields=lambda _config: frozenset({"sent", "text", "channel", "chat_id", "reason"}),
)
