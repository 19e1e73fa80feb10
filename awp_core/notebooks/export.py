"""Write a workflow of a notebook as a directory or a single file that runs without the notebook (spec 07)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.errors import ManifestError, NotFoundError, UsageError
from awp_core.manifest.assemble import with_code
from awp_core.manifest.load import MANIFEST_FILE, SUFFIX, Workflow, read_text
from awp_core.manifest.write import dump_yaml
from awp_core.notebooks.read import Cell, Notebook, read_notebook
from awp_core.runs.files import disk_errors, replace

if TYPE_CHECKING:
    from awp_core.app import App

_FLAGS = frozenset({"--run", "--quiet", "--chat"})
_AGENT = re.compile(r"@(?:awp_core\.|awp\.)?agent\(\s*(['\"])(?P<name>[^'\"]+)\1")


@dataclass(frozen=True, slots=True)
class _Definition:
    """A `%%awp` cell and the code cells that belong to it."""

    name: str
    cell: Cell
    chat: bool
    code: dict[str, Cell] = field(default_factory=dict)


def export_notebook(
    app: App,
    notebook: Path,
    target: Path,
    *,
    workflow: str | None = None,
    single_file: bool = False,
    rename: bool = False,
    force: bool = False,
) -> list[Path]:
    """Export a workflow that a notebook's cells define; the notebook is read, not run.

    Args:
        app: Validates what is written.
        notebook: The `.ipynb` file.
        target: The directory to write, or with `single_file` the file.
        workflow: Which workflow, when there are several.
        single_file: Write one `*.awp.yaml`.
        rename: Name the workflow after the target.
        force: Overwrite files of an earlier export.

    Returns:
        The files written.

    Raises:
        NotFoundError: The notebook defines no such workflow.
        ManifestError: The workflow has errors.
        UsageError: It cannot be exported; says why.
    """
    cells = read_notebook(notebook)
    chosen = _choose(_definitions(cells), workflow, notebook)
    built = _build(chosen)
    functions = {name: cell.number for cell in cells.cells for name in _agents_of(cell)}
    readme = "\n\n".join(cell.body.strip() for cell in cells.cells if cell.magic == "markdown")
    return export_workflow(
        app,
        built,
        target,
        single_file=single_file,
        rename=rename,
        force=force,
        readme=readme,
        functions=functions,
    )


def export_workflow(
    app: App,
    workflow: Workflow,
    target: Path,
    *,
    single_file: bool = False,
    rename: bool = False,
    force: bool = False,
    readme: str = "",
    functions: dict[str, int] | None = None,
) -> list[Path]:
    """Write a workflow as a directory or a single file and check that it is valid there.

    Args:
        functions: Agents that are Python functions of the notebook, with the number of their cell (0 if unknown).

    Raises:
        ManifestError, UsageError: Nothing was written.
        RunFolderError: The disk refused.
    """
    findings = app.validate(workflow)
    if not findings.ok:
        raise ManifestError(f"{workflow.name} has errors and was not exported", findings)
    _refuse_functions(app, workflow, functions or {})
    name = target.name.removesuffix(SUFFIX) if single_file else target.resolve().name
    data = _renamed(workflow, name, rename=rename, single_file=single_file)
    text = dump_yaml(data)
    _check_written(app, text, target)
    if single_file:
        return _write(target.parent, {target.name: text}, force=force)
    return _write(
        target,
        {MANIFEST_FILE: text, "agents/.gitkeep": "", "README.md": f"{readme or '# ' + name}\n"},
        force=force,
    )


def _definitions(notebook: Notebook) -> dict[str, _Definition]:
    """Pair manifest cells with code cells; a later cell of the same name replaces an earlier one, as in the kernel."""
    found: dict[str, _Definition] = {}
    latest = ""
    pending: list[tuple[str | None, str, Cell]] = []
    for cell in notebook.cells:
        if cell.magic == "awp":
            name, chat = _name_of(cell)
            kept = found[name].code if name in found else {}
            found[name] = _Definition(name, cell, chat, kept)
            latest = name
        elif cell.magic == "awp_code" and cell.words:
            owner = _option(cell.words, "--workflow")
            node = next(iter(_plain(cell.words)), "")
            pending.append((owner or latest or None, node, cell))
    for owner, node, cell in pending:
        definition = found.get(owner or latest)
        if definition is not None:
            definition.code[node] = cell
    return found


def _choose(found: dict[str, _Definition], name: str | None, notebook: Path) -> _Definition:
    if not found:
        raise NotFoundError(f"{str(notebook)!r} defines no workflow", hint="a cell that starts with %%awp does")
    if name is not None:
        if name not in found:
            raise NotFoundError.for_name("workflow", name, found)
        return found[name]
    if len(found) > 1:
        raise UsageError(
            f"{str(notebook)!r} defines {len(found)} workflows: {', '.join(found)}",
            hint="say which: --workflow NAME",
        )
    return next(iter(found.values()))


def _build(definition: _Definition) -> Workflow:
    label = f"cell {definition.name}"
    built = read_text(
        definition.cell.body,
        label,
        first_line=2,
        short=True,
        short_name=definition.name,
        chat=definition.chat,
    )
    for node, cell in definition.code.items():
        if built.has_node(node):
            built = with_code(built, node, cell.body, f"cell {node}", 2)
    return built


def _name_of(cell: Cell) -> tuple[str, bool]:
    """The name a `%%awp` cell registers: the one on the magic line, else the manifest's own, else `untitled`."""
    plain = _plain(cell.words)
    chat = "--chat" in cell.words
    if plain:
        return plain[0], chat
    return read_text(cell.body, "cell", first_line=2, short=True, short_name="untitled", chat=chat).name, chat


def _plain(words: tuple[str, ...]) -> list[str]:
    """Return the words that are neither options, option values, nor inputs."""
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            if "=" not in word and word not in _FLAGS:
                next(rest, None)
        elif "=" not in word:
            plain.append(word)
    return plain


def _option(words: tuple[str, ...], name: str) -> str | None:
    for index, word in enumerate(words):
        if word == name:
            return words[index + 1] if index + 1 < len(words) else None
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def _agents_of(cell: Cell) -> Iterator[str]:
    if not cell.magic:
        yield from (match["name"] for match in _AGENT.finditer(cell.body))


def _refuse_functions(app: App, workflow: Workflow, functions: dict[str, int]) -> None:
    known = {**dict.fromkeys(app.functions, 0), **functions}
    for node in workflow.nodes:
        agent = node.raw.get("agent", node.id)
        if node.type in {"agent", "fan_out"} and isinstance(agent, str) and agent in known:
            where = f" of cell {known[agent]}" if known[agent] else ""
            raise UsageError(
                f"node {node.id!r} calls {agent!r}, a Python function{where} that lives only in the notebook",
                hint="make it a code node (%%awp_code) or an agent with instructions, then export again",
            )


def _renamed(workflow: Workflow, name: str, *, rename: bool, single_file: bool) -> dict[str, Any]:
    data = dict(workflow.raw)
    if workflow.name.replace("_", "-") == name.replace("_", "-") or (single_file and not rename):
        return data
    if not rename:
        raise UsageError(
            f"R1: the workflow is called {workflow.name!r} and the directory {name!r}",
            hint="choose the same name, or add --rename",
        )
    data["workflow"] = {**data["workflow"], "name": name}
    return data


def _check_written(app: App, text: str, target: Path) -> None:
    findings = app.validate(read_text(text, str(target)))
    if not findings.ok:
        raise ManifestError(f"the exported {str(target)!r} would not be valid; nothing was written", findings)


def _write(folder: Path, files: dict[str, str], *, force: bool) -> list[Path]:
    taken = [name for name in files if (folder / name).exists() and name != "agents/.gitkeep"]
    if taken and not force:
        raise UsageError(
            f"{str(folder / taken[0])!r} exists", hint="choose another place, or overwrite it with --force"
        )
    written: list[Path] = []
    for name, text in files.items():
        path = folder / name
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode("utf-8", "surrogatepass"))
        written.append(path)
    return written
