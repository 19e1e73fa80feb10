"""M2: the major version is one this library reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import SEMVER
from awp_core.rules.base import Rule, RuleContext

_MAJOR, _MINOR = 1, 0


def _check(context: RuleContext) -> Iterator[Finding]:
    match = re.fullmatch(SEMVER, str(context.workflow.raw.get("awp")))
    if match is None:
        return  # rule M1 reports it
    major, minor = int(match[1]), int(match[2])
    if major != _MAJOR:
        message = f"AWP {match[0]} is not supported; supported is 1.x"
        yield context.finding(RULE, ("awp",), message, hint="use a workflow written for AWP 1, or update awp-magics")
    elif minor > _MINOR:
        message = f"AWP {match[0]} is newer than the 1.{_MINOR} known here; what is new in it is ignored"
        yield context.finding(RULE, ("awp",), message, hint="update awp-magics", severity=Severity.WARNING)


_REST = """
workflow: {name: ok, version: 1.0.0, description: ok}
orchestration: {graph: [{id: ok, type: static, value: 1}]}
"""
RULE = Rule(
    "M2",
    Severity.ERROR,
    "The major version of `awp` is 1.",
    "Another major version may mean something else by the same words; nothing else is checked then.",
    _check,
    valid=('awp: "1.0.0"' + _REST, 'awp: "1.0.9"' + _REST),
    invalid=('awp: "2.0.0"' + _REST, 'awp: "0.9.0"' + _REST, 'awp: "10.0.0"' + _REST),
)
