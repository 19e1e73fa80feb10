"""Call an agent: build the request, take the JSON object from the answer, check it, ask again with the errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from awp_core.agents.functions import call_function
from awp_core.agents.spec import AgentSpec
from awp_core.errors import ProviderError
from awp_core.providers.base import Message, Provider, Request
from awp_core.values import check_json

JSON = Any
REPAIRS = 2  # how often an answer that does not fit is asked for again


class AgentAnswer(NamedTuple):
    """What an agent said, and what it cost."""

    output: dict[str, JSON]
    provider: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


async def call_agent(
    spec: AgentSpec,
    provider: Provider | None,
    *,
    model: str,
    instructions: str,
    inputs: Mapping[str, JSON],
    visible: Mapping[str, JSON],
) -> AgentAnswer:
    """Call an agent and return its object.

    Args:
        spec: The agent.
        provider: What answers; None only for an agent that is a function.
        model: The model to ask for, "" for the provider's own.
        instructions: What the node asks.
        inputs: The workflow's inputs.
        visible: What it may see of other nodes.

    Raises:
        ProviderError: The provider failed, or no answer fits the agent's schema.
        AwpError: A function got no value for a parameter, or returned no JSON.
    """
    if spec.function is not None or provider is None:
        function = spec.function
        if function is None:
            raise ProviderError(f"agent {spec.id!r} has no provider")
        output = await call_function(spec.id, function, instructions=instructions, inputs=inputs, visible=visible)
        return AgentAnswer(output, "callable", getattr(function, "__name__", "function"))
    messages = [Message("user", _question(instructions, inputs, visible))]
    spent, problem = [0, 0], ""
    for _ in range(REPAIRS + 1):
        request = Request(
            spec.id, spec.system, tuple(messages), spec.schema, model, spec.temperature, spec.max_tokens, inputs, visible
        )
        response = await provider.complete(request)
        spent[0] += response.prompt_tokens
        spent[1] += response.completion_tokens
        output, problem = _object(response.value if response.value is not None else response.text, spec.schema)
        if not problem:
            return AgentAnswer(output, provider.name, response.model, *spent)
        messages += [Message("assistant", response.text), Message("user", f"That does not fit: {problem}. Answer again.")]
    raise ProviderError(
        f"agent {spec.id!r}: no answer of {provider.name} fits its schema: {problem}",
        hint="make the instructions clearer, or loosen the schema",
    )


def _question(instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]) -> str:
    parts = [instructions] if instructions else []
    for title, values in (("Inputs", inputs), ("Results so far", visible)):
        if values:
            parts.append(f"{title}:\n{json.dumps(dict(values), ensure_ascii=False, indent=2)}")
    return "\n\n".join(parts)


def _object(answer: JSON, schema: Mapping[str, JSON] | None) -> tuple[dict[str, JSON], str]:
    """Return the object in an answer and what is wrong with it ("" if nothing)."""
    found = parse_object(answer) if isinstance(answer, str) else answer
    if not isinstance(found, dict):
        if schema is None and isinstance(answer, str):
            return {"text": answer}, ""
        return {}, "it holds no JSON object"
    check_json(found, "answer")
    return found, _misfit(found, schema) if schema is not None else ""


def _misfit(found: dict[str, JSON], schema: Mapping[str, JSON]) -> str:
    from jsonschema import Draft7Validator  # slow to import, and needed only by agents with a schema

    errors = sorted(Draft7Validator(dict(schema)).iter_errors(found), key=str)
    return "; ".join(f"{error.json_path}: {error.message[:200]}" for error in errors[:5])


def parse_object(text: str) -> dict[str, JSON] | None:
    """Take a JSON object out of a model's text: all of it, a fenced block, or the first that is complete.

    >>> parse_object('Sure! {"a": {"b": 1}} Anything else?')
    {'a': {'b': 1}}
    """
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(100):  # a text full of braces must not cost a second each
        if start < 0:
            return None
        try:
            found, _end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return found if isinstance(found, dict) else None
    return None
