"""N5: selectors and expressions read what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from awp_core.diagnostics.model import Finding, Severity
from awp_core.errors import AwpError
from awp_core.expressions.evaluate import Expression
from awp_core.expressions.selectors import Selector
from awp_core.manifest.models import GraphNode
from awp_core.nodes.base import SelectorUse
from awp_core.nodes.sharing import share_selectors
from awp_core.rules.base import Path, Rule, RuleContext

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a selector stands, and which nodes it may read; `node` is None for `orchestration.result`."""

    context: RuleContext
    path: Path
    node: str | None
    above: frozenset[str]

    def finding(self, message: str, hint: str, severity: Severity | None = None) -> Finding:
        return self.context.finding(RULE, self.path, message, hint=hint, severity=severity)


def _check(context: RuleContext) -> Iterator[Finding]:
    for node in context.nodes:
        config = context.config_of(node)
        uses = (*_shared(node), *(context.node_types[node.type].selectors(config) if config is not None else ()))
        conditions = tuple(_expressions(node))
        if not uses and not conditions:
            continue
        above = frozenset(context.workflow.graph.ancestors(node.id))
        for use in uses:
            yield from _selector(_Place(context, context.at(node, *use.path), node.id, above), use.selector)
        for path, text in conditions:
            seen = above | {node.id} if path[0] == "loop" else above  # a loop looks at its own last output
            yield from _expression(_Place(context, context.at(node, *path), node.id, seen), text)
    manifest = context.workflow.manifest
    if manifest is not None and manifest.orchestration.result is not None:
        place = _Place(context, ("orchestration", "result"), None, frozenset(context.node_ids))
        yield from _selector(place, manifest.orchestration.result)


def _expressions(node: GraphNode) -> Iterator[tuple[Path, str]]:
    if isinstance(node.enabled, str):
        yield ("enabled",), node.enabled
    if node.when is not None:
        yield ("when",), node.when
    for index, dependency in enumerate(node.depends_on):
        if dependency.when is not None:
            yield ("depends_on", index), dependency.when
    if node.loop is not None and node.loop.condition is not None:
        yield ("loop", "condition"), node.loop.condition


def _shared(node: GraphNode) -> Iterator[SelectorUse]:
    if node.fan_out is not None:
        yield SelectorUse(("fan_out", "source"), node.fan_out.source)
    if node.share_input is not None:
        for selector in share_selectors(node.share_input):
            yield SelectorUse(("share_input",), selector)


def _selector(place: _Place, text: str) -> Iterator[Finding]:
    try:
        parts = Selector.parse(text).parts
    except AwpError as error:
        yield place.finding(error.message, error.hint or "write a path such as node.field")
        return
    yield from _path(place, parts)


def _expression(place: _Place, text: str) -> Iterator[Finding]:
    try:
        expression = Expression.parse(text)
    except AwpError as error:
        yield place.finding(error.message, error.hint or "compare values, such as state.node.field == 'x'")
        return
    for parts in expression.paths:
        if parts[0] != "state":
            yield from _path(place, parts)
        elif len(parts) > 1:
            yield from _node(place, parts[1:])


def _path(place: _Place, parts: Parts) -> Iterator[Finding]:
    context = place.context
    manifest = context.workflow.manifest
    declared = manifest.inputs if manifest is not None else {}
    first = parts[0]
    if first == "inputs":
        if len(parts) > 1 and declared and parts[1] not in declared:
            hint = context.near(parts[1], declared) or "declare it under inputs"
            yield place.finding(f"the input {parts[1][:60]!r} is not declared", hint, Severity.WARNING)
    elif first == "env":
        names = {variable.name for variable in manifest.workflow.env} if manifest is not None else set()
        if len(parts) > 1 and parts[1] not in names:
            message = f"the variable {parts[1][:60]!r} is not declared, so it is always null"
            yield place.finding(message, "declare it under workflow.env", Severity.WARNING)
    elif first in declared and (len(parts) == 1 or not context.workflow.has_node(first)):
        if context.workflow.has_node(first):
            message = f"{first!r} is an input and a node; here it means the input"
            yield place.finding(message, f"write inputs.{first}, or rename the node", Severity.WARNING)
    else:
        yield from _node(place, parts)


def _node(place: _Place, parts: Parts) -> Iterator[Finding]:
    context, name = place.context, parts[0]
    manifest = context.workflow.manifest
    inputs = manifest.inputs if manifest is not None else {}
    if name not in context.node_ids:
        hint = context.near(name, {*context.node_ids, *inputs}) or "name a node above, or write inputs.NAME"
        # An input that nobody declared may still be given to the run, so a lone name is not surely wrong.
        severity = Severity.WARNING if len(parts) == 1 and not inputs else None
        yield place.finding(f"there is no node{' or input' if len(parts) == 1 else ''} {name[:60]!r}", hint, severity)
    elif place.node is not None and name not in place.above:
        message = f"{name!r} is not above {place.node!r}, so it may not have run yet"
        yield place.finding(message, f"add {name!r} to depends_on of {place.node!r}")
    elif len(parts) > 1:
        fields = _fields(context, name)
        if fields is not None and not any(".".join(parts[1:end]) in fields for end in range(2, len(parts) + 1)):
            hint = context.near(parts[1], fields) or f"it has {', '.join(sorted(fields))}"
            yield place.finding(f"{name!r} has no field {parts[1][:60]!r}", hint, Severity.WARNING)


def _fields(context: RuleContext, name: str) -> frozenset[str] | None:
    node = context.workflow.node(name) if context.workflow.has_node(name) else None
    config = context.config_of(node) if node is not None else None
    return context.node_types[node.type].fields(config) if node is not None and config is not None else None


_ONE = "- {id: one, type: static, value: {text: Hi}}\n"
RULE = Rule(
    "N5",
    Severity.ERROR,
    "A selector or expression refers to an input, or to a field of a node above.",
    "What is not above may not have run; what does not exist is null, which is rarely what was meant.",
    _check,
    valid=(
        _ONE + "- {id: two, type: answer, text_from: one.text, depends_on: [one]}",
        "inputs: {name: {type: string}}\ngraph: [{id: hi, type: answer, text: 'Hi {{name}}, {{inputs.name}}'}]",
        "- {id: one, loop: {condition: state.one.more == true}}",
        _ONE + "- {id: two, share_input: [one.text], depends_on: [one]}",
        _ONE + "- {id: two, type: static, value: 1, when: state.one.text == 'Hi', depends_on: [one]}",
    ),
    invalid=(
        _ONE + "- {id: two, type: answer, text_from: one.text}",
        _ONE + "- {id: two, share_input: {one: [txt]}, depends_on: [one]}",
        _ONE + "- {id: two, fan_out: {source: three.rows}, depends_on: [one]}",
        _ONE + "- {id: two, loop: {condition: state.one.text == 'x'}}",
        _ONE + "- {id: two, type: answer, text_from: oen.text, depends_on: [one]}",
        _ONE + "- {id: two, type: answer, text_from: one.txt, depends_on: [one]}",
        _ONE + "- {id: two, type: static, value: 1, when: 'state.one.text ==', depends_on: [one]}",
        _ONE + "- {id: two, type: static, value: 1, when: '__import__(1)', depends_on: [one]}",
        "inputs: {one: {type: string}}\ngraph:\n"
        + _ONE
        + "- {id: two, type: answer, text_from: one, depends_on: [one]}",
    ),
)
