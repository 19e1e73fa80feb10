"""N1: every node has a known type."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    for node in context.nodes:
        if node.type not in context.node_types:
            hint = context.near(node.type, context.node_types) or f"known are {', '.join(sorted(context.node_types))}"
            yield context.finding(RULE, context.at(node, "type"), f"unknown node type {node.type[:60]!r}", hint=hint)


RULE = Rule(
    "N1",
    Severity.ERROR,
    "The type of every node is known.",
    "A node of unknown type must not be run as something else, least of all by a model.",
    _check,
    valid=("- {id: ok, type: static, value: 1}", "- {id: ok, instructions: An agent is the default type.}"),
    invalid=("- {id: ok, type: agnet}", "- {id: ok, type: Code}", "- {id: ok, type: ''}"),
)
