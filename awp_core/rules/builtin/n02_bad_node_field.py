"""N2: the fields of every node are there and of the right kind for its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.load import GRAPH_PATH
from awp_core.manifest.models import GraphNode
from awp_core.rules.base import Path, Rule, RuleContext
from awp_core.rules.plain import explain


def _check(context: RuleContext) -> Iterator[Finding]:
    for problem in context.problems:
        if problem.path[:2] == GRAPH_PATH:
            for path, message, hint in explain(context.workflow.document, problem):
                yield context.finding(RULE, path, message, hint=hint)
    for node in context.nodes:
        yield from _shorthand(context, node)
        yield from _repeated(context, node)
        yield from _channel(context, node)


def _shorthand(context: RuleContext, node: GraphNode) -> Iterator[Finding]:
    value = node.raw.get("depends_on")
    if isinstance(value, str):
        message, hint = "'depends_on' should be a list; it is taken as a list of one", f"write `[{value[:60]}]`"
        yield context.finding(RULE, context.at(node, "depends_on"), message, hint=hint, severity=Severity.WARNING)


def _repeated(context: RuleContext, node: GraphNode) -> Iterator[Finding]:
    """What sends a message does it once, and only agents and plain nodes have copies."""
    sends = node.type in {"answer", "ask_human", "deliver"}
    for field, given, wrong in (
        ("loop", node.loop, sends),
        ("fan_out", node.fan_out, sends or node.type in {"subworkflow", "fan_out"}),
        ("fan_in", node.fan_in, node.fan_out is None),
    ):
        if given is not None and wrong:
            message = f"{field!r} does not work on {node.type!r}" + ("" if field != "fan_in" else " without 'fan_out'")
            hint = "add `fan_out: {source: …}`" if field == "fan_in" else "put what repeats into a node above it"
            yield context.finding(RULE, context.at(node, field), message, hint=hint, key=True)


def _channel(context: RuleContext, node: GraphNode) -> Iterator[Finding]:
    for path, name in _channels_of(node):
        if context.channels and name not in context.channels:
            hint = context.near(name, context.channels) or f"known are {', '.join(sorted(context.channels))}"
            yield context.finding(RULE, context.at(node, *path), f"there is no channel {name[:60]!r}", hint=hint)


def _channels_of(node: GraphNode) -> Iterator[tuple[Path, str]]:
    if node.type in {"answer", "ask_human"} and isinstance(node.raw.get("channel"), str):
        yield ("channel",), node.raw["channel"]
    config: Any = node.raw.get("config")
    if node.type == "deliver" and isinstance(config, dict) and isinstance(config.get("channel"), str):
        yield ("config", "channel"), config["channel"]


RULE = Rule(
    "N2",
    Severity.ERROR,
    "The fields of a node fit its type.",
    "A node is checked before the run, so that it does not fail in the middle of it.",
    _check,
    valid=(
        "- {id: ok, type: merge, strategy: concat_list, inputs: [inputs.x], output: all}",
        "- {id: ok, type: answer, text: Done}\n- {id: out, type: deliver, depends_on: [ok], config: {channel: slack}}",
        "- {id: ok, loop: {type: standard, condition: state.ok.more, max_iterations: 3}}",
        "- {id: ok, fan_out: {source: inputs.x}, fan_in: {strategy: reduce, reduce: sum}}",
    ),
    invalid=(
        "- {id: ok, type: merge, strategy: concat, inputs: [inputs.x], output: all}",
        "- {id: ok, type: answer, text: 1.10}",
        "- {id: ok, type: answer}",
        "- {id: ok, type: answer, text: Hi, channel: slak}",
        "- {id: ok, type: static, value: 1, timeout: soon}",
        "- {id: ok, type: static, value: 1, retry: {max_retries: -1}}",
        "- {type: static, value: 1}",
        "- {id: ok, type: answer, text: Hi, loop: {type: standard, max_iterations: 2}}",
        "- {id: ok, type: static, value: 1, fan_in: {strategy: first}}",
        "- {id: ok, loop: {type: standard}}",
        "- {id: ok, type: fan_out, items_from: inputs.x, fan_out: {source: inputs.x}}",
    ),
)
