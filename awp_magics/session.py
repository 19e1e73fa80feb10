"""What a shell remembers: its app, the cells that define workflows, and the output areas of runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from awp_core.app import App
    from awp_core.handle import Run
    from awp_core.manifest.load import Workflow
    from awp_magics.area import Area
    from awp_magics.magics import AwpMagics

LAST = "_awp"  # the variable that always holds the latest run


@dataclass(frozen=True, slots=True)
class CodeCell:
    """The source of a code node and where it stands."""

    node: str
    source: str

    @property
    def place(self) -> str:
        """What findings and tracebacks call the cell."""
        return f"cell {self.node}"


class Session:
    """The state of one shell. It outlives an unload, so that a reload finds everything again.

    Args:
        shell: The IPython shell.
        app: What does the work; by default the one that the functions of `awp_core` use.
    """

    def __init__(self, shell: InteractiveShell, app: App | None = None) -> None:
        self.shell = shell
        self.settings: AwpMagics | None = None
        self.areas: dict[str, Area] = {}
        self.last: Run | None = None
        self.current = ""  # the workflow of the latest %%awp cell
        self._app = app
        self._shown = (0, 0)
        self._manifests: dict[str, Workflow] = {}
        self._code: dict[str, dict[str, CodeCell]] = {}

    @property
    def app(self) -> App:
        """The app, made on first use."""
        if self._app is None:
            from awp_core.front import default_app

            self._app = default_app()
        self._app.go_on = self._go_on
        if self.settings is not None and self.settings.runs_dir:
            self._app.runs_dir = Path(self.settings.runs_dir).expanduser()
        return self._app

    def _go_on(self, run: Run) -> None:
        from awp_magics.running import go_on

        go_on(self, run)

    @property
    def namespace(self) -> dict[str, Any]:
        """The user's variables."""
        names: dict[str, Any] = self.shell.user_ns
        return names

    @property
    def has_front_end(self) -> bool:
        """Whether outputs go to a notebook; otherwise to a terminal, which knows text only."""
        return getattr(self.shell, "kernel", None) is not None

    @property
    def provider(self) -> str | None:
        """The provider that the settings name."""
        return (self.settings.provider or None) if self.settings is not None else None

    def showed(self, value: object) -> None:
        """Note that a value was shown in this cell, so that it is not shown again as the cell's last value."""
        self._shown = (id(value), self.shell.execution_count)

    def skip_if_shown(self, value: object) -> None:
        """Do nothing for a value that was just shown; for others let IPython go on.

        Raises:
            NotImplementedError: It was not shown; this is how a display function tells IPython to look further.
        """
        # In a terminal the empty prompt of the value would stay, so there it is shown again, in one line.
        if not self.has_front_end or self._shown != (id(value), self.shell.execution_count):
            raise NotImplementedError

    # --- workflows -------------------------------------------------------------------------------------------------

    def define(self, name: str, workflow: Workflow) -> Workflow:
        """Keep the manifest of a cell under `name` and return it with the code of the code cells so far."""
        self._manifests[name] = workflow
        self.current = name
        waiting = self._code.get("", {})
        for node in [node for node in waiting if workflow.has_node(node)]:
            self._code.setdefault(name, {})[node] = waiting.pop(node)
        return self._compose(name)

    def define_code(self, cell: CodeCell, name: str | None) -> str:
        """Keep the source of a code node; return the workflow it belongs to, "" if that is not known yet.

        Args:
            cell: The code.
            name: The workflow; by default that of the latest `%%awp` cell.

        Raises:
            NotFoundError: There is no such workflow or node.
            UsageError: The node is no code node.
        """
        owner = name or self.current
        if not owner:
            self._code.setdefault("", {})[cell.node] = cell
            return ""
        if owner not in self._manifests:
            raise NotFoundError.for_name("workflow of this notebook", owner, self._manifests)
        node = self._manifests[owner].node(cell.node)
        if node.type != "code":
            raise UsageError(f"node {node.id!r} of {owner!r} is of type {node.type!r}, not code")
        self._code.setdefault(owner, {})[cell.node] = cell
        self._compose(owner)
        return owner

    def load(self, name: str | None) -> Workflow:
        """Return the workflow called `name`, or without a name that of the latest `%%awp` cell.

        Raises:
            NotFoundError: There is none.
        """
        if name is None and not self.current:
            raise NotFoundError("no cell defined a workflow yet", hint="name one, see %awp list")
        return self.app.load(name or self.current)

    def missing_code(self, name: str) -> list[str]:
        """Return the code nodes of a workflow that have no source yet."""
        workflow = self.app.library.session[name]
        return [node.id for node in workflow.nodes if node.type == "code" and not node.raw.get("source")]

    def _compose(self, name: str) -> Workflow:
        """Put manifest and code cells together and register the workflow."""
        from awp_core.manifest.assemble import with_code

        workflow = self._manifests[name]
        for cell in self._code.get(name, {}).values():
            if workflow.has_node(cell.node):
                workflow = with_code(workflow, cell.node, cell.source, cell.place, 2)
        self.app.library.session[name] = workflow
        return workflow

    # --- runs ------------------------------------------------------------------------------------------------------

    def remember(self, run: Run, variable: str | None = None) -> None:
        """Make a run the latest one and bind it to the user's variable."""
        self.last = run
        self.namespace[LAST] = run
        if variable:
            self.namespace[variable] = run

    def find_run(self, reference: str | None, status: frozenset[str] = frozenset()) -> Run:
        """Return a run by id, prefix or workflow name; without any, the latest.

        Args:
            reference: What the person typed.
            status: When it is a workflow name, only runs with one of these statuses count.

        Raises:
            NotFoundError: There is none.
        """
        if reference is None:
            if self.last is None:
                raise NotFoundError("nothing was run yet", hint="%awp run NAME, or name a run: %awp runs")
            return self.last
        run = self._latest_named(reference, status)
        return run if run is not None else self.app.open(reference, status)

    def _latest_named(self, reference: str, status: frozenset[str]) -> Run | None:
        """The latest run if the reference means it; its folder need not be the usual one."""
        last = self.last
        if last is None or (status and last.status not in status):
            return None
        return last if reference in {last.id, last.snapshot.workflow} else None
