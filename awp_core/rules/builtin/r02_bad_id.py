"""R2: ids are snake_case, unique and not reserved."""

from __future__ import annotations

import re
from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.load import GRAPH_PATH
from awp_core.manifest.models import SNAKE_CASE
from awp_core.rules.base import Path, Rule, RuleContext

RESERVED = frozenset({"state", "inputs", "result", "env"})
_SHORTEST, _LONGEST = 2, 48


def _check(context: RuleContext) -> Iterator[Finding]:
    section = context.workflow.raw.get("orchestration")
    graph = section.get("graph") if isinstance(section, dict) else None
    first: dict[str, int] = {}
    for index, entry in enumerate(graph if isinstance(graph, list) else ()):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            continue  # rule N2 reports it
        name, path = entry["id"], (*GRAPH_PATH, index, "id")
        yield from _well_formed(context, name, path)
        if name in first:
            line = context.workflow.document.locate((*GRAPH_PATH, first[name], "id")).line
            message = f"the id {name[:60]!r} is used twice; first in line {line}"
            yield context.finding(RULE, path, message, hint="give one of them another id")
        first.setdefault(name, index)


def _well_formed(context: RuleContext, name: str, path: Path) -> Iterator[Finding]:
    if name in RESERVED or name.startswith("_"):
        hint = "choose another one, such as my_" + (name.strip("_")[:20] or "node")
        yield context.finding(RULE, path, f"the id {name[:60]!r} is reserved", hint=hint)
    elif not re.fullmatch(SNAKE_CASE, name):
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        hint = f"write {better[:60]!r}" if re.fullmatch(SNAKE_CASE, better) else "use a letter, then letters, digits, _"
        yield context.finding(RULE, path, f"the id {name[:60]!r} is not snake_case", hint=hint)
    elif not _SHORTEST <= len(name) <= _LONGEST:
        message = f"the id {name[:60]!r} has {len(name)} characters; 2 to 48 are portable"
        yield context.finding(RULE, path, message, hint="choose another id", severity=Severity.WARNING)


RULE = Rule(
    "R2",
    Severity.ERROR,
    "Node ids are snake_case, unique in the graph, and not reserved.",
    "An id is the name of a result in selectors and of a folder on disk.",
    _check,
    valid=(
        "- {id: fetch_news, type: static, value: 1}",
        "- {id: step2, type: static, value: 1}\n- {id: step3, type: static, value: 1}",
    ),
    invalid=(
        "- {id: Fetch-News, type: static, value: 1}",
        "- {id: same, type: static, value: 1}\n- {id: same, type: static, value: 2}",
        "- {id: inputs, type: static, value: 1}",
        "- {id: _hidden, type: static, value: 1}",
        "- {id: ../up, type: static, value: 1}",
    ),
)
