"""Run a recorded run again: a replay with its recorded answers, or a fork with something changed (spec 08)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from awp_core import preflight
from awp_core.engine.plan import Plan, PlannedNode
from awp_core.equip import equip
from awp_core.errors import NotFoundError, RunError, UsageError
from awp_core.events.bus import Observer
from awp_core.events.fold import NodeState
from awp_core.execution import Origin
from awp_core.handle import Run
from awp_core.manifest.inputs import from_text, resolve_inputs
from awp_core.manifest.load import Workflow
from awp_core.recorded import Recorded, replay_job
from awp_core.runs.compare import Difference, compare
from awp_core.runs.reader import RunStore

if TYPE_CHECKING:
    from awp_core.app import App

JSON = Any


def replay(app: App, run: Run, observers: tuple[Observer, ...] = ()) -> Run:
    """Run the recorded manifest again, with recorded answers and replies: offline, without tokens, nothing is sent.

    Code runs for real. Returns at once; see `finished`.

    Raises:
        RunError: The run is a replay itself.
        ManifestError: The recorded manifest is not valid here, such as for a missing node type.
        RunFolderError: The record is damaged.
    """
    state = run.snapshot
    if state.replay:
        raise RunError(f"run {run.id} is a replay itself", hint=f"replay what it repeats: awp replay {state.origin}")
    recorded = Recorded.of(run.run_folder)
    job = replay_job(app, app.library.of_run(run.run_folder, as_run=True), recorded, state.chat_id)
    return app.begin(job, state.inputs, observers, (), Origin(run=run.id, replay=True))


class Replayed(NamedTuple):
    """How a replay went: its run, the status it came to, and where it differs from what it repeats."""

    run: Run
    status: str
    differences: list[Difference]

    @property
    def verdict(self) -> str:
        """One line for a person."""
        state = self.run.snapshot
        if not self.differences:
            return f"identical: run {state.origin} came to {self.status!r} again, with every output the same"
        places = ", ".join(difference.where for difference in self.differences[:10])
        return f"different: run {state.origin} and its replay {self.run.id} differ at {places}"


def finished(before: Run, after: Run) -> Replayed:
    """Wait for a replay and compare it; one that waits for a person, as its run does, is ended there."""
    status = after.wait().status
    found = compare(before.snapshot, after.snapshot)
    if status == "paused":
        after.cancel("the recorded run waits here too").wait()
    return Replayed(after, status, found)


def fork(
    app: App,
    run: Run,
    nodes: Sequence[str],
    changes: Mapping[str, JSON] | None = None,
    *,
    provider: str | None = None,
    replies: Mapping[str, JSON] | None = None,
    observers: tuple[Observer, ...] = (),
    workflow: Workflow | None = None,
    text: bool = False,
) -> Run:
    """Start a new run of the workflow as it is now that takes over what a recorded run finished.

    `nodes`, what depends on them, and what never finished run; everything else is taken from the record. Returns at
    once.

    Args:
        app: Where it runs.
        run: The recorded run.
        nodes: Where it starts again.
        changes: New values, by `node.field` for an output that is taken over, or by `inputs.name`.
        provider, replies, observers: As for `App.start`; the provider is that of the recorded run by default.
        workflow: The workflow as it is now, when the caller knows it.
        text: Whether the changes came as text from a command line.

    Raises:
        NotFoundError: A node does not exist.
        UsageError: A change is of something that is not taken over.
        ManifestError, InputError, EngineUnavailableError: Nothing was started.
    """
    state = run.snapshot
    before = app.library.of_run(run.run_folder, as_run=True)
    now = workflow or app.library.of_run(run.run_folder)
    plan = app.plan(now)
    preflight.check_replies(plan, replies or {})
    again = _with_dependents(plan, nodes)
    finished = {name: node for name, node in state.nodes.items() if node.status == "finished" and name in plan.nodes}
    kept = sorted((name for name in finished if name not in again), key=lambda name: finished[name].order)
    wanted = _by_type(now, changes or {}) if text else changes or {}
    inputs, outputs = _changed(state.inputs, {name: finished[name].output for name in kept}, wanted)
    values, warnings = resolve_inputs(now, inputs)
    runs = [agent for node, agent in plan.agents().items() if node not in outputs]
    preflight.check_functions(RunStore(run.folder.parent).about(run.id), state.provider, runs, app.functions)
    chosen = provider or preflight.recorded_provider(state.provider)
    job = equip(app, now, plan, chosen, preflight.prepared(replies), state.chat_id)
    reused = {name: _reused(plan.nodes[name], finished[name], outputs[name]) for name in kept}
    changed = [name for name in kept if not before.has_node(name) or before.node(name).raw != now.node(name).raw]
    warnings += [f"{name!r} was changed since, but its recorded output is used" for name in changed]
    return app.begin(job, values, observers, warnings, Origin(run=run.id, reused=reused))


def _with_dependents(plan: Plan, nodes: Iterable[str]) -> set[str]:
    """Return nodes and everything below them."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        name = waiting.pop()
        if name not in plan.nodes:
            raise NotFoundError.for_name("node", name, plan.nodes)
        if name not in found:
            found.add(name)
            waiting += plan.nodes[name].dependents
    return found


def _by_type(workflow: Workflow, changes: Mapping[str, JSON]) -> dict[str, JSON]:
    declared = workflow.manifest.inputs if workflow.manifest is not None else {}
    typed = dict(changes)
    for path, value in changes.items():
        name = path.removeprefix("inputs.")
        if name != path and isinstance(value, str):
            typed[path] = from_text(value, declared.get(name))
    return typed


def _changed(
    inputs: Mapping[str, JSON], outputs: Mapping[str, JSON], changes: Mapping[str, JSON]
) -> tuple[dict[str, JSON], dict[str, JSON]]:
    changed = {"inputs": dict(inputs), **deepcopy(dict(outputs))}
    for path, value in changes.items():
        root, *rest = path.split(".")
        if root not in changed:
            raise UsageError(
                f"cannot set {path!r}: {root!r} is not taken over from the recorded run",
                hint=f"taken over are inputs, {', '.join(outputs) or 'and no node'}",
            )
        changed[root] = _with(changed[root], rest, value, path)
    return changed.pop("inputs"), changed


def _with(target: JSON, path: list[str], value: JSON, spelled: str) -> JSON:
    if not path:
        return value
    key, *rest = path
    if isinstance(target, dict):
        return {**target, key: _with(target.get(key, {}) if rest else None, rest, value, spelled)}
    if isinstance(target, list) and key.isascii() and key.isdigit() and int(key) < len(target):
        index = int(key)
        return [*target[:index], _with(target[index], rest, value, spelled), *target[index + 1 :]]
    raise UsageError(f"cannot set {spelled!r}: there is nothing at {key!r}", hint="name a field of a recorded output")


def _reused(node: PlannedNode, state: NodeState, output: JSON) -> dict[str, JSON]:
    case = output.get("case", state.case) if isinstance(output, dict) else state.case
    data: dict[str, JSON] = {"output": output}
    if case in node.cases:
        data["case"] = case
    if state.expired:
        data["expired"] = True
    return data
