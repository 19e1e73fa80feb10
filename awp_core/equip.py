"""Equip a compiled workflow with what its run needs: services, secrets, and what its subworkflow nodes run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from awp_core import preflight
from awp_core.diagnostics.model import Findings, Severity
from awp_core.engine.plan import Plan, PlannedNode
from awp_core.engine.questions import PreparedReply
from awp_core.errors import AwpError, ManifestError
from awp_core.execution import Job
from awp_core.manifest.load import GRAPH_PATH, Workflow
from awp_core.services import AppServices, secrets_of, sensitive_fields

if TYPE_CHECKING:
    from awp_core.app import App

TYPE = "subworkflow"


@dataclass(frozen=True, slots=True)
class Above:
    """What a run takes over from the runs around it, or from whoever wants it.

    Attributes:
        names: Their workflows, outermost first, for the check against workflows that nest themselves.
        secrets, sensitive_fields: What they keep secret, so that an input given on does not give it away.
        ending: Whether the run is only to be ended, which needs no variable and no channel.
    """

    names: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    sensitive_fields: tuple[str, ...] = ()
    ending: bool = False

    def below(self, workflow: Workflow, secrets: Mapping[str, str], fields: tuple[str, ...]) -> Above:
        """Return what runs nested in a run of `workflow` take over."""
        names = (*self.names, _identity(workflow))
        return replace(
            self, names=names, secrets={**self.secrets, **secrets}, sensitive_fields=(*self.sensitive_fields, *fields)
        )


def equip(
    app: App,
    workflow: Workflow,
    plan: Plan,
    provider: str | None,
    replies: Mapping[str, Sequence[PreparedReply]],
    chat_id: str,
    above: Above = Above(),
) -> Job:
    """Return everything a run needs besides its folder.

    Args:
        app: Finds and compiles nested workflows.
        workflow, plan: What runs.
        provider: The provider that was asked for, if any.
        replies: Answers given in advance, by node.
        chat_id: The chat that starts the run.
        above: What the run takes over.

    Raises:
        ManifestError: A required variable is unset; a nested workflow does not exist, nests itself, or has errors.
        EngineUnavailableError: A provider or a channel that is needed cannot be used.
    """
    if not above.ending:
        preflight.check_environment(workflow, app.environ)
        preflight.check_channels(plan, app.channels, app.environ)
    secrets = secrets_of(workflow, plan, app.channels, app.environ)
    below = above.below(workflow, secrets, sensitive_fields(workflow))
    children = _children(app, workflow, plan, provider, chat_id, below)
    services = AppServices(app, workflow, plan, provider, chat_id, children)
    return Job(
        workflow,
        plan,
        services,
        services.provider_name,
        functions=tuple(sorted(set(plan.agents().values()) & set(app.functions))),
        secrets=below.secrets,
        sensitive_fields=below.sensitive_fields,
        replies=replies,
        children=children,
    )


def _children(
    app: App, workflow: Workflow, plan: Plan, provider: str | None, chat_id: str, above: Above
) -> dict[str, Job]:
    """Return what every subworkflow node runs, checked as a run of its own is."""
    nodes = [node for node in plan.nodes.values() if node.type.name == TYPE]
    return {node.id: _child(app, workflow, node, provider, chat_id, above) for node in nodes}


def _identity(workflow: Workflow) -> str:
    return str(workflow.path.resolve()) if workflow.path is not None else workflow.name


def _child(app: App, workflow: Workflow, node: PlannedNode, provider: str | None, chat_id: str, above: Above) -> Job:
    reference: str = node.config.subworkflow
    try:
        child = app.library.beside(workflow, reference)
    except AwpError as error:
        raise _refusal(workflow, node, error.message, error.hint) from error
    if _identity(child) in above.names:
        raise _refusal(workflow, node, f"{reference!r} would run inside of itself", "break the circle")
    return equip(app, child, app.plan(child), provider, {}, chat_id, above)


def _refusal(workflow: Workflow, node: PlannedNode, message: str, hint: str) -> ManifestError:
    path = (*GRAPH_PATH, node.index, TYPE)
    findings = Findings([workflow.document.finding("N2", Severity.ERROR, path, message, hint=hint)])
    return preflight.refusal(workflow, findings)
