"""What a validation rule is, and what it gets to look at (spec 09).

One rule is one file in `builtin/` that exports `RULE`. Its examples are its tests and its documentation page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from awp_core.diagnostics.model import Finding, Severity
from awp_core.errors import nearest
from awp_core.manifest.load import GRAPH_PATH, Problem, Workflow
from awp_core.manifest.models import GraphNode
from awp_core.nodes.base import NodeConfig, NodeType

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class RuleContext:
    """What a rule may look at: the workflow, the known node types, the environment.

    Attributes:
        workflow: The manifest as far as it could be read.
        node_types: Every node type by name.
        environ: Environment variables (rule M5).
        configs: Parsed configs by node index; a config that its type refuses is absent (rule N2 reports it).
        agents: Names of agents defined outside the manifest, such as in the notebook.
        problems: What the models refused, of the manifest, of nodes and of their configs.
        channels: Names of the known channels.
        draft: Whether the workflow is still being written, as in a cell whose code cells follow.
    """

    workflow: Workflow
    node_types: Mapping[str, NodeType]
    environ: Mapping[str, str] = field(default_factory=dict)
    configs: Mapping[int, NodeConfig] = field(default_factory=dict)
    agents: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    channels: frozenset[str] = frozenset()
    draft: bool = False

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The readable graph entries."""
        return self.workflow.nodes

    @cached_property
    def node_ids(self) -> tuple[str, ...]:
        """All ids in the graph, also those of entries that could not be read otherwise."""
        section = self.workflow.raw.get("orchestration")
        graph = section.get("graph") if isinstance(section, dict) else None
        entries = graph if isinstance(graph, list) else ()
        return tuple(e["id"] for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str))

    def typed(self, name: str) -> Iterator[tuple[GraphNode, Any]]:
        """Yield the nodes of one type with their parsed config."""
        for node in self.nodes:
            if node.type == name and node.index in self.configs:
                yield node, self.configs[node.index]

    def config_of(self, node: GraphNode) -> NodeConfig | None:
        """Return a node's parsed config, or None when it is wrong or its type unknown."""
        return self.configs.get(node.index)

    def cases_of(self, node: GraphNode) -> tuple[str, ...]:
        """Return the cases a node can choose; () for a node that is no route."""
        config = self.config_of(node)
        return self.node_types[node.type].cases(config) if config is not None else ()

    def at(self, node: GraphNode, *path: str | int) -> Path:
        """Return the manifest path of a field of a node."""
        return (*GRAPH_PATH, node.index, *path)

    def finding(
        self,
        rule: Rule,
        path: Path,
        message: str,
        *,
        hint: str = "",
        key: bool = False,
        severity: Severity | None = None,
    ) -> Finding:
        """Build a finding of `rule` at a manifest path."""
        return self.workflow.document.finding(rule.name, severity or rule.severity, path, message, hint=hint, key=key)

    def near(self, name: str, known: Iterable[str]) -> str:
        """Return a "did you mean" hint, or ""."""
        close = nearest(name, known)
        return f"did you mean {close!r}?" if close else ""


Check = Callable[[RuleContext], Iterable[Finding]]


@dataclass(frozen=True)
class Rule:
    """One validation rule.

    Attributes:
        name: Its id, such as `R11`; never reused.
        severity: The severity of its findings unless a finding says otherwise.
        summary: What it checks, in one sentence.
        why: What goes wrong without it.
        check: Yields its findings.
        valid: Manifests without a finding of this rule. A short form (a bare graph) is completed, see `examples`.
        invalid: Manifests with at least one.
    """

    name: str
    severity: Severity
    summary: str
    why: str
    check: Check
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
