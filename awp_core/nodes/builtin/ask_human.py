"""`ask_human`: pause until a person answers. No model and no stub can ever answer it (spec 02)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from awp_core.channels.base import Envelope
from awp_core.nodes.base import Ask, Lane, NodeConfig, NodeContext, NodeType, SelectorUse
from awp_core.nodes.text import chat_of, placeholders, text_of

# What `min` and `max` are called in a JSON Schema; other types have no such limits.
_LIMITS = {
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "text": ("minLength", "maxLength"),
    "string": ("minLength", "maxLength"),
}


class Expect(NodeConfig):
    """What the answer must look like."""

    field: str = Field(min_length=1, description="name of the output field")
    type: Literal["text", "string", "boolean", "number", "integer", "choice", "form"] = Field(
        default="text", description="what the reply is turned into"
    )
    options: tuple[str, ...] = Field(default=(), description="choice: what can be chosen")
    schema_: dict[str, Any] | None = Field(default=None, alias="schema", description="form: a JSON Schema")
    min: int | float | None = Field(default=None, description="least number, or fewest characters of a text")
    max: int | float | None = Field(default=None, description="greatest number, or most characters of a text")

    def as_data(self) -> dict[str, Any]:
        """Return it as the engine keeps it; `min` and `max` become part of the schema, which is what checks a reply."""
        data: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        names = _LIMITS.get(self.type)
        if names is not None:
            given = zip(names, (self.min, self.max), strict=True)
            limits = {name: limit for name, limit in given if limit is not None}
            if limits:
                data["schema"] = {**(self.schema_ or {}), **limits}
        return data


class OnTimeout(NodeConfig):
    """What happens when nobody answers in time."""

    branch: str = Field(min_length=1, description="case that nodes with `branch:` wait for")


class AskHumanConfig(NodeConfig):
    """Fields of an ask_human node."""

    channel: str = Field(default="notebook", description="where the question goes")
    prompt: str | None = Field(default=None, description="the question, Markdown; {{selector}} is filled in")
    prompt_from: str | None = Field(default=None, description="selector of the question")
    expect: Expect | None = Field(default=None, description="field, type and options of the answer")
    chat_id: str = Field(default="auto", min_length=1, description="the chat; auto is the one that started the run")
    chat_id_from: str | None = Field(default=None, description="selector of the chat")
    approver: str | None = Field(
        default=None, min_length=1, description="who may answer; by default the chat it was sent to"
    )
    timeout_minutes: float | None = Field(default=None, gt=0, description="minutes until the question expires")
    on_timeout: OnTimeout | None = Field(default=None, description="the branch taken when it expires")

    @model_validator(mode="after")
    def _one_prompt(self) -> AskHumanConfig:
        if (self.prompt is None) == (self.prompt_from is None):
            raise ValueError("needs exactly one of 'prompt' and 'prompt_from'")
        return self


async def _run(context: NodeContext, config: AskHumanConfig) -> Ask:
    prompt = text_of(context, config.prompt, config.prompt_from)
    chat = chat_of(context, config.chat_id, config.chat_id_from)
    expect = config.expect.as_data() if config.expect is not None else {}
    return Ask(
        prompt,
        expect,
        Envelope(config.channel, "question", chat, prompt, expect=expect),
        approver=config.approver or chat,
        timeout_s=None if config.timeout_minutes is None else config.timeout_minutes * 60,
        on_timeout=config.on_timeout.branch if config.on_timeout is not None else None,
    )


def _selectors(config: AskHumanConfig) -> list[SelectorUse]:
    uses = placeholders("prompt", config.prompt)
    named = (("prompt_from", config.prompt_from), ("chat_id_from", config.chat_id_from))
    return uses + [SelectorUse((field,), selector) for field, selector in named if selector is not None]


def _fields(config: AskHumanConfig) -> frozenset[str]:
    answered = {"reply"} if config.expect is None else {config.expect.field, "raw_reply"}
    return frozenset(answered | ({"expired"} if config.on_timeout is not None else set()))


NODE = NodeType(
    "ask_human",
    "Asks a person and pauses the run until the answer is there.",
    AskHumanConfig,
    _run,
    lane=Lane.COMPUTE,
    channel=lambda config: config.channel,
    selectors=_selectors,
    fields=_fields,
    cases=lambda config: (config.on_timeout.branch,) if config.on_timeout is not None else (),
)
