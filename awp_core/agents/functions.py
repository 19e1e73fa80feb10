"""Agents that are Python functions of the user: how one teaches, tests and prototypes without a model (spec 07)."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from awp_core.errors import AwpError, UsageError, nearest
from awp_core.values import check_json

F = TypeVar("F", bound=Callable[..., Any])
JSON = Any


class AgentFunctions(Mapping[str, Callable[..., Any]]):
    """The functions of one session, by agent name."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def agent(self, name: str) -> Callable[[F], F]:
        """Return a decorator that makes a function, sync or async, the agent called `name`.

        Raises:
            UsageError: The decorator is used without a name.
        """
        if callable(name) or not name:  # `@agent` without a name hands us the function itself
            raise UsageError("an agent needs a name", hint='write @agent("name") above the function')

        def register(function: F) -> F:
            self._functions[name] = function
            return function

        return register


async def call_function(
    name: str, function: Callable[..., Any], *, instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]
) -> dict[str, JSON]:
    """Call a function with arguments by name, and return its result as an agent's object.

    A parameter is `inputs`, `state` or `instructions`; else an input, an upstream node's whole output, or a field that
    exactly one upstream output has. A sync function runs on a thread of its own, so it cannot hold up other nodes; it
    cannot be killed there either: after a time-out its result is dropped. The values are copies, because what a
    function does to them must not change the record.

    Raises:
        AwpError: A parameter has no value, or the result is not JSON.
    """
    arguments = _arguments(name, function, instructions, inputs, visible)
    if inspect.iscoroutinefunction(function):
        result = await function(**arguments)
    else:
        result = await asyncio.to_thread(function, **arguments)
        if inspect.isawaitable(result):
            result = await result
    check_json(result, f"result of agent {name}")
    if isinstance(result, dict):
        return result
    return {"text": result} if isinstance(result, str) else {"output": result}


def _arguments(
    name: str, function: Callable[..., Any], instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]
) -> dict[str, JSON]:
    known: dict[str, JSON] = {**_unique_fields(visible), **visible, **inputs}
    known |= {"inputs": dict(inputs), "state": dict(visible), "instructions": instructions}
    arguments: dict[str, JSON] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= {key: value for key, value in {**visible, **inputs}.items() if key not in arguments}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            raise AwpError(f"agent {name!r}: its parameter {parameter.name!r} cannot be given by name", hint="remove the `/`")
        elif parameter.name in known:
            arguments[parameter.name] = known[parameter.name]
        elif parameter.default is parameter.empty:
            close = nearest(parameter.name, known)
            raise AwpError(
                f"agent {name!r}: nothing fills its parameter {parameter.name!r}",
                hint=f"did you mean {close!r}?" if close else f"there is: {', '.join(known)}",
            )
    return copy.deepcopy(arguments)


def _unique_fields(visible: Mapping[str, JSON]) -> dict[str, JSON]:
    fields: dict[str, JSON] = {}
    seen: set[str] = set()
    for output in visible.values():
        for key, value in output.items() if isinstance(output, dict) else ():
            if key in seen:
                fields.pop(key, None)
            else:
                fields[key] = value
            seen.add(key)
    return fields
