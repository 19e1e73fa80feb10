"""Find a workflow by what a person types: a path, a name defined in this session, or a shipped example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.errors import NotFoundError
from awp_core.manifest.load import SUFFIX, Workflow, read_path, read_text
from awp_core.runs.layout import RunFolder
from awp_core.runs.reader import RunStore

if TYPE_CHECKING:
    from awp_core.app import App


@dataclass(frozen=True, slots=True)
class Entry:
    """A workflow that can be named: where it comes from (`session`, `file`, `example`) and its name."""

    name: str
    origin: str
    description: str = ""


class Library:
    """The workflows that can be named here."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.session: dict[str, Workflow] = {}

    def find(self, target: str | Path) -> Workflow:
        """Return the workflow named by `target`.

        Raises:
            NotFoundError: There is none; names the nearest.
        """
        text = str(target)
        if text in self.session:
            return self.session[text]
        path = (self._app.directory or Path.cwd()) / text
        if path.exists():
            return read_path(path, shown_as=text if path.is_file() else "")
        if "/" not in text and not text.endswith(SUFFIX):
            for file in self._local_files():
                if file.name == text + SUFFIX:
                    return read_path(file, shown_as=file.name)
            example = files("awp_core.examples").joinpath(text + SUFFIX)
            if example.is_file():
                return read_text(example.read_text("utf-8"), text + SUFFIX)
        raise NotFoundError.for_name("workflow", text, [entry.name for entry in self.entries()])

    def beside(self, workflow: Workflow, reference: str) -> Workflow:
        """Return the workflow that another one names: of this session, a file below it, or a shipped example.

        Raises:
            NotFoundError: There is none; a path that leads out of the folder of `workflow` does not count.
        """
        if reference in self.session:
            return self.session[reference]
        root = workflow.root if workflow.path is not None else self._app.directory or Path.cwd()
        path = root / reference
        if path.exists() and path.resolve().is_relative_to(root.resolve()):
            return read_path(path, shown_as=reference if path.is_file() else "")
        if path.exists():
            raise NotFoundError(
                f"the workflow {reference!r} lies outside of {workflow.name}",
                hint="move it below the folder of this one",
            )
        if "/" in reference:
            raise NotFoundError(f"there is no workflow {reference!r} below the folder of {workflow.name}")
        return self.find(reference)

    def entries(self) -> Iterator[Entry]:
        """Yield what can be named, session first."""
        for name, workflow in self.session.items():
            yield Entry(name, "session", _description(workflow))
        for file in self._local_files():
            yield Entry(file.name, "file")
        for name in example_names():
            yield Entry(name, "example", _description(self.find(name)))

    def of_run(self, folder: RunFolder, *, as_run: bool = False) -> Workflow:
        """Return the workflow of a run as it is now, or with `as_run` as it was when the run started.

        A workflow that came from a file is read from there again, so that a change is noticed. One that is defined in
        this session under the same name counts as its current text.
        """
        kept = read_path(folder.manifest)
        about = RunStore(folder.root.parent).about(folder.run_id)
        if as_run:
            return replace(kept, path=_source(about) or kept.path)
        current = self._current(about)
        # The same bytes: prefer the current one, because it knows where its text stands (cells, files).
        return kept if current is None else current

    def _current(self, about: dict[str, Any]) -> Workflow | None:
        source = _source(about)
        if source is not None:
            return read_path(source)
        return self.session.get(str(about.get("workflow")))

    def _local_files(self) -> list[Path]:
        directory = self._app.directory or Path.cwd()
        return sorted(directory.glob(f"*{SUFFIX}")) if directory.is_dir() else []


def _source(about: dict[str, Any]) -> Path | None:
    """The file that a run's workflow came from, if it is still there."""
    source = about.get("source")
    return Path(source) if isinstance(source, str) and Path(source).is_file() else None


def example_names() -> list[str]:
    """Return the names of the shipped examples."""
    names = (item.name for item in files("awp_core.examples").iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def _description(workflow: Workflow) -> str:
    return workflow.manifest.workflow.description.strip() if workflow.manifest is not None else ""
