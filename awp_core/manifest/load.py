"""Read a workflow from text, a file or a directory into a lenient view that every rule can look at.

Nothing here raises for a bad manifest. What can be read is read, what cannot is left out, and the rules say what is
wrong and where; so one mistake never hides another (spec 01, Processing order 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from awp_core.errors import NotFoundError, UsageError
from awp_core.graph.build import Graph
from awp_core.manifest.models import GraphNode, Manifest
from awp_core.manifest.short import complete, is_short
from awp_core.manifest.source import Document, parse_document
from awp_core.manifest.write import dump_yaml
from awp_core.values import digest

MANIFEST_FILE = "workflow.awp.yaml"
SUFFIX = ".awp.yaml"
GRAPH_PATH = ("orchestration", "graph")


@dataclass(frozen=True)
class Problem:
    """A part that a model refused: where, and pydantic's errors."""

    path: tuple[str | int, ...]
    error: ValidationError


@dataclass(frozen=True)
class Workflow:
    """A manifest as far as it could be read.

    Attributes:
        document: The YAML with its positions.
        manifest: The model; None when a required part is missing or wrong.
        nodes: Graph entries whose common fields are well formed, in graph order.
        problems: What the models refused, for rules M3 and N2.
        path: The file it came from; None for a notebook cell or text.
        is_directory: Whether it is the directory form (spec 01).
        places: File and line where the text of a node's field starts, when it came from elsewhere (`%%awp_code`).
        full: The manifest as run, when `document` is only a part of it (a short form, or code from other cells).
    """

    document: Document
    manifest: Manifest | None
    nodes: tuple[GraphNode, ...]
    problems: tuple[Problem, ...] = ()
    path: Path | None = None
    is_directory: bool = False
    places: Mapping[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    full: str | None = None
    _by_id: dict[str, GraphNode] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.nodes:
            self._by_id.setdefault(node.id, node)

    @property
    def name(self) -> str:
        """The workflow's own name, or what the document is called when it has none."""
        if self.manifest is not None:
            return self.manifest.workflow.name
        meta = self.raw.get("workflow")
        name = meta.get("name") if isinstance(meta, dict) else None
        return name if isinstance(name, str) else self.document.name

    @property
    def raw(self) -> dict[str, Any]:
        """The parsed YAML mapping; empty when there is none."""
        return self.document.data if isinstance(self.document.data, dict) else {}

    @property
    def root(self) -> Path:
        """The folder that relative paths and `runs/` start from."""
        return self.path.parent if self.path is not None else Path.cwd()

    @property
    def text(self) -> str:
        """The whole manifest as run and as kept in the run folder."""
        return self.document.text if self.full is None else self.full

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the whole manifest's bytes, in hex."""
        return digest(self.text.encode("utf-8", "surrogatepass"))

    def place(self, node_id: str, field_name: str) -> tuple[str, int]:
        """Return the file and line where the text of a node's field starts, for tracebacks.

        Only in a literal block (`|`) do the lines of the text stand on lines of the file; any other text is counted
        from its own first line.
        """
        known = self.places.get((node_id, field_name))
        if known is not None:
            return known
        path = (*GRAPH_PATH, self.node(node_id).index, field_name)
        line = self.document.block_scalar_line(path)
        if line is not None:
            return self.document.name, line
        return f"{self.document.name}: {field_name} of {node_id}", 1

    @cached_property
    def graph(self) -> Graph:
        """The dependency graph of the readable nodes."""
        return Graph.of({node.id: node.dependency_ids for node in self.nodes})

    def node(self, node_id: str) -> GraphNode:
        """Return the node called `node_id`.

        Raises:
            NotFoundError: There is none; names the nearest.
        """
        if node_id not in self._by_id:
            raise NotFoundError.for_name("node", node_id, self._by_id)
        return self._by_id[node_id]

    def has_node(self, node_id: str) -> bool:
        """Whether a readable node has this id."""
        return node_id in self._by_id


def read_text(
    text: str,
    name: str,
    *,
    first_line: int = 1,
    short: bool = False,
    short_name: str = "untitled",
    chat: bool = False,
) -> Workflow:
    """Read a workflow from YAML text.

    Args:
        text: The manifest.
        name: What findings show as the file.
        first_line: Where the text starts in what a person sees.
        short: Accept the short form and complete it.
        short_name, chat: See `short.complete`.
    """
    document = parse_document(text, name, first_line=first_line)
    if not short or not is_short(document.data):
        return read_document(document)
    completed = complete(document, name=short_name, chat=chat)
    return replace(read_document(completed), full=dump_yaml(completed.data))


def read_path(target: Path, *, shown_as: str = "") -> Workflow:
    """Read a workflow from a `*.awp.yaml` file or a directory with `workflow.awp.yaml`.

    Raises:
        NotFoundError: There is no such file or directory, or the directory has no manifest (M7).
        UsageError: The file cannot be read.
    """
    if not target.exists():
        raise NotFoundError(f"there is no file or directory {str(target)!r}", hint="check the path, or see `awp list`")
    file = target / MANIFEST_FILE if target.is_dir() else target
    if not file.is_file():
        raise NotFoundError(
            f"M7: {str(target)!r} has no {MANIFEST_FILE}", hint="a workflow directory needs one at its root"
        )
    try:
        data = file.read_bytes()
    except OSError as exc:
        raise UsageError(f"cannot read {str(file)!r}: {exc.strerror}") from exc
    is_directory = file.name == MANIFEST_FILE and (target.is_dir() or (file.parent / "agents").is_dir())
    return read_document(parse_document(data, shown_as or str(file)), file, is_directory=is_directory)


def read_document(document: Document, path: Path | None = None, *, is_directory: bool = False) -> Workflow:
    """Read a workflow from a parsed document."""
    data = document.data if isinstance(document.data, dict) else {}
    nodes, problems = _read_nodes(data)
    manifest, problem = _validated(Manifest, _without_graph(data), ())
    if problem is not None:
        problems.insert(0, problem)
    return Workflow(document, manifest, tuple(nodes), tuple(problems), path, is_directory)


def _without_graph(data: dict[str, Any]) -> dict[str, Any]:
    section = data.get("orchestration")
    if not isinstance(section, dict):
        return data
    return {**data, "orchestration": {name: value for name, value in section.items() if name != "graph"}}


def _read_nodes(data: dict[str, Any]) -> tuple[list[GraphNode], list[Problem]]:
    section = data.get("orchestration")
    entries = section.get("graph") if isinstance(section, dict) else None
    nodes: list[GraphNode] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue  # rule M3 reports it
        node, problem = _validated(GraphNode, {**entry, "raw": entry, "index": index}, (*GRAPH_PATH, index))
        if problem is not None:
            problems.append(problem)
        if node is not None:
            nodes.append(node)
    return nodes, problems


M = TypeVar("M", bound=BaseModel)


def _validated(model: type[M], data: object, path: tuple[str | int, ...]) -> tuple[M | None, Problem | None]:
    try:
        return model.model_validate(data), None
    except ValidationError as error:
        return None, Problem(path, error)
