"""N10: what a question expects, and what happens when nobody answers, makes sense."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import GraphNode
from awp_core.nodes.builtin.ask_human import AskHumanConfig, Expect
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    config: AskHumanConfig
    for node, config in context.typed("ask_human"):
        if config.expect is not None:
            yield from _options(context, node, config.expect)
            yield from _form(context, node, config.expect)
        if config.on_timeout is not None:
            yield from _on_timeout(context, node, config.on_timeout.branch, config.timeout_minutes)


def _options(context: RuleContext, node: GraphNode, expect: Expect) -> Iterator[Finding]:
    path = context.at(node, "expect")
    if expect.type == "choice":
        if not expect.options:
            yield context.finding(RULE, path, "a choice needs 'options'", hint="add `options: [one, two]`")
        elif len({str(option).strip().casefold() for option in expect.options}) < len(expect.options):
            message = "two options differ only in case or space"
            yield context.finding(RULE, (*path, "options"), message, hint="rename one of them")
    elif expect.options:
        message = f"'options' belong to the type choice, not {expect.type}"
        yield context.finding(RULE, (*path, "options"), message, hint="write `type: choice`", severity=Severity.WARNING)


def _form(context: RuleContext, node: GraphNode, expect: Expect) -> Iterator[Finding]:
    if expect.type != "form":
        return
    if expect.schema_ is None:
        hint = "add `schema: {type: object, properties: …}`"
        yield context.finding(RULE, context.at(node, "expect"), "a form needs a 'schema'", hint=hint)
        return
    from jsonschema import Draft7Validator, SchemaError  # slow to import, and needed only for forms

    try:
        Draft7Validator.check_schema(expect.schema_)
    except SchemaError as error:
        message = f"the form's schema is no JSON Schema: {error.message[:200]}"
        path = context.at(node, "expect", "schema", *error.absolute_path)
        yield context.finding(RULE, path, message, hint="correct it by draft-07 of JSON Schema")


def _on_timeout(context: RuleContext, node: GraphNode, branch: str, minutes: float | None) -> Iterator[Finding]:
    path = context.at(node, "on_timeout")
    if minutes is None:
        message = "'on_timeout' needs 'timeout_minutes', else the question never expires"
        yield context.finding(RULE, path, message, hint="add `timeout_minutes: 60`")
    below = [context.workflow.node(name) for name in context.workflow.graph.dependents.get(node.id, ())]
    if not any(gate.case == branch for other in below for gate in other.branch):
        message = f"no node waits for the branch {branch[:60]!r}"
        hint = f"add `branch: {branch[:60]}` to a node that depends on {node.id!r}"
        yield context.finding(RULE, path, message, hint=hint, severity=Severity.WARNING)


_LATE = "- {id: ok, type: ask_human, prompt: Sure?, timeout_minutes: 5, on_timeout: {branch: late}}\n"
RULE = Rule(
    "N10",
    Severity.ERROR,
    "`expect` and `on_timeout` of a question make sense.",
    "A person must be able to answer, and a question nobody answers must lead somewhere.",
    _check,
    valid=(
        "- {id: ok, type: ask_human, prompt: Which?, expect: {field: a, type: choice, options: [x, y]}}",
        _LATE + "- {id: late_node, type: answer, text: Late, depends_on: [ok], branch: late}",
    ),
    invalid=(
        "- {id: ok, type: ask_human, prompt: Which?, expect: {field: a, type: choice}}",
        "- {id: ok, type: ask_human, prompt: Fill, expect: {field: a, type: form}}",
        "- {id: ok, type: ask_human, prompt: Fill, expect: {field: a, type: form, schema: {type: objekt}}}",
        "- {id: ok, type: ask_human, prompt: Sure?, on_timeout: {branch: late}}",
    ),
)
