"""Run every rule and report everything at once (spec 01, Processing order)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from awp_core.diagnostics.model import Finding, Findings, Severity
from awp_core.manifest.load import GRAPH_PATH, Problem, Workflow
from awp_core.nodes.base import NodeConfig, NodeType
from awp_core.registry import Registry, collect
from awp_core.rules.base import Rule, RuleContext

# An error of these stops the rest: what did not parse, or was written for another major version, cannot be judged.
_GATES = ("M6", "M2")


def load_rules() -> Registry[Rule]:
    """Find every rule.

    Raises:
        AwpError: A rule is broken, or two have one id.
    """
    return collect("rule", "awp_core.rules.builtin", "RULE", Rule, group="awp.rules")


def run_rules(
    workflow: Workflow,
    node_types: Mapping[str, NodeType],
    rules: Mapping[str, Rule],
    *,
    environ: Mapping[str, str],
    agents: frozenset[str] = frozenset(),
    channels: frozenset[str] = frozenset(),
    draft: bool = False,
) -> Findings:
    """Return the findings of all rules, sorted by place.

    Args:
        workflow: The manifest as far as it could be read.
        node_types: Every node type by name.
        rules: The rules to run, by id.
        environ: Environment variables.
        agents: Agents defined outside the manifest.
        channels: Names of the known channels.
        draft: Whether parts, such as code cells, may still follow.
    """
    configs, refused = _read_configs(workflow, node_types)
    problems = (*workflow.problems, *refused)
    context = RuleContext(workflow, node_types, environ, configs, agents, problems, channels, draft)
    for name in _GATES:
        stops = tuple(rules[name].check(context)) if name in rules else ()
        if any(finding.severity is Severity.ERROR for finding in stops):
            return Findings(stops)
    return Findings(_all(rules.values(), context))


def _all(rules: Iterable[Rule], context: RuleContext) -> Iterable[Finding]:
    for rule in rules:
        yield from rule.check(context)


def _read_configs(
    workflow: Workflow, node_types: Mapping[str, NodeType]
) -> tuple[dict[int, NodeConfig], list[Problem]]:
    configs: dict[int, NodeConfig] = {}
    problems: list[Problem] = []
    for node in workflow.nodes:
        kind = node_types.get(node.type)
        if kind is None:
            continue  # rule N1 reports it
        try:
            configs[node.index] = kind.config.model_validate(node.config)
        except ValidationError as error:
            problems.append(Problem((*GRAPH_PATH, node.index), error))
    return configs, problems
