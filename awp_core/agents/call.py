"""Call an agent: build the request, read its answer, and ask again with what was wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from awp_core.agents.contract import ContractError, read_answer
from awp_core.agents.functions import call_function
from awp_core.agents.spec import AgentSpec
from awp_core.errors import AwpError, ProviderError
from awp_core.providers.base import Message, Provider, Request, Response
from awp_core.values import shorten

JSON = Any
REPAIRS: Final = 2  # how often an answer that does not fit is asked for again


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
        ProviderError: The provider failed, or no answer fits the agent's schema; names the agent.
        AwpError: A function got no value for a parameter, raised, or returned no JSON.
    """
    if spec.function is not None:
        output = await call_function(spec, instructions=instructions, inputs=inputs, visible=visible)
        return AgentAnswer(output, "callable", getattr(spec.function, "__name__", "function"))
    if provider is None:
        raise ProviderError(f"agent {spec.id!r} has no provider", hint="choose one with --provider")
    messages = [Message("user", _question(spec.schema, instructions, inputs, visible))]
    spent, problem = [0, 0], ""
    for _ in range(REPAIRS + 1):
        response = await _complete(provider, _request(spec, model, messages, inputs, visible))
        spent[0] += response.prompt_tokens
        spent[1] += response.completion_tokens
        try:
            output, problem = read_answer(response.text if response.value is None else response.value, spec.schema)
        except ContractError as exc:
            raise ProviderError(f"agent {spec.id!r}: {exc.message}", hint=exc.hint) from exc
        if not problem:
            return AgentAnswer(output, provider.name, response.model, *spent)
        again = f"That does not fit: {problem}. Answer again, with the JSON object only."
        messages += [Message("assistant", response.text), Message("user", again)]
    raise ProviderError(
        f"agent {spec.id!r}: no answer of {provider.name} fits its schema: {problem}",
        hint="make the instructions clearer, or loosen the schema",
    )


def _request(
    spec: AgentSpec,
    model: str,
    messages: list[Message],
    inputs: Mapping[str, JSON],
    visible: Mapping[str, JSON],
) -> Request:
    return Request(
        agent=spec.id,
        system=spec.system,
        messages=tuple(messages),
        schema=spec.schema,
        model=model,
        temperature=spec.temperature,
        max_tokens=spec.max_tokens,
        inputs=inputs,
        visible=visible,
    )


async def _complete(provider: Provider, request: Request) -> Response:
    """Ask the provider; an exception that is none of ours becomes a ProviderError that names the agent."""
    try:
        return await provider.complete(request)
    except AwpError:
        raise
    except Exception as exc:
        reason = shorten(f"{type(exc).__name__}: {exc}", 300)
        raise ProviderError(f"agent {request.agent!r}: provider {provider.name} failed: {reason}") from exc


def _question(
    schema: Mapping[str, JSON] | None, instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]
) -> str:
    parts = [instructions] if instructions else []
    for title, values in (("Inputs", inputs), ("Results so far", visible)):
        if values:
            parts.append(f"{title}:\n{_spelled(values)}")
    if schema is not None:
        parts.append(f"Answer with one JSON object that fits this JSON Schema:\n{_spelled(schema)}")
    return "\n\n".join(parts)


def _spelled(values: Mapping[str, JSON]) -> str:
    return json.dumps(dict(values), ensure_ascii=False, indent=2)
