"""M1: `awp` is a semantic version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import SEMVER
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    raw = context.workflow.raw
    if "awp" not in raw:
        yield context.finding(RULE, (), "the field 'awp' is missing", hint='start with `awp: "1.0.0"`')
        return
    value = raw["awp"]
    if not isinstance(value, str) or not re.fullmatch(SEMVER, value):
        written = context.workflow.document.scalar_text(("awp",)) or repr(value)[:60]
        message = f"'awp' must be a semantic version, got {written}"
        yield context.finding(RULE, ("awp",), message, hint='write three numbers in quotes: awp: "1.0.0"')


_REST = """
workflow: {name: ok, version: 1.0.0, description: ok}
orchestration: {graph: [{id: ok, type: static, value: 1}]}
"""
RULE = Rule(
    "M1",
    Severity.ERROR,
    "The field `awp` is a semantic version such as 1.0.0.",
    "The version decides how everything else is read, so it must be there and unmistakable.",
    _check,
    valid=('awp: "1.0.0"' + _REST, "awp: 1.0.3-rc.1" + _REST),
    invalid=("awp: 1.0" + _REST, "awp: v1.0.0" + _REST, "awp: 1" + _REST),
)
