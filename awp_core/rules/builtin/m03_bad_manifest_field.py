"""M3: the fields of the manifest are there and of the right kind."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.load import GRAPH_PATH
from awp_core.rules.base import Rule, RuleContext
from awp_core.rules.plain import explain


def _check(context: RuleContext) -> Iterator[Finding]:
    document = context.workflow.document
    if not isinstance(document.data, dict):
        if not document.problems:
            yield context.finding(RULE, (), "a manifest is a mapping", hint='start with `awp: "1.0.0"` and `workflow:`')
        return
    for problem in context.problems:
        if problem.path[:2] == GRAPH_PATH:
            continue  # rules N2 and R2 report those
        for path, message, hint in explain(document, problem):
            if path != ("awp",) and "'awp'" not in message:  # rule M1 reports that
                yield context.finding(RULE, path, message, hint=hint)
    yield from _graph(context)


def _graph(context: RuleContext) -> Iterator[Finding]:
    raw = context.workflow.raw
    section = raw.get("orchestration")
    if "orchestration" not in raw:
        message = "it has no 'orchestration': there is nothing to run"
        yield context.finding(RULE, (), message, hint="add a graph", severity=Severity.INFO)
        return
    if not isinstance(section, dict) or section.get("engine") == "delegation_loop":
        return
    graph = section.get("graph")
    if not isinstance(graph, list) or not graph:
        message = "the graph must be a list of at least one node"
        yield context.finding(RULE, GRAPH_PATH, message, hint="add `graph:` with at least one node")
        return
    for index, entry in enumerate(graph):
        if not isinstance(entry, dict):
            hint = "write a node as a mapping: - {id: …, type: …}"
            yield context.finding(RULE, (*GRAPH_PATH, index), "a node must be a mapping", hint=hint)


_GRAPH = "\norchestration: {graph: [{id: ok, type: static, value: 1}]}\n"
RULE = Rule(
    "M3",
    Severity.ERROR,
    "Required fields of the manifest are there, and every field is of the right kind.",
    "A workflow is found, versioned and run by these fields.",
    _check,
    valid=(
        'awp: "1.0.0"\nworkflow: {name: ok, version: 1.0.0, description: ok}' + _GRAPH,
        'awp: "1.0.0"\nworkflow: {name: a-b_c9, version: 0.0.1-rc.1, description: "", tags: [x]}' + _GRAPH,
    ),
    invalid=(
        'awp: "1.0.0"\nworkflow: {name: Not OK, version: 1.0.0, description: ok}' + _GRAPH,
        'awp: "1.0.0"\nworkflow: {name: ok, version: 1.0, description: ok}' + _GRAPH,
        'awp: "1.0.0"\nworkflow: {name: ok, version: 1.0.0, description: ok}\norchestration: {graph: []}\n',
        'awp: "1.0.0"\nworkflow: {name: ok, version: 1.0.0}' + _GRAPH,
    ),
)
