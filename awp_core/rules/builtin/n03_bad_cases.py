"""N3: a route has cases that can be told apart, and exactly one default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import GraphNode
from awp_core.nodes.builtin.route import RouteConfig
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    config: RouteConfig
    for node, config in context.typed("route"):
        field = "classes" if config.mode == "classify" else "cases"
        ids = config.classes if config.mode == "classify" else tuple(case.id for case in config.cases)
        for name in (name for name, count in Counter(ids).items() if count > 1):
            index = len(ids) - 1 - ids[::-1].index(name)
            message = f"the case {name[:60]!r} is there twice"
            yield context.finding(RULE, context.at(node, field, index), message, hint="give one of them another id")
        if config.mode == "condition":
            yield from _conditions(context, node, config)


def _conditions(context: RuleContext, node: GraphNode, config: RouteConfig) -> Iterator[Finding]:
    defaults = [index for index, case in enumerate(config.cases) if case.default]
    if not defaults:
        hint = "add `default: true` to the case that is taken when no other is"
        yield context.finding(RULE, context.at(node, "cases"), "no case is the default", hint=hint)
    for index in defaults[1:]:
        message = f"{len(defaults)} cases are the default; there can be only one"
        yield context.finding(RULE, context.at(node, "cases", index), message, hint="remove `default: true` here")
    for index, case in enumerate(config.cases):
        path = context.at(node, "cases", index)
        if case.when is None and not case.default:
            hint = "add `when: {selector: …, op: ==, value: …}`"
            yield context.finding(RULE, path, f"the case {case.id[:60]!r} has no `when`", hint=hint)
        if case.when is not None and case.default:
            message = f"the case {case.id[:60]!r} has a `when` and is the default"
            yield context.finding(RULE, path, message, hint="remove one of the two")


_HI = "{id: hi, when: {selector: inputs.x, op: '>', value: 1}}"
RULE = Rule(
    "N3",
    Severity.ERROR,
    "A route has distinct cases, each with a condition, and exactly one default.",
    "Otherwise a value nobody thought of would leave the route without a branch.",
    _check,
    valid=(
        f"- {{id: ok, type: route, cases: [{_HI}, {{id: lo, default: true}}]}}",
        "- {id: ok, type: route, mode: classify, classes: [good, bad], input: inputs.x}",
    ),
    invalid=(
        f"- {{id: ok, type: route, cases: [{_HI}]}}",
        "- {id: ok, type: route, cases: [{id: hi, default: true}, {id: lo, default: true}]}",
        f"- {{id: ok, type: route, cases: [{_HI}, {{id: hi, default: true}}]}}",
        "- {id: ok, type: route, cases: [{id: hi}, {id: lo, default: true}]}",
        "- {id: ok, type: route, mode: classify, classes: [good, good], input: inputs.x}",
    ),
)
