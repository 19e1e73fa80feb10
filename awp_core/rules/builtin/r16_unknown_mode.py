"""R16: the execution mode is a known one."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext

MODES = ("sequential", "parallel", "conditional")
_PATH = ("orchestration", "execution", "mode")


def _check(context: RuleContext) -> Iterator[Finding]:
    manifest = context.workflow.manifest
    mode = manifest.orchestration.execution.mode if manifest is not None else "parallel"
    if mode == "adaptive":
        message = "the mode 'adaptive' is run as parallel"
        yield context.finding(RULE, _PATH, message, hint="write parallel", severity=Severity.WARNING)
    elif mode not in MODES:
        hint = context.near(mode, MODES) or f"write one of {', '.join(MODES)}"
        yield context.finding(RULE, _PATH, f"there is no execution mode {mode[:60]!r}", hint=hint)


_GRAPH = "\ngraph: [{id: ok, type: static, value: 1}]\n"
RULE = Rule(
    "R16",
    Severity.ERROR,
    "`execution.mode` is sequential, parallel or conditional.",
    "The mode decides how many nodes run at once; a misspelt one must not silently mean another.",
    _check,
    valid=(
        "orchestration: {execution: {mode: sequential}}" + _GRAPH,
        "orchestration: {execution: {mode: conditional}}" + _GRAPH,
    ),
    invalid=(
        "orchestration: {execution: {mode: sequental}}" + _GRAPH,
        "orchestration: {execution: {mode: both}}" + _GRAPH,
        "orchestration: {execution: {mode: Parallel}}" + _GRAPH,
    ),
)
