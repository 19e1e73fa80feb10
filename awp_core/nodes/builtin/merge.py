"""`merge`: join branches again without a model. Null is empty; 0, false and "" are values (spec 02)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from pydantic import Field

from awp_core.errors import AwpError
from awp_core.nodes.base import JSON, NodeConfig, NodeContext, NodeType, Output, SelectorUse


class MergeConfig(NodeConfig):
    """Fields of a merge node."""

    strategy: Literal["concat_list", "first_non_empty", "dict_union"] = Field(description="how the inputs are joined")
    inputs: tuple[str, ...] = Field(min_length=1, description="selectors, in order")
    output: str = Field(min_length=1, description="name of the output field")


def _run(context: NodeContext, config: MergeConfig) -> Output:
    values = [(selector, context.select(selector)) for selector in config.inputs]
    present = [(selector, value) for selector, value in values if value is not None]
    return {config.output: _STRATEGIES[config.strategy](present)}


def _concat_list(values: Iterable[tuple[str, JSON]]) -> list[JSON]:
    joined: list[JSON] = []
    for _, value in values:
        if isinstance(value, list):
            joined += [item for item in value if item is not None]
        else:
            joined.append(value)
    return joined


def _first_non_empty(values: Iterable[tuple[str, JSON]]) -> JSON:
    return next((value for _, value in values), None)


def _dict_union(values: Iterable[tuple[str, JSON]]) -> dict[str, JSON]:
    joined: dict[str, JSON] = {}
    for selector, value in values:
        if not isinstance(value, dict):
            raise AwpError(
                f"dict_union joins mappings, but {selector!r} is a {type(value).__name__}",
                hint="use concat_list, or select a mapping",
            )
        joined |= value
    return joined


_STRATEGIES: dict[str, Callable[[list[tuple[str, JSON]]], JSON]] = {
    "concat_list": _concat_list,
    "first_non_empty": _first_non_empty,
    "dict_union": _dict_union,
}


def _selectors(config: MergeConfig) -> list[SelectorUse]:
    return [SelectorUse(("inputs", index), selector) for index, selector in enumerate(config.inputs)]


NODE = NodeType(
    "merge",
    "Joins branches: concatenates lists, takes the first value, or unites mappings.",
    MergeConfig,
    _run,
    selectors=_selectors,
    fields=lambda config: frozenset({config.output}),
)
