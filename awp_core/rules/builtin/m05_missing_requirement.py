"""M5: the machine has what the workflow needs."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext
from awp_core.rules.environment import check_environment


def _check(context: RuleContext) -> Iterator[Finding]:
    # A workflow is valid on a machine that cannot run it; before a run the same findings are errors.
    yield from check_environment(context.workflow, context.environ, Severity.WARNING)


_GRAPH = "\ngraph: [{id: ok, type: static, value: 1}]\n"
RULE = Rule(
    "M5",
    Severity.WARNING,
    "Environment variables, Python, capabilities and packages that the workflow needs are there.",
    "A run that lacks one would fail in the middle; it is refused before its first node instead.",
    _check,
    valid=(
        "workflow: {env: [{name: SURELY_NOT_SET, required: true, default: x}]}" + _GRAPH,
        'workflow: {runtime: {python: ">=3.8", required_capabilities: [memory]}}' + _GRAPH,
    ),
    invalid=(
        "workflow: {env: [{name: SURELY_NOT_SET, required: true}]}" + _GRAPH,
        'workflow: {runtime: {python: "<3"}}' + _GRAPH,
        "workflow: {runtime: {required_capabilities: [telepathy]}}" + _GRAPH,
        'workflow: {dependencies: {python: ["surely-not-installed>=1"]}}' + _GRAPH,
        "workflow: {runtime: {min_awp_version: 1.9.0}}" + _GRAPH,
    ),
)
