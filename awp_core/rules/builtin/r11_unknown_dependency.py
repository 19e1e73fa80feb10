"""R11: every dependency names a node of the same graph."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    known = set(context.node_ids)
    for node in context.nodes:
        for index, dependency in enumerate(node.depends_on):
            if dependency.id in known:
                continue
            others = known - {node.id}
            hint = context.near(dependency.id, others) or f"there is: {', '.join(sorted(others)[:8]) or 'nothing else'}"
            message = f"{node.id!r} depends on {dependency.id[:60]!r}, which is no node of this graph"
            yield context.finding(RULE, context.at(node, "depends_on", index), message, hint=hint)


RULE = Rule(
    "R11",
    Severity.ERROR,
    "Every entry of `depends_on` names a node of the same graph.",
    "A node that waits for nobody would never start.",
    _check,
    valid=(
        "- {id: one, type: static, value: 1}\n- {id: two, type: static, value: 1, depends_on: [one]}",
        "- {id: two, type: static, value: 1, depends_on: [one]}\n- {id: one, type: static, value: 1}",
    ),
    invalid=(
        "- {id: fetch, type: static, value: 1}\n- {id: two, type: static, value: 1, depends_on: [fetc]}",
        "- {id: two, type: static, value: 1, depends_on: [nobody]}",
        "- {id: two, type: static, value: 1, depends_on: [{id: nobody, when: 'true'}]}",
    ),
)
