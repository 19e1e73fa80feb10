"""Which provider answers an agent (spec 03, Providers)."""

from __future__ import annotations

import re
from collections.abc import Mapping

STUB = "stub"
# Routing by model string, as in seed skill-system; the first that matches.
_ROUTES = (
    (re.compile(r"ollama/.+"), "ollama"),
    (re.compile(r"(gpt-|o1|o3|o4).*"), "openai"),
    (re.compile(r"claude-.*"), "anthropic"),
    (re.compile(r"[^/\s]+/.+"), "openrouter"),
)
_ALIASES = {"claude": "claude_cli"}


def choose_provider(
    explicit: str | None, environ: Mapping[str, str], agent: str | None, workflow: str | None, model: str | None
) -> str:
    """Return the name of the provider, in the order of spec 03; with nothing configured it is `stub`.

    Args:
        explicit: What the command line or the magic says.
        environ: Where AWP_PROVIDER may be set.
        agent: The agent's own `model.provider`.
        workflow: `settings.llm.default_provider`.
        model: The agent's or the workflow's model string.

    >>> choose_provider(None, {}, None, None, "claude-sonnet-4")
    'anthropic'
    >>> choose_provider(None, {}, None, None, None)
    'stub'
    """
    chosen = explicit or environ.get("AWP_PROVIDER") or agent or workflow or route(model or "") or STUB
    return _ALIASES.get(chosen, chosen)


def route(model: str) -> str:
    """Return the provider a model string names, "" if none."""
    return next((name for pattern, name in _ROUTES if pattern.fullmatch(model)), "")
