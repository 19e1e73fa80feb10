"""N9: the source of a code node compiles, has a `main`, and takes the inputs it is given."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Location, Severity
from awp_core.errors import CodeError
from awp_core.manifest.models import GraphNode
from awp_core.nodes.python import PythonConfig
from awp_core.rules.base import Rule, RuleContext
from awp_core.sandbox.check import EntryPoint, check_source


def _check(context: RuleContext) -> Iterator[Finding]:
    config: PythonConfig
    for node, config in (*context.typed("code"), *context.typed("compute")):
        if config.source is None and node.type == "compute":
            continue  # it names a function
        if config.source is None:
            severity = Severity.INFO if context.draft else Severity.ERROR
            hint = f"write it in a cell that starts with %%awp_code {node.id}, or as `source: |`"
            yield context.finding(
                RULE, context.at(node, "id"), f"{node.id!r} has no code yet", hint=hint, severity=severity
            )
            continue
        filename, line = context.workflow.place(node.id, "source")
        try:
            entry = check_source(config.source, filename, line)
        except CodeError as error:
            yield _at_line(filename, line, config.source, error)
        else:
            yield from _parameters(context, node, config, entry)


def _at_line(filename: str, first: int, source: str, error: CodeError) -> Finding:
    lines = source.splitlines()
    index = error.line - first
    text = lines[index] if 0 <= index < len(lines) else ""
    location = Location(filename, error.line or first, len(text) - len(text.lstrip()) + 1)
    message = error.message.removeprefix(f"{filename}: ")
    return Finding(RULE.name, RULE.severity, message, location, error.hint or "correct the code", text)


def _parameters(context: RuleContext, node: GraphNode, config: PythonConfig, entry: EntryPoint) -> Iterator[Finding]:
    given = frozenset(config.inputs)
    for name in entry.missing(given):
        hint = f"add `{name}: SELECTOR` to its inputs, or give the parameter a default"
        message = f"main needs {name!r}, which is no input of {node.id!r}"
        yield context.finding(RULE, context.at(node, "inputs"), message, hint=hint)
    for name in entry.unknown(given):
        known = [parameter.name for parameter in entry.parameters]
        hint = context.near(name, known) or f"add a parameter {name!r} to main, or remove the input"
        message = f"main of {node.id!r} has no parameter {name!r}"
        yield context.finding(RULE, context.at(node, "inputs", name), message, hint=hint, key=True)


RULE = Rule(
    "N9",
    Severity.ERROR,
    "The source of a code node compiles, has one top-level `main`, and `main` takes the node's inputs.",
    "These mistakes can be seen without running anything.",
    _check,
    valid=(
        "- id: ok\n  type: code\n  source: |\n    def main():\n        return {}\n",
        "- id: ok\n  type: code\n  inputs: {x: inputs.x}\n  source: |\n    def main(x, y=1, **z):\n        return {}\n",
    ),
    invalid=(
        "- id: ok\n  type: code\n  source: |\n    def main(:\n        return {}\n",
        "- id: ok\n  type: code\n  source: |\n    def run():\n        return {}\n",
        "- id: ok\n  type: code\n  source: |\n    def main(x):\n        return {}\n",
        "- id: ok\n  type: code\n  inputs: {x: inputs.x}\n  source: |\n    def main():\n        return {}\n",
        "- {id: ok, type: code}",
    ),
)
