"""Compare two runs node by node (spec 08, What it promises)."""

from __future__ import annotations

from typing import Any, NamedTuple

from awp_core.events.fold import NodeState, RunState
from awp_core.runs.layout import RUN_ID
from awp_core.values import canonical_json, dump_json, shorten

JSON = Any
ABSENT = "absent"  # the status of a node in a run whose workflow lacks it
_SHOWN = 2000  # characters of a value


class Difference(NamedTuple):
    """Where two runs part: `inputs`, a node or `result`, and the status and value each has there."""

    where: str
    before: tuple[str, JSON]
    after: tuple[str, JSON]


def compare(before: RunState, after: RunState) -> list[Difference]:
    """Return where two runs differ: in their inputs, in the status or output of a node, in status or result.

    Nodes come in the order of the first run, then those that only the second has. Times and tokens do not count.
    """
    pairs = [("inputs", ("given", before.inputs), ("given", after.inputs))]
    names = dict.fromkeys([*before.nodes, *after.nodes])
    pairs += [(name, _outcome(before.nodes.get(name)), _outcome(after.nodes.get(name))) for name in names]
    pairs.append(("result", (before.status, before.result), (after.status, after.result)))
    return [Difference(*pair) for pair in pairs if _differ(list(pair[1]), list(pair[2]))]


def describe(difference: Difference) -> str:
    """Return a difference in lines for a person: its place and statuses, then `-` what was and `+` what is."""
    (status, value), (new_status, new_value) = difference.before, difference.after
    statuses = status if status == new_status else f"{status} -> {new_status}"
    lines = [f"{difference.where}: {statuses}"]
    if _differ(value, new_value):
        lines += [f"  - {_text(value)}", f"  + {_text(new_value)}"]
    return "\n".join(lines)


def _differ(one: JSON, other: JSON) -> bool:
    # As JSON, where 1 and true are two values and the order of keys is none; in Python the first two are equal.
    return canonical_json(one) != canonical_json(other)


def _outcome(node: NodeState | None) -> tuple[str, JSON]:
    if node is None:
        return ABSENT, None
    if node.output is not None:
        return node.status, node.output
    # Every nested run has an id of its own, so the same failure names another one each time.
    return node.status, RUN_ID.sub("RUN", node.error or node.reason)


def _text(value: JSON) -> str:
    return shorten(dump_json(value).decode(), _SHOWN)
