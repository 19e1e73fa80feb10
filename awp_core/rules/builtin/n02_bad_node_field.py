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
        yield from _channel(context, node)


def _shorthand(context: RuleContext, node: GraphNode) -> Iterator[Finding]:
    value = node.raw.get("depends_on")
    if isinstance(value, str):
        message, hint = "'depends_on' should be a list; it is taken as a list of one", f"write `[{value[:60]}]`"
        yield context.finding(RULE, context.at(node, "depends_on"), message, hint=hint, severity=Severity.WARNING)


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
    ),
    invalid=(
        "- {id: ok, type: merge, strategy: concat, inputs: [inputs.x], output: all}",
        "- {id: ok, type: answer, text: 1.10}",
        "- {id: ok, type: answer}",
        "- {id: ok, type: answer, text: Hi, channel: slak}",
        "- {id: ok, type: static, value: 1, timeout: soon}",
        "- {id: ok, type: static, value: 1, retry: {max_retries: -1}}",
        "- {type: static, value: 1}",
    ),
)
