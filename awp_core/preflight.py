"""What is checked before the first node of a run, besides the rules: nothing is started that cannot go through."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from awp_core.diagnostics.model import Findings
from awp_core.engine.plan import Plan
from awp_core.errors import EngineUnavailableError, ManifestError, NotFoundError
from awp_core.manifest.load import Workflow
from awp_core.rules import environment


def refusal(workflow: Workflow, findings: Findings) -> ManifestError:
    """Return the error for a workflow with errors."""
    count = len(findings.errors)
    return ManifestError(f"{workflow.name} cannot run: {count} error{'s' if count != 1 else ''}", findings)


def check_environment(workflow: Workflow, environ: Mapping[str, str]) -> None:
    """Refuse a workflow that needs what this machine lacks.

    Raises:
        ManifestError: Lists everything that is missing (rule M5).
    """
    findings = environment.check_environment(workflow, environ)
    if not findings.ok:
        raise refusal(workflow, findings)


def check_replies(plan: Plan, replies: Mapping[str, Any]) -> None:
    """Refuse an answer in advance to a question that does not exist.

    Raises:
        NotFoundError: Names the nearest question.
    """
    asking = [node.id for node in plan.nodes.values() if node.type.name == "ask_human"]
    for node in replies:
        if node not in asking:
            raise NotFoundError.for_name("question", node, asking)


def check_functions(about: Mapping[str, Any], plan: Plan, functions: Container[str]) -> None:
    """Refuse to let a stub stand in for a Python function that only another session has.

    Args:
        about: The run's `run_manifest.json`.
        plan: What is resumed.
        functions: The functions of this session.

    Raises:
        EngineUnavailableError: Names the functions that are missing here.
    """
    recorded = about.get("functions")
    gone = [
        agent
        for agent in sorted(set(plan.agents().values()))
        if isinstance(recorded, list) and agent in recorded and agent not in functions
    ]
    if gone:
        raise EngineUnavailableError(
            f"the run calls {', '.join(gone)}, Python functions of the session that started it",
            hint="resume it there, or define them again with @awp_core.agent",
        )
