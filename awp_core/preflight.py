"""What is checked before the first node of a run, besides the rules: nothing is started that cannot go through."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from awp_core.channels.base import Channel
from awp_core.diagnostics.model import Findings
from awp_core.engine.plan import Plan, PlannedNode
from awp_core.engine.questions import PreparedReply
from awp_core.errors import EngineUnavailableError, ManifestError, NotFoundError
from awp_core.manifest.load import Workflow
from awp_core.rules import environment

NO_PROVIDER = "none"
CALLABLE = "callable"


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


def check_channels(plan: Plan, channels: Mapping[str, Channel], environ: Mapping[str, str]) -> None:
    """Refuse a workflow that sends to a channel which is not set up.

    Raises:
        EngineUnavailableError: Names the nodes and what to set.
    """
    senders: dict[str, list[str]] = {}
    for node, channel in plan.channels().items():
        senders.setdefault(channel, []).append(node)
    for name, nodes in senders.items():
        missing = channels[name].missing(environ) if name in channels else ""
        if missing:
            raise EngineUnavailableError(
                f"engine_unavailable: channel {name!r} is needed by {', '.join(nodes)}", hint=missing
            )


def check_replies(plan: Plan, replies: Mapping[str, Any]) -> None:
    """Refuse an answer in advance to a question that does not exist.

    Raises:
        NotFoundError: Names the nearest question.
    """
    asking = [node.id for node in plan.nodes.values() if asks(node)]
    for node in replies:
        if node not in asking:
            raise NotFoundError.for_name("question", node, asking)


def prepared(replies: Mapping[str, Any] | None) -> dict[str, list[PreparedReply]]:
    """Return answers given in advance by the local owner as the engine takes them."""
    return {node: [PreparedReply(raw)] for node, raw in (replies or {}).items()}


def asks(node: PlannedNode) -> bool:
    """Whether a node may ask a person: for itself, each time of a loop, or for a workflow it runs."""
    loop = node.node.loop
    return node.type.name in {"ask_human", "subworkflow"} or (loop is not None and loop.type == "interactive")


def check_functions(about: Mapping[str, Any], recorded: str, called: Iterable[str], functions: Container[str]) -> None:
    """Refuse to let a stub stand in for a Python function that only another session has.

    Args:
        about: The run's `run_manifest.json`; {} if it is damaged.
        recorded: The providers of the run, by its record.
        called: The agents that will be called.
        functions: The functions of this session.

    Raises:
        EngineUnavailableError: Names the functions that are missing here.
    """
    if CALLABLE not in providers_in(recorded):
        return
    known = about.get("functions")
    agents = sorted({agent for agent in called if agent})
    gone = [name for name in agents if name not in functions and (not isinstance(known, list) or name in known)]
    if gone:
        raise EngineUnavailableError(
            f"the run calls {', '.join(gone)}, Python functions of the session that started it",
            hint="resume it there, or define them again with @awp_core.agent",
        )


def recorded_provider(recorded: str) -> str | None:
    """Return the provider a run was started with, so that a resumed run never turns from a stub to a paid model."""
    named = [name for name in providers_in(recorded) if name not in {CALLABLE, NO_PROVIDER}]
    return named[0] if len(named) == 1 else None


def providers_in(recorded: str) -> list[str]:
    """Return the providers named in a record.

    >>> providers_in("callable, stub")
    ['callable', 'stub']
    """
    return [name.strip() for name in recorded.split(",")]
