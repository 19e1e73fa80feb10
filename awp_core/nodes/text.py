"""Texts that a node sends to people, and the chat they go to: written out, or taken from a selector."""

from __future__ import annotations

import re

from awp_core.errors import AwpError
from awp_core.nodes.base import NodeContext, SelectorUse, shown

# No space is matched apart from the selector: three overlapping repetitions would take cubic time.
PLACEHOLDER = re.compile(r"\{\{(?P<selector>[^{}]+)\}\}")


def fill(context: NodeContext, text: str) -> str:
    """Replace every `{{selector}}` once; what a value contains is never filled in again.

    A missing value becomes nothing and is recorded as `selector.missing`. A structured value becomes JSON.

    Raises:
        AwpError: A placeholder is no selector.
    """

    def value(match: re.Match[str]) -> str:
        found = context.select(match["selector"].strip())
        return "" if found is None else shown(found)

    return PLACEHOLDER.sub(value, text)


def text_of(context: NodeContext, text: str | None, selector: str | None) -> str:
    """Return the text of a node that has either a text or a selector; structured values become JSON."""
    if text is not None:
        return fill(context, text)
    found = context.select(selector or "")
    return "" if found is None else shown(found)


def chat_of(context: NodeContext, chat_id: str, selector: str | None = None) -> str:
    """Return the chat a node addresses; `auto` is the chat that started the run.

    Raises:
        AwpError: The selector gives no chat. A message to nobody is a mistake, and a question to nobody would have
            no approver, so that anybody could answer it.
    """
    if selector is None:
        return context.chat_id if chat_id == "auto" else chat_id
    found = context.select(selector)
    if isinstance(found, str) and found.strip():
        return found
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    what = "nothing" if found is None else f"a {type(found).__name__}" if found != "" else "an empty text"
    raise AwpError(f"chat_id_from: {selector!r} gives {what}, not a chat", hint="select a text, or write `chat_id`")


def placeholders(field: str, text: str | None) -> list[SelectorUse]:
    """Return the selectors in a text, for rule N5."""
    return [SelectorUse((field,), match["selector"].strip()) for match in PLACEHOLDER.finditer(text or "")]
