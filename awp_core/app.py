"""The use cases: load, validate, run, resume, reply, cancel, list. Wires everything; nothing else holds globals."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from awp_core import nested, preflight
from awp_core.agents.functions import AgentFunctions
from awp_core.channels.base import Channel
from awp_core.diagnostics.model import Findings
from awp_core.drawing import draw
from awp_core.engine.plan import Plan, build_plan
from awp_core.engine.questions import PreparedReply, find
from awp_core.equip import Above, equip
from awp_core.errors import RunError
from awp_core.events.bus import Observer
from awp_core.events.fold import RunState
from awp_core.execution import Execution, Job, Origin, finish_folder
from awp_core.handle import Run
from awp_core.library import Library
from awp_core.live import LiveRuns
from awp_core.loop import BackgroundLoop
from awp_core.manifest.inputs import resolve_inputs
from awp_core.manifest.load import MANIFEST_FILE, Workflow, read_text
from awp_core.nodes.base import NodeType
from awp_core.registry import Registry
from awp_core.rules.base import Rule
from awp_core.runs.layout import RUNS
from awp_core.runs.lock import RunLock
from awp_core.runs.reader import RunStore

TAKES_REPLY = frozenset({"paused"})
RESUMABLE = frozenset({"paused", "running"})
CANCELLABLE = RESUMABLE


class App:
    """Everything one process needs to work with workflows.

    Args:
        environ: Environment variables; the process's own by default.
        runs_dir: Where runs are kept. By default `runs/` beside a workflow directory, else in the working directory.
        directory: What relative paths start from; the working directory by default.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] | None = None,
        runs_dir: Path | None = None,
        directory: Path | None = None,
    ) -> None:
        self.environ: Mapping[str, str] = os.environ if environ is None else environ
        self.directory = directory
        self.runs_dir = runs_dir
        self.loop = BackgroundLoop()
        self.functions = AgentFunctions()
        self.library = Library(self)
        self.live = LiveRuns(self, self.loop)
        # What goes on with a parked run whose question nobody answered in time; a front end may put its own here.
        self.go_on: Callable[[Run], object] = self.resume

    # --- extension points, found on first use ----------------------------------------------------------------------

    @cached_property
    def node_types(self) -> Registry[NodeType]:
        """Every node type."""
        from awp_core.nodes import load_node_types

        return load_node_types()

    @cached_property
    def channels(self) -> Registry[Channel]:
        """Every channel."""
        from awp_core.channels import load_channels

        return load_channels()

    # --- workflows -------------------------------------------------------------------------------------------------

    def load(self, target: str | Path) -> Workflow:
        """Read a workflow: a directory, a file, a name in this session, or a shipped example.

        Raises:
            NotFoundError: There is none.
        """
        return self.library.find(target)

    def load_text(self, text: str, name: str = "workflow") -> Workflow:
        """Read a workflow from YAML text; the short form (a bare list of nodes) will do."""
        return read_text(text, name, short=True)

    @cached_property
    def rules(self) -> Registry[Rule]:
        """Every rule."""
        from awp_core.rules.runner import load_rules

        return load_rules()

    def validate(self, workflow: Workflow, *, draft: bool = False) -> Findings:
        """Return every finding of every rule; a `draft` may still lack the code of its code nodes."""
        from awp_core.rules.runner import run_rules

        return run_rules(
            workflow,
            self.node_types,
            self.rules,
            environ=self.environ,
            agents=frozenset(self.functions),
            channels=frozenset(self.channels),
            draft=draft,
        )

    def plan(self, workflow: Workflow) -> Plan:
        """Compile a workflow.

        Raises:
            ManifestError: It has errors; carries every finding.
        """
        findings = self.validate(workflow)
        if not findings.ok:
            raise preflight.refusal(workflow, findings)
        return build_plan(workflow, self.node_types)

    def draw(self, workflow: Workflow, form: str = "text", states: Mapping[str, str] | None = None) -> str:
        """Draw a workflow as `text`, `svg` or `dot`, coloured by node states if given."""
        return draw(workflow, form, states)

    # --- runs ------------------------------------------------------------------------------------------------------

    def start(self, workflow: Workflow, inputs: Mapping[str, Any] | None = None, **options: Any) -> Run:
        """Start a run on the background loop and return at once; options as for `arun`."""
        return self.live.launch(*self._prepare(workflow, inputs or {}, **options))

    async def arun(self, workflow: Workflow, inputs: Mapping[str, Any] | None = None, **options: Any) -> Run:
        """Run on the caller's own event loop until the run ends or waits for a person.

        Args:
            workflow: What to run.
            inputs: Values by name.
            options: See `_prepare`: provider, replies, observers, text, chat_id, run_dir.

        Raises:
            ManifestError, InputError, EngineUnavailableError: Nothing was started.
            RunFolderError: The record could not be written.
        """
        run, work = self._prepare(workflow, inputs or {}, **options)
        await work
        return run

    def _prepare(
        self,
        workflow: Workflow,
        inputs: Mapping[str, Any],
        *,
        provider: str | None = None,
        replies: Mapping[str, Any] | None = None,
        observers: tuple[Observer, ...] = (),
        text: bool = False,
        chat_id: str = "owner",
    ) -> tuple[Run, Coroutine[Any, Any, RunState]]:
        """Check everything that can be checked before the first node, then make the run folder.

        Args:
            workflow: What to run.
            inputs: Values by name.
            provider: Name of the provider to use for every agent.
            replies: Answers given in advance, by node.
            observers: Shown every event.
            text: Whether inputs and replies came as text from a command line.
            chat_id: The chat that starts the run.
        """
        plan = self.plan(workflow)
        values, warnings = resolve_inputs(workflow, inputs, text=text)
        preflight.check_replies(plan, replies or {})
        job = equip(self, workflow, plan, provider, preflight.prepared(replies), chat_id)
        return self.live.begin(self.runs_root(workflow), job, values, observers, warnings)

    def begin(
        self,
        job: Job,
        inputs: Mapping[str, Any],
        observers: tuple[Observer, ...],
        warnings: Sequence[str],
        origin: Origin,
    ) -> Run:
        """Start a run that repeats another one on the background loop; see `awp_core.again`."""
        root = self.runs_root(job.workflow)
        return self.live.launch(*self.live.begin(root, job, inputs, observers, warnings, origin))

    def resume(
        self,
        run: Run | str,
        reply: Any = None,
        *,
        node: str | None = None,
        replier: str | None = None,
        provider: str | None = None,
        accept_changes: bool = False,
        workflow: Workflow | None = None,
        observers: tuple[Observer, ...] = (),
    ) -> Run:
        """Go on with a paused or cut-off run; with a `reply`, answer its question first. Returns at once.

        Args:
            run: A run, an id, a unique prefix, or a workflow name.
            reply: The answer; None to go on without one.
            node: Which question it answers, when several are open.
            replier: Who answers; None is the local owner.
            provider: Provider to use from here on.
            accept_changes: Go on although the manifest was changed.
            workflow: The workflow as it is now, when the caller knows it; else it is read from where it came from.
            observers: Shown every event from here on.

        Raises:
            NotFoundError, RunLockedError, ReplyError, ManifestChangedError, RunError: Nothing was changed.
        """
        run = self.open(run, RESUMABLE) if isinstance(run, str) else run
        if run.execution is not None:
            if reply is None:
                raise RunError(f"run {run.id} is running already", hint="wait for it: run.wait()")
            self.reply(run, reply, node=node, replier=replier, observers=observers)
            return run
        if run.snapshot.over:
            if run.run_folder.completion.exists():
                raise RunError(f"run {run.id} is over: {run.status}", hint="start a new one with `awp run`")
            return self._finish(run)
        if run.snapshot.replay:
            raise RunError(f"run {run.id} is a replay and has no more answers", hint="replay it again: awp replay")
        known = workflow or self.library.of_run(run.run_folder)
        plan = self.plan(known)
        replies = {}
        if reply is not None:
            if run.status == "interrupted" and not run.questions:
                hint = f"go on with it first: awp resume {run.name}"
                raise RunError(f"run {run.id} was cut off before it asked anything", hint=hint)
            replies[find(run.snapshot.questions, node).node] = [PreparedReply(reply, replier)]
        about = RunStore(run.folder.parent).about(run.id)
        recorded = run.snapshot.provider
        preflight.check_functions(about, recorded, plan.agents().values(), self.functions)
        chosen = provider or preflight.recorded_provider(recorded)
        job = equip(self, known, plan, chosen, replies, run.snapshot.chat_id)
        nested.check_resumable(self, job, run.run_folder, run.snapshot, accept_changes=accept_changes)
        execution = Execution.resume(job, run.run_folder, accept_changes=accept_changes, observers=observers)
        return self.live.go_on(run, execution)

    def reply(
        self,
        run: Run,
        value: Any,
        *,
        node: str | None = None,
        replier: str | None = None,
        observers: tuple[Observer, ...] = (),
    ) -> bool:
        """Answer an open question; a parked run goes on in the background.

        Args:
            run: The run.
            value: The answer.
            node: Which question, when several are open.
            replier: Who answers; None is the local owner.
            observers: Shown every event from here on, if the run was parked.

        Returns:
            Whether the run was parked and goes on now, and not merely got an answer while it works.

        Raises:
            NotFoundError, ReplyError, RunLockedError, RunError: Nothing was changed.
        """
        with self.live.answering:  # two answers at the same moment, as from two forms, come one after the other
            execution = run.execution
            given = PreparedReply(value, replier)
            if execution is not None and self.loop.call(lambda: execution.reply(node, given)):
                return False
            run.wait()  # it is parked, but may still be closing its files
            self.resume(run, value, node=node, replier=replier, observers=observers)
            return True

    def cancel(self, run: Run | str, reason: str = "it was cancelled") -> Run:
        """Cancel a run in this process, in another, or parked; its folder stays readable.

        Raises:
            NotFoundError: There is no such run.
            RunError: It is over.
        """
        run = self.open(run, CANCELLABLE) if isinstance(run, str) else run
        if run.snapshot.over:
            raise RunError(f"run {run.id} is over: {run.status}")
        execution = run.execution
        if execution is not None:
            self.loop.call(lambda: execution.scheduler.stop("cancelled", reason))
            if self.loop.owns_this_thread():
                return run
            run.wait(30)
        if not run.snapshot.over:  # it was parked, or parked just before it was told to stop
            self._cancel_elsewhere(run, reason)
        return run

    def open(self, reference: str, status: frozenset[str] = frozenset()) -> Run:
        """Return the run named by an id, a unique prefix, or a workflow name (the newest that fits).

        Raises:
            NotFoundError: There is none.
        """
        if reference in self.live.runs:
            return self.live.runs[reference]
        folder = self.store().find(reference, status=status)
        return self.live.runs.get(folder.run_id) or Run(self, folder)

    def working(self) -> list[Run]:
        """Return the runs this process works on."""
        return self.live.working()

    def runs(self) -> list[Run]:
        """Return every run of the runs folder, newest first."""
        store = self.store()
        return [self.live.runs.get(run_id) or Run(self, store.folder(run_id)) for run_id in reversed(store.ids())]

    def store(self) -> RunStore:
        """Return where runs are looked up: the runs folder, and those of workflow directories right below."""
        if self.runs_dir is not None:
            return RunStore(self.runs_dir)
        here = self.directory or Path.cwd()
        below = sorted(file.parent / RUNS for file in here.glob(f"*/{MANIFEST_FILE}"))
        return RunStore(here / RUNS, *(root for root in below if root.is_dir()))

    def name_of(self, run: Run) -> str:
        """Return what to type for a run from here: its id, or the path of its folder if it lies elsewhere."""
        known = self.store().folder(run.id).root
        return run.id if known.resolve() == run.folder.resolve() else str(run.folder)

    def runs_root(self, workflow: Workflow | None = None) -> Path:
        """Return the folder where runs are kept: of a workflow directory its own, else the working directory's."""
        if self.runs_dir is not None:
            return self.runs_dir
        if workflow is not None and workflow.is_directory:
            return workflow.root / RUNS
        return (self.directory or Path.cwd()) / RUNS

    # --- inside ----------------------------------------------------------------------------------------------------

    def _finish(self, run: Run) -> Run:
        """Write what a run lacks that was cut off between its last event and the files that sum it up."""
        with RunLock(run.run_folder.lock):
            finish_folder(run.run_folder, self.library.of_run(run.run_folder, as_run=True), run.snapshot)
        return run

    def _cancel_elsewhere(self, run: Run, reason: str) -> None:
        workflow = self.library.of_run(run.run_folder, as_run=True)
        job = equip(self, workflow, build_plan(workflow, self.node_types), "stub", {}, "owner", Above(ending=True))
        execution = Execution.cancel(job, run.run_folder, reason)
        if execution is not None:
            self.live.go_on(run, execution).wait(30)
