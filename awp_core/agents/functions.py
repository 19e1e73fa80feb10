"""Agents that are Python functions of the user: how one teaches, tests and prototypes without a model (spec 07)."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from awp_core.agents.invoke import in_process, in_thread, on_loop
from awp_core.agents.spec import AgentSpec
from awp_core.errors import AwpError, UsageError, nearest
from awp_core.values import check_json, plain_copy

F = TypeVar("F", bound=Callable[..., Any])
JSON = Any
_LISTED = 20  # names shown in a hint


class AgentFunctions(Mapping[str, Callable[..., Any]]):
    """The functions of one session, by agent name."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._in_process: set[str] = set()

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def agent(self, name: str, *, process: bool = False) -> Callable[[F], F]:
        """Return a decorator that makes a function, sync or async, the agent called `name`.

        Args:
            name: What `agent:` names. Defining it again replaces it.
            process: Run it in a process of its own, so that a time-out can kill it. The function must be
                importable there: a function of a module, not of a notebook cell.

        Raises:
            UsageError: The decorator is used without a name, or on something that cannot be called.
        """
        if callable(name) or not name:  # `@agent` without a name hands us the function itself
            raise UsageError("an agent needs a name", hint='write @agent("name") above the function')

        def register(function: F) -> F:
            if not callable(function):
                raise UsageError(f"agent {name!r} is a {type(function).__name__}, which cannot be called")
            if process and inspect.iscoroutinefunction(function):
                raise UsageError(f"agent {name!r} is async and has no need of process=True", hint="leave it out")
            self._functions[name] = function
            (self._in_process.add if process else self._in_process.discard)(name)
            return function

        return register

    def spec(self, name: str) -> AgentSpec:
        """Return the agent called `name`.

        Raises:
            KeyError: There is none.
        """
        return AgentSpec(name, function=self._functions[name], process=name in self._in_process)


async def call_function(
    spec: AgentSpec, *, instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]
) -> dict[str, JSON]:
    """Call an agent's function with arguments by name, and return its result as an agent's object.

    A parameter is `inputs`, `state`, `instructions` or `item`; else an input, an upstream node's whole output, or a
    field that exactly one upstream output has. A sync function runs on a thread of its own, so it cannot hold up
    other nodes; it cannot be killed there: after a time-out its result is dropped. The values are copies, because
    what a function does to them must not change the record.

    Raises:
        CodeError: The function raised; carries its own lines.
        AwpError: A parameter has no value, or the result is not JSON.
    """
    function = spec.function
    if function is None:
        raise AwpError(f"agent {spec.id!r} is no Python function")
    arguments = _arguments(spec.id, function, instructions, inputs, visible)
    if inspect.iscoroutinefunction(function):
        result = await on_loop(spec.id, function(**arguments))
    elif spec.process:
        result = await in_process(spec.id, function, arguments)
    else:
        result = await in_thread(spec.id, function, arguments)
        if inspect.isawaitable(result):
            result = await on_loop(spec.id, result)
    check_json(result, f"result of agent {spec.id}")
    result = plain_copy(result)  # the function may keep it and change it later
    check_json(result, f"result of agent {spec.id}")  # again, because a subclass of dict may have shown something else
    if isinstance(result, dict):
        return result
    return {"text": result} if isinstance(result, str) else {"output": result}


def _arguments(
    name: str, function: Callable[..., Any], instructions: str, inputs: Mapping[str, JSON], visible: Mapping[str, JSON]
) -> dict[str, JSON]:
    known: dict[str, JSON] = {**_unique_fields(visible), **visible, **inputs}
    known |= {"inputs": dict(inputs), "state": dict(visible), "instructions": instructions}
    if "item" in visible:  # what a fan-out adds; an input of that name is reached by `inputs`
        known["item"] = visible["item"]
    arguments: dict[str, JSON] = {}
    for parameter in _parameters(name, function):
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= {key: value for key, value in {**visible, **inputs}.items() if key not in arguments}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            if parameter.default is not parameter.empty:
                continue
            raise AwpError(f"agent {name!r}: {parameter.name!r} cannot be given by name", hint="remove the `/`")
        elif parameter.name in known:
            arguments[parameter.name] = known[parameter.name]
        elif parameter.default is parameter.empty:
            close = nearest(parameter.name, known)
            listed = ", ".join(list(known)[:_LISTED])
            raise AwpError(
                f"agent {name!r}: nothing fills its parameter {parameter.name!r}",
                hint=f"did you mean {close!r}?" if close else f"there is: {listed}",
            )
    return copy.deepcopy(arguments)


def _parameters(name: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError) as exc:  # some built-ins do not tell
        raise AwpError(f"agent {name!r}: its parameters are unknown", hint="wrap it in a `def` of your own") from exc


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
