"""N4: a branch names a case of a route the node depends on."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import BranchGate, GraphNode
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    for node in context.nodes:
        if not node.branch:
            continue
        routes = {name: cases for name in node.dependency_ids if (cases := _cases(context, name))}
        if not routes and all(_is_judged(context, name) for name in node.dependency_ids):
            message = f"{node.id!r} has a branch, but none of the nodes it depends on is a route"
            yield context.finding(RULE, context.at(node, "branch"), message, hint="add the route to depends_on")
            continue
        for gate in node.branch:
            yield from _gate(context, node, gate, routes)


def _gate(
    context: RuleContext, node: GraphNode, gate: BranchGate, routes: dict[str, tuple[str, ...]]
) -> Iterator[Finding]:
    path = context.at(node, "branch")
    if gate.route is not None and gate.route not in routes:
        if _is_judged(context, gate.route) or not context.workflow.has_node(gate.route):
            hint = context.near(gate.route, routes) or f"routes it depends on: {', '.join(routes) or 'none'}"
            message = f"{gate.route[:60]!r} is no route that {node.id!r} depends on"
            yield context.finding(RULE, path, message, hint=hint)
        return
    asked = {gate.route: routes[gate.route]} if gate.route is not None else routes
    having = [name for name, cases in asked.items() if gate.case in cases]
    if not having and asked:
        known = [case for cases in asked.values() for case in cases]
        hint = context.near(gate.case, known) or f"its cases are {', '.join(known)}"
        message = f"the branch {gate.case[:60]!r} is no case of {' or '.join(map(repr, asked))}"
        yield context.finding(RULE, path, message, hint=hint)
    elif len(having) > 1 and isinstance(node.raw.get("branch"), str):
        message = f"the branch {gate.case!r} is a case of {' and '.join(map(repr, having))}"
        yield context.finding(RULE, path, message, hint=f"say which: branch: {{{having[0]}: {gate.case}}}")


def _cases(context: RuleContext, name: str) -> tuple[str, ...]:
    return context.cases_of(context.workflow.node(name)) if context.workflow.has_node(name) else ()


def _is_judged(context: RuleContext, name: str) -> bool:
    """Whether a node could be read; about one that could not, other rules speak."""
    return context.workflow.has_node(name) and context.config_of(context.workflow.node(name)) is not None


_CASES = "cases: [{id: hi, when: {selector: inputs.x, op: '>', value: 1}}, {id: no, default: true}]"
_WAY = f"- {{id: way, type: route, {_CASES}}}\n"
_TWO = f"- {{id: two, type: route, {_CASES}}}\n"
RULE = Rule(
    "N4",
    Severity.ERROR,
    "`branch` names a case of a route among the node's dependencies.",
    "A gate on a case that does not exist never opens.",
    _check,
    valid=(
        _WAY + "- {id: go, type: static, value: 1, depends_on: [way], branch: hi}",
        _WAY + "- {id: go, type: static, value: 1, depends_on: [way], branch: [hi, no]}",
        _WAY + _TWO + "- {id: go, type: static, value: 1, depends_on: [way, two], branch: {way: no}}",
    ),
    invalid=(
        _WAY + "- {id: go, type: static, value: 1, depends_on: [way], branch: high}",
        _WAY + "- {id: go, type: static, value: 1, branch: hi}",
        _WAY + _TWO + "- {id: go, type: static, value: 1, depends_on: [way, two], branch: hi}",
        _WAY + "- {id: go, type: static, value: 1, depends_on: [way], branch: {wya: hi}}",
    ),
)
