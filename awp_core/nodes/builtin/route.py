"""`route`: choose one branch, by conditions in order or by an agent that names a class (spec 02)."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal

from pydantic import Field, model_validator

from awp_core.errors import AwpError, nearest
from awp_core.expressions.conditions import compare
from awp_core.nodes.base import NodeConfig, NodeContext, NodeType, Output, SelectorUse, shown

Operator = Literal["==", "!=", ">", ">=", "<", "<=", "contains", "in"]


class When(NodeConfig):
    """A comparison: the value at a selector against a fixed value."""

    selector: str = Field(description="selector of the left value")
    op: Operator = Field(description="how the two are compared")
    value: Any = Field(description="the fixed value on the right")


class Case(NodeConfig):
    """A branch: its id, and when it is taken; the default one is taken when no other is."""

    id: str = Field(min_length=1, description="what `branch:` of later nodes names")
    when: When | None = Field(default=None, description="the comparison that must hold")
    default: bool = Field(default=False, description="taken when no case holds; exactly one")


class RouteConfig(NodeConfig):
    """Fields of a route node."""

    mode: Literal["condition", "classify"] = Field(default="condition", description="conditions, or an agent")
    cases: tuple[Case, ...] = Field(default=(), description="branches in order; the first that holds is taken")
    agent: str | None = Field(default=None, description="classify: the agent that chooses")
    classes: tuple[str, ...] = Field(default=(), description="classify: the classes it may name")
    input: str | None = Field(default=None, description="classify: selector of what is classified")
    instructions: str = Field(default="", description="classify: instructions for the agent")

    @model_validator(mode="after")
    def _complete(self) -> RouteConfig:
        if self.mode == "condition" and not self.cases:
            raise ValueError("a route by condition needs 'cases'")
        if self.mode == "classify" and not self.classes:
            raise ValueError("a route by classification needs 'classes'")
        return self


def _run(context: NodeContext, config: RouteConfig) -> Output | Awaitable[Output]:
    return _classify(context, config) if config.mode == "classify" else _choose(context, config)


def _choose(context: NodeContext, config: RouteConfig) -> Output:
    for case in config.cases:
        if case.when is not None and compare(case.when.op, context.select(case.when.selector), case.when.value):
            return {"case": case.id, "mode": "condition"}
    default = next((case.id for case in config.cases if case.default), None)
    if default is None:
        raise AwpError("no case holds and none is the default", hint="mark one case with `default: true`")
    return {"case": default, "mode": "condition", "fallback": True}


async def _classify(context: NodeContext, config: RouteConfig) -> Output:
    subject = context.select(config.input) if config.input is not None else None
    classes = list(config.classes)
    # The stub chooses from `classes`; a model reads them in the question.
    answer = await context.call_agent(config.agent or "", _question(config), {"input": subject, "classes": classes})
    chosen = _class_in(answer)
    if chosen not in classes:
        close = nearest(chosen, classes)
        raise AwpError(
            f"the agent named the class {chosen[:80]!r}, which is none of {', '.join(classes)}",
            hint=f"did it mean {close!r}? A class must match exactly" if close else "make the instructions stricter",
        )
    return {"case": chosen, "mode": "classify"}


def _question(config: RouteConfig) -> str:
    ask = f'Answer with a JSON object {{"class": …}}, where the class is exactly one of: {", ".join(config.classes)}.'
    return f"{config.instructions}\n\n{ask}" if config.instructions else f"Classify `input`. {ask}"


def _class_in(answer: Output) -> str:
    """The class an agent names: a field for it, or its whole text."""
    named = next((answer[name] for name in ("class", "case", "text") if name in answer), "")
    return named.strip() if isinstance(named, str) else shown(named)


def _selectors(config: RouteConfig) -> list[SelectorUse]:
    uses = [
        SelectorUse(("cases", index, "when", "selector"), case.when.selector)
        for index, case in enumerate(config.cases)
        if case.when is not None
    ]
    return [*uses, SelectorUse(("input",), config.input)] if config.input is not None else uses


def _cases(config: RouteConfig) -> tuple[str, ...]:
    return config.classes if config.mode == "classify" else tuple(case.id for case in config.cases)


NODE = NodeType(
    "route",
    "Chooses a branch by conditions, or lets an agent choose.",
    RouteConfig,
    _run,
    agent=lambda config: (config.agent or "") if config.mode == "classify" else None,
    selectors=_selectors,
    fields=lambda _config: frozenset({"case", "mode", "fallback"}),
    cases=_cases,
)
