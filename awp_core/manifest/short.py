"""The short form of `%%awp`: a bare graph gets the rest filled in, and every finding still points into the cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from awp_core.diagnostics.model import Location
from awp_core.manifest.source import Document, Path

_DEFAULTS: Mapping[str, str] = {"version": "0.0.0", "description": ""}


class DerivedDocument(Document):
    """A document whose data was changed; positions are still those of the text.

    Args:
        base: The document as parsed.
        data: The new data.
        moves: Where the parts that changed place came from: new path -> old path.
    """

    __slots__ = ("_moves",)

    def __init__(self, base: Document, data: Any, moves: Mapping[Path, Path] | None = None) -> None:
        super().__init__(base.name, base.text, base._lines, base._root, base.problems)  # noqa: SLF001 - our own base
        self.data = data
        inherited = base._moves if isinstance(base, DerivedDocument) else {}  # noqa: SLF001
        self._moves: Mapping[Path, Path] = {**inherited, **(moves or {})}

    def locate(self, path: Path, *, key: bool = False) -> Location:
        """Return the place of a value in the text, or of its key."""
        return super().locate(self._origin(path), key=key)

    def scalar_text(self, path: Path) -> str | None:
        """Return a scalar exactly as it is written."""
        return super().scalar_text(self._origin(path))

    def block_scalar_line(self, path: Path) -> int | None:
        """Return the line where the content of a literal block scalar starts."""
        return super().block_scalar_line(self._origin(path))

    def _origin(self, path: Path) -> Path:
        for new, old in self._moves.items():
            if path[: len(new)] == new:
                return (*old, *path[len(new) :])
        return path


def is_short(data: object) -> bool:
    """Whether data is the short form: a list of nodes, or a mapping without `awp` or with a `graph` at the top."""
    return isinstance(data, list) or (isinstance(data, dict) and ("awp" not in data or "graph" in data))


def complete(document: Document, *, name: str = "untitled", chat: bool = False) -> Document:
    """Return a document with what the short form leaves out; a full manifest is returned as it is.

    Args:
        document: The parsed cell.
        name: Name for a workflow that has none.
        chat: Use the chat engine when the text names none.
    """
    data = document.data
    if not is_short(data):
        return document
    moves: dict[Path, Path] = {}
    given: dict[str, Any] = {"graph": data} if isinstance(data, list) else dict(data)
    if "graph" in given:
        moves[("orchestration", "graph")] = () if isinstance(data, list) else ("graph",)
    graph = given.pop("graph", None)
    meta = given.pop("workflow", {})
    section = given.pop("orchestration", {})
    awp = given.pop("awp", "1.0.0")
    if not isinstance(meta, dict) or not isinstance(section, dict):
        return document  # rule M3 says what is wrong with them
    section = {"engine": "chat" if chat else "dag", **section}
    if graph is not None:
        section["graph"] = graph
    full = {"awp": awp, "workflow": {"name": name, **_DEFAULTS, **meta}, **given, "orchestration": section}
    return DerivedDocument(document, full, moves)
