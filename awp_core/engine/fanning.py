"""`fan_out` and `fan_in` on a node: isolated copies of it, one for each item, and how they become one (spec 02)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from awp_core.errors import AwpError
from awp_core.nodes.base import Ask
from awp_core.nodes.each import for_each, items_at
from awp_core.values import canonical_json, check_json

if TYPE_CHECKING:
    from awp_core.engine.context import EngineContext
    from awp_core.engine.plan import PlannedNode
    from awp_core.manifest.models import FanIn, FanOut

JSON = Any


async def run_fan_out(node: PlannedNode, fan_out: FanOut, context: EngineContext) -> dict[str, JSON]:
    """Run a copy of the node for each item; return `{items, count}` and, with `fan_in`, what they are joined to.

    A copy sees its item as `variable` and its place as `<variable>_index`, and nothing of the other copies.

    Raises:
        AwpError: The source is no list, a copy failed, or the results cannot be joined.
    """
    items = items_at(context.select(fan_out.source), fan_out.source, truncate=fan_out.truncate)

    async def copy(index: int, item: JSON) -> JSON:
        own = context.with_values({fan_out.variable: item, f"{fan_out.variable}_index": index})
        output: Any = node.type.run(own, node.config)
        if isinstance(output, Awaitable):
            output = await output
        if isinstance(output, Ask):
            raise AwpError("a copy of it asks a person", hint="ask in a node of its own, after the fan-out")
        check_json(output, f"{node.id}[{index}]")
        return output

    results = await for_each(items, fan_out.max_parallel, copy)
    output: dict[str, JSON] = {"items": results, "count": len(results)}
    if node.node.fan_in is not None:
        output[node.node.fan_in.target_field or "result"] = await _join(node.node.fan_in, results, context)
    return output


async def _join(fan_in: FanIn, results: Sequence[JSON], context: EngineContext) -> JSON:
    values = [_field(result, fan_in.target_field) for result in results]
    if fan_in.strategy == "reduce":
        name = fan_in.reduce or ""
        return REDUCERS[name](values) if name in REDUCERS else await context.reduce_by(name, values)
    return _STRATEGIES[fan_in.strategy]([value for value in values if value is not None])


def _field(result: JSON, name: str | None) -> JSON:
    return result.get(name) if name is not None and isinstance(result, dict) else result


def _merge(values: Sequence[JSON]) -> JSON:
    """Unite mappings (later wins) or join lists; anything else becomes a list."""
    if values and all(isinstance(value, dict) for value in values):
        return {key: item for value in values for key, item in value.items()}
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _majority(values: Sequence[JSON]) -> JSON:
    """The value that most copies gave; of several the one given first."""
    if not values:
        return None
    spelled = [canonical_json(value) for value in values]
    return values[spelled.index(Counter(spelled).most_common(1)[0][0])]


_STRATEGIES: Final[dict[str, Callable[[Sequence[JSON]], JSON]]] = {
    "merge": _merge,
    "first": lambda values: values[0] if values else None,
    "majority": _majority,
}


def _numbers(values: Sequence[JSON], what: str) -> list[int | float]:
    numbers = [value for value in values if value is not None]
    for value in numbers:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise AwpError(f"reduce {what}: {value!r:.60} is no number", hint="name the number by `target_field`")
    return numbers


def _concat(values: Sequence[JSON]) -> JSON:
    present = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in present):
        return "".join(present)
    return reduce(lambda joined, value: joined + (value if isinstance(value, list) else [value]), present, [])


REDUCERS: Final[dict[str, Callable[[Sequence[JSON]], JSON]]] = {
    "sum": lambda values: sum(_numbers(values, "sum")),
    "min": lambda values: min(_numbers(values, "min"), default=None),
    "max": lambda values: max(_numbers(values, "max"), default=None),
    "concat": _concat,
}
"""Built-in names for `reduce`; any other name is that of a code node whose `main` gets `items`."""
