"""Start, answer, resume and wait for runs, and show them while they work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from awp_core.events.fold import RunState
from awp_magics.area import Area
from awp_magics.bridge import Leg, follow, wait_until_idle, watch

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_core.manifest.load import Workflow
    from awp_magics.session import Session


class RunOptions(NamedTuple):
    """How a run is started or resumed: see `%awp run --help`."""

    provider: str | None = None
    replies: Mapping[str, Any] | None = None
    background: bool = False
    variable: str | None = None
    require_complete: bool = False


def start(session: Session, workflow: Workflow, inputs: Mapping[str, Any], options: RunOptions) -> Run:
    """Start a run and show it until it ends or waits for a person.

    Args:
        session: The shell's state.
        workflow: What to run.
        inputs: See `text_inputs`.
        options: How.

    Raises:
        AwpError: It could not start, or it failed; what the core says.
    """
    leg = Leg()
    run = session.app.start(
        workflow,
        inputs,
        provider=options.provider or session.provider,
        replies=options.replies,
        observers=(leg.put,),
        text=True,
    )
    area = _new_area(session, run, workflow, RunState(run_id=run.id))
    return _present(session, area, leg, options)


def fork(session: Session, before: Run, nodes: list[str], changes: Mapping[str, Any], options: RunOptions) -> Run:
    """Start a fork of a run and show it; see `awp_core.again.fork`, errors as for `start`."""
    from awp_core import again

    leg = Leg()
    run = again.fork(
        session.app,
        before,
        nodes,
        changes,
        provider=options.provider or session.provider,
        replies=options.replies,
        observers=(leg.put,),
        text=True,
    )
    workflow = session.app.library.of_run(run.run_folder, as_run=True)
    return _present(session, _new_area(session, run, workflow, RunState(run_id=run.id)), leg, options)


def answer(session: Session, run: Run, value: Any, node: str | None = None, replier: str | None = None) -> Leg | None:
    """Answer a question; the run goes on by itself.

    Returns:
        The events of the run from here on; None if somebody here follows it already.

    Raises:
        AwpError: The reply is refused; the question stays open.
    """
    leg = Leg()
    parked = session.app.reply(run, value, node=node, replier=replier, observers=(leg.put,))
    return leg if parked else None


def answer_and_follow(session: Session, run: Run, value: Any, node: str | None, replier: str | None = None) -> Run:
    """Answer a question and show the run in the present cell until it rests again; errors as for `start`."""
    area = area_of(session, run)
    leg = answer(session, run, value, node, replier)
    if leg is not None:
        return _present(session, area, leg, RunOptions())
    return wait(session, run, None)


def resume(session: Session, run: Run, options: RunOptions, *, accept_changes: bool) -> Run:
    """Go on with a paused or cut-off run and show it; errors as for `start`."""
    area = area_of(session, run)
    leg = Leg()
    session.app.resume(
        run,
        provider=options.provider or session.provider,
        accept_changes=accept_changes,
        observers=(leg.put,),
    )
    return _present(session, area, leg, options)


def go_on(session: Session, run: Run) -> None:
    """Go on with a parked run whose question nobody answered in time, and show it where it was shown."""
    leg = Leg()
    session.app.resume(run, observers=(leg.put,))
    watch(area_of(session, run), leg)


def wait(session: Session, run: Run, timeout: float | None) -> Run:
    """Show a run until it rests, whoever works on it; errors as for `start`."""
    area = area_of(session, run)
    if not area.idle.is_set():
        area.show()
        wait_until_idle(area)
    run.wait(timeout)
    show(session, run)
    session.remember(run)
    return settled(run)


def show(session: Session, run: Run) -> None:
    """Show a run as it is now, with the forms of its open questions."""
    area = area_of(session, run)
    if area.idle.is_set():
        area.state = run.snapshot  # another process may have gone on with it
    area.show()
    area.redraw(rest=True)
    session.showed(run)


def settled(run: Run, *, require_complete: bool = False) -> Run:
    """Return a run that rests; one that failed raises, so that a notebook stops there.

    Raises:
        RunError: It failed or was cancelled; with `require_complete` also if it waits for a person.
    """
    if run.status in {"failed", "cancelled"} or (run.status == "paused" and require_complete):
        _ = run.result
    return run


def area_of(session: Session, run: Run) -> Area:
    """Return the output area of a run."""
    area = session.areas.get(run.id)
    if area is None:
        workflow = session.app.library.of_run(run.run_folder, as_run=True)
        area = _new_area(session, run, workflow, run.snapshot)
    return area


def text_inputs(workflow: Workflow, texts: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a run; text that was typed is read by its declared type, values of variables are not.

    Args:
        workflow: Declares the inputs.
        texts: Typed.
        values: From variables.
    """
    declared = workflow.manifest.inputs if workflow.manifest is not None else {}
    inputs: dict[str, Any] = dict(texts)
    for name, value in values.items():
        spec = declared.get(name)
        protect = isinstance(value, str) and (spec is None or spec.type != "string")
        inputs[name] = json.dumps(value) if protect else value
    return inputs


def _new_area(session: Session, run: Run, workflow: Workflow, state: RunState) -> Area:
    def reply(node: str, value: Any) -> None:
        leg = answer(session, run, value, node)
        if leg is not None:
            watch(area, leg)

    area = Area(session, run, workflow, state, reply)
    session.areas[run.id] = area
    return area


def _present(session: Session, area: Area, leg: Leg, options: RunOptions) -> Run:
    run = area.run
    session.remember(run, options.variable)
    session.showed(run)
    if options.background:
        leg.pour(area)
        area.show(with_form=True)
        watch(area, leg)
        return run
    follow(session, area, leg)
    return settled(run, require_complete=options.require_complete)
