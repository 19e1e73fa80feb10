"""Texts that a node sends to people: fixed, filled from selectors, or taken from one."""

from __future__ import annotations

import re

from awp_core.nodes.base import NodeContext, SelectorUse, shown

PLACEHOLDER = re.compile(r"\{\{\s*(?P<selector>[^{}]+?)\s*\}\}")


def fill(context: NodeContext, text: str) -> str:
    """Replace every `{{selector}}`; a missing value becomes nothing and is recorded as `selector.missing`."""

    def value(match: re.Match[str]) -> str:
        found = context.select(match["selector"])
        return "" if found is None else shown(found)

    return PLACEHOLDER.sub(value, text)


def text_of(context: NodeContext, text: str | None, selector: str | None) -> str:
    """Return the text of a node that has either a text or a selector; structured values become JSON."""
    if text is not None:
        return fill(context, text)
    found = context.select(selector or "")
    return "" if found is None else shown(found)


def chat_of(context: NodeContext, chat_id: str, selector: str | None = None) -> str:
    """Return the chat a node addresses; `auto` is the chat that started the run."""
    if selector is not None:
        found = context.select(selector)
        return "" if found is None else shown(found)
    return context.chat_id if chat_id == "auto" else chat_id


def placeholders(field: str, text: str | None) -> list[SelectorUse]:
    """Return the selectors in a text, for rule N5."""
    return [SelectorUse((field,), match["selector"]) for match in PLACEHOLDER.finditer(text or "")]
