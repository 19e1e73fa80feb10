"""N8: limits that are larger than this runtime allows."""

from __future__ import annotations

from collections.abc import Iterator

from awp_core.diagnostics.model import Finding, Severity
from awp_core.manifest.models import MAX_DELAY_S, MAX_ITERATIONS, MAX_RETRIES, GraphNode
from awp_core.rules.base import Path, Rule, RuleContext

_PAIRS = (("max_retries", "max_attempts"), ("retry_interval_s", "backoff_base"))


def _check(context: RuleContext) -> Iterator[Finding]:
    for node in context.nodes:
        if "retry" not in node.raw and node.loop is None:
            continue
        for path, value, limit in _limits(node):
            if value > limit:
                message = f"{path[-1]!r} is {value:g}; {limit:g} is used"
                yield context.finding(RULE, context.at(node, *path), message, hint=f"write {limit:g} or less")
        for ours, theirs in _PAIRS:
            if getattr(node.retry, ours) is not None and getattr(node.retry, theirs) is not None:
                message = f"both {ours!r} and {theirs!r} are given; {ours!r} is used"
                path = context.at(node, "retry", theirs)
                yield context.finding(RULE, path, message, hint=f"remove {theirs!r}", key=True)


def _limits(node: GraphNode) -> Iterator[tuple[Path, float, float]]:
    retry = node.retry
    yield ("retry", "max_retries"), retry.max_retries or 0, MAX_RETRIES
    yield ("retry", "max_attempts"), retry.max_attempts or 0, MAX_RETRIES + 1
    yield ("retry", "retry_interval_s"), retry.retry_interval_s or 0, MAX_DELAY_S
    yield ("retry", "backoff_base"), retry.backoff_base or 0, MAX_DELAY_S
    yield ("retry", "backoff_max"), retry.backoff_max or 0, MAX_DELAY_S
    if node.loop is not None:
        yield ("loop", "max_iterations"), node.loop.max_iterations, MAX_ITERATIONS


RULE = Rule(
    "N8",
    Severity.WARNING,
    "Retries, waits and loops stay within the limits of this runtime.",
    "A larger value is clamped; the author should know.",
    _check,
    valid=(
        "- {id: ok, type: static, value: 1, retry: {max_retries: 10, retry_interval_s: 60}}",
        "- {id: ok, type: static, value: 1, retry: {max_attempts: 11}}",
    ),
    invalid=(
        "- {id: ok, type: static, value: 1, retry: {max_retries: 11}}",
        "- {id: ok, type: static, value: 1, retry: {max_retries: 1, retry_interval_s: 61}}",
        "- {id: ok, type: static, value: 1, retry: {max_retries: 1, max_attempts: 2}}",
        "- {id: ok, loop: {type: standard, max_iterations: 101, condition: 'true'}}",
    ),
)
