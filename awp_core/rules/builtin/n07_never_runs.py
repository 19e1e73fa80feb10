"""N7: every node can run in some run."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.graph.cycles import find_cycle
from awp_core.graph.order import topological_order
from awp_core.manifest.models import GraphNode
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    if all(node.enabled is not False for node in context.nodes) or find_cycle(context.workflow.graph) is not None:
        return  # nothing is switched off, or rule R12 speaks
    dead: set[str] = set()
    for name in topological_order(context.workflow.graph):
        node = context.workflow.node(name)
        if node.enabled is False:
            dead.add(name)  # as its author wants
            continue
        why = _why_dead(context, node, dead)
        if why:
            dead.add(name)
            message = f"{name!r} can never run: {why}"
            yield context.finding(RULE, context.at(node, "id"), message, hint="enable what is above it, or remove it")


def _why_dead(context: RuleContext, node: GraphNode, dead: set[str]) -> str:
    above = [context.workflow.node(name) for name in node.dependency_ids if context.workflow.has_node(name)]
    if above and all(other.id in dead for other in above):
        return "nothing it depends on can run"
    routes = [other for other in above if context.cases_of(other)]
    if node.branch and routes and all(route.id in dead for route in routes):
        return "no route that opens its branch can run"
    return ""


_TWO = "- {id: two, type: static, value: 1, depends_on: [off]}\n"
_OFF = "- {id: off, type: static, value: 1, enabled: false}\n"
RULE = Rule(
    "N7",
    Severity.WARNING,
    "Every node can run.",
    "A node that is always skipped is a mistake, or dead weight.",
    _check,
    valid=(
        _OFF + "- {id: one, type: static, value: 1}\n- {id: two, type: static, value: 1, depends_on: [off, one]}",
        "- {id: one, type: static, value: 1}",
    ),
    invalid=(
        _OFF + _TWO,
        "- {id: off, type: route, enabled: false, cases: [{id: aa, default: true}]}\n"
        + _TWO.replace("]}", "], branch: aa}"),
        _OFF + _TWO + "- {id: three, type: static, value: 1, depends_on: [two]}",
    ),
)
