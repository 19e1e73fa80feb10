"""The skip rule as a pure function: may a node run, must it wait, or is it skipped, and why (spec 02)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from awp_core.engine.plan import PlannedNode
from awp_core.events.fold import NodeState

ENDED = frozenset({"finished", "failed", "skipped"})


class Verdict(StrEnum):
    """What happens to a node now."""

    WAIT = "wait"
    RUN = "run"
    SKIP = "skip"


class Decision(NamedTuple):
    """A verdict; for SKIP with a reason and a cause (`gate`, `skipped` or `failure`)."""

    verdict: Verdict
    reason: str = ""
    cause: str = ""


_WAIT = Decision(Verdict.WAIT)
_RUN = Decision(Verdict.RUN)


def decide(node: PlannedNode, states: Mapping[str, NodeState], scope: Mapping[str, Mapping[str, Any]]) -> Decision:
    """Decide on a node that has neither started nor been skipped.

    Args:
        node: The node.
        states: The state of every node.
        scope: What expressions see: `state` (outputs by node), `inputs`, `env`.

    Raises:
        AwpError: A condition cannot be evaluated; that is an error of this node.
    """
    if node.ungated:  # nearly every node: worth a quick look
        for dependency in node.dependencies:
            state = states[dependency]
            if state.status != "finished" or state.expired:
                break
        else:
            return _RUN
    above = [states[dependency] for dependency in node.dependencies]
    if any(state.status not in ENDED for state in above):
        return _WAIT
    for dependency, state in zip(node.dependencies, above, strict=True):
        if state.status == "failed" or state.tainted:
            return Decision(
                Verdict.SKIP,
                f"{dependency!r} above it {'failed' if state.status == 'failed' else 'was skipped after a failure'}",
                "failure",
            )
    if above and not any(state.counts for state in above):
        return Decision(Verdict.SKIP, "everything it depends on was skipped", "skipped")
    reason = _closed_gate(node, states) or _false_condition(node, scope)
    return Decision(Verdict.SKIP, reason, "gate") if reason else _RUN


def _closed_gate(node: PlannedNode, states: Mapping[str, NodeState]) -> str:
    if not node.enabled:
        return "it is not enabled"
    chosen = {d: states[d].case for d in node.dependencies if states[d].case is not None}
    wanted = {gate.case for gate in node.gates}
    for dependency, case in chosen.items():
        if states[dependency].expired and case not in wanted:
            return f"{dependency!r} was not answered in time"
    if not node.gates:
        return ""
    for gate in node.gates:
        if any(case == gate.case and gate.route in (None, route) for route, case in chosen.items()):
            return ""
    went = ", ".join(f"{route!r} chose {case!r}" for route, case in chosen.items()) or "no route above it chose a case"
    return f"its branch is {' or '.join(repr(case) for case in sorted(wanted))}; {went}"


def _false_condition(node: PlannedNode, scope: Mapping[str, Mapping[str, Any]]) -> str:
    for field, expression in node.conditions:
        if not expression.evaluate(scope["state"], scope["inputs"], scope["env"]):
            return f"its condition is false: {field}: {expression.text}"
    return ""
