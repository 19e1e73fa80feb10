"""The functions of the front door: one shared `App`, sync calls that also work inside a running event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from awp_core.app import App
from awp_core.diagnostics.model import Findings
from awp_core.handle import Run
from awp_core.manifest.load import Workflow

F = TypeVar("F", bound=Callable[..., Any])


@cache
def default_app() -> App:
    """Return the process's own `App`; the notebook and these functions share it."""
    return App()


def load(target: str | Path) -> Workflow:
    """Read a workflow: a directory, a `*.awp.yaml` file, a name defined in this session, or a shipped example.

    Raises:
        NotFoundError: There is none.
    """
    return default_app().load(target)


def load_text(text: str, name: str = "workflow") -> Workflow:
    """Read a workflow from YAML text; a bare list of nodes will do."""
    return default_app().load_text(text, name)


def validate(workflow: Workflow | str | Path) -> Findings:
    """Return every finding of every rule, sorted by line."""
    return default_app().validate(_loaded(workflow))


def run(
    workflow: Workflow | str | Path,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    provider: str | None = None,
    replies: Mapping[str, Any] | None = None,
    **values: Any,
) -> Run:
    """Run a workflow until it ends or waits for a person. Works inside a running event loop too.

    Args:
        workflow: A workflow, or what `load` takes.
        inputs: Inputs by name; `values` are added.
        provider: Provider for every agent.
        replies: Answers given in advance, by node.
        values: More inputs.

    Raises:
        ManifestError, InputError, EngineUnavailableError: Nothing was started.
    """
    app = default_app()
    return app.start(_loaded(workflow), {**(inputs or {}), **values}, provider=provider, replies=replies).wait()


async def arun(
    workflow: Workflow | str | Path,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    provider: str | None = None,
    replies: Mapping[str, Any] | None = None,
    **values: Any,
) -> Run:
    """Run a workflow on the caller's own event loop; arguments and errors as for `run`."""
    app = default_app()
    return await app.arun(_loaded(workflow), {**(inputs or {}), **values}, provider=provider, replies=replies)


def resume(
    run_id: Run | str,
    reply: Any = None,
    *,
    node: str | None = None,
    replier: str | None = None,
    provider: str | None = None,
    accept_changes: bool = False,
) -> Run:
    """Go on with a paused or cut-off run, with a `reply` to its question if given; wait until it ends or pauses again.

    Raises:
        NotFoundError, RunLockedError, ReplyError, ManifestChangedError, RunError: Nothing was changed.
    """
    app = default_app()
    return app.resume(
        run_id, reply, node=node, replier=replier, provider=provider, accept_changes=accept_changes
    ).wait()  # fmt: skip


resume_workflow = resume  # the seed's name for it


def reply(run_id: Run | str, value: Any, *, node: str | None = None, replier: str | None = None) -> Run:
    """Answer a question and wait until the run ends or pauses again; errors as for `resume`."""
    return resume(run_id, value, node=node, replier=replier)


def open_run(reference: str) -> Run:
    """Return the run named by an id, a unique prefix, or a workflow name (its newest run).

    Raises:
        NotFoundError: There is none.
    """
    return default_app().open(reference)


def list_runs() -> list[Run]:
    """Return the runs of the runs folder, newest first."""
    return default_app().runs()


def agent(name: str, *, process: bool = False) -> Callable[[F], F]:
    """Make a Python function, sync or async, the agent called `name`.

    Its parameters are filled by name: an input, an upstream node, or `inputs`, `state`, `instructions`.

    Args:
        name: The agent's name.
        process: Run it in a process of its own, so that a time-out or cancel ends it for real.

    Example:
        >>> @agent("greeter")
        ... def greet(name):
        ...     return {"text": f"Hello, {name}"}
    """
    return default_app().functions.agent(name, process=process)


def _loaded(workflow: Workflow | str | Path) -> Workflow:
    return workflow if isinstance(workflow, Workflow) else load(workflow)
