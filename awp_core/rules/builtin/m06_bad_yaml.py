"""M6: the text is YAML, with one meaning only."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    yield from context.workflow.document.problems


RULE = Rule(
    "M6",
    Severity.ERROR,
    "The text is YAML without duplicate keys, tags, tabs, or anything else that reads in two ways.",
    "What one reader takes for a number and another for a text is a workflow that runs differently elsewhere.",
    _check,
    valid=("- {id: ok, type: static, value: yes}", "base: &b {type: static, value: 1}\ngraph: [{<<: *b, id: ok}]"),
    invalid=(
        "graph: [{id: ok, id: again, type: static, value: 1}]",
        "graph:\n\t- {id: ok}",
        "graph: [{id: !!python/name:os.system '', type: static}]",
        "graph: [",
    ),
)
