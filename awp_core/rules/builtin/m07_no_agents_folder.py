"""M7: a workflow directory has its `agents/` folder."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    workflow = context.workflow
    if workflow.is_directory and not (workflow.root / "agents").is_dir():
        message = f"the workflow directory {workflow.root.name!r} has no agents/ folder"
        yield context.finding(RULE, (), message, hint="make one, empty if no node calls an agent")


RULE = Rule(
    "M7",
    Severity.ERROR,
    "A workflow directory has an `agents/` folder beside its manifest.",
    "The folder marks the directory form; without it paths of agents would be looked up elsewhere.",
    _check,
    valid=("- {id: ok, type: static, value: 1}",),
    invalid=(),  # needs a directory: see the tests
)
