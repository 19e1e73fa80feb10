"""N6: a chat workflow can answer or ask."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.rules.base import Rule, RuleContext


def _check(context: RuleContext) -> Iterator[Finding]:
    manifest = context.workflow.manifest
    if manifest is None or manifest.orchestration.engine != "chat":
        return
    if not any(node.type in {"answer", "ask_human"} for node in context.nodes):
        message = "a chat workflow needs an answer or ask_human node (R11 of the package runner)"
        hint = "add `- {id: reply, type: answer, text_from: …}`, or use the engine dag"
        yield context.finding(RULE, ("orchestration", "engine"), message, hint=hint)


_CHAT = "orchestration: {engine: chat}\ngraph:\n"
RULE = Rule(
    "N6",
    Severity.ERROR,
    "A workflow with the engine `chat` has an `answer` or `ask_human` node.",
    "A chat without either could never say anything.",
    _check,
    valid=(_CHAT + "- {id: ok, type: answer, text: Hi}", "graph: [{id: ok, type: static, value: 1}]"),
    invalid=(
        _CHAT + "- {id: ok, type: static, value: 1}",
        _CHAT + "- {id: ok, instructions: talk}",
        _CHAT + "- {id: ok, type: static, value: 1}\n- {id: out, type: deliver, depends_on: [ok]}",
    ),
)
