"""R12: the graph has no cycle."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.graph.cycles import find_cycles
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    for cycle in find_cycles(context.workflow.graph):
        # The path runs from a node to what waits for it, so the arrow to cut is written at the second one.
        target = context.workflow.node(cycle[1])
        index = target.dependency_ids.index(cycle[0])
        message = f"these nodes wait for each other: {' -> '.join(cycle)}"
        hint = f"remove one of the arrows, such as {cycle[0]!r} from {cycle[1]!r}"
        yield context.finding(RULE, context.at(target, "depends_on", index), message, hint=hint)


_A = "- {id: aa, type: static, value: 1, depends_on: [cc]}\n"
_B = "- {id: bb, type: static, value: 1, depends_on: [aa]}\n"
RULE = Rule(
    "R12",
    Severity.ERROR,
    "No node depends on itself, directly or through others.",
    "Nodes that wait for each other never start.",
    _check,
    valid=(
        "- {id: one, type: static, value: 1}\n- {id: two, type: static, value: 1, depends_on: [one]}",
        "- {id: cc, type: static, value: 1}\n" + _A + _B,
    ),
    invalid=(
        "- {id: self, type: static, value: 1, depends_on: [self]}",
        "- {id: aa, type: static, value: 1, depends_on: [bb]}\n" + _B,
        _A + _B + "- {id: cc, type: static, value: 1, depends_on: [bb]}",
    ),
)
