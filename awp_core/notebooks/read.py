"""Read the cells of a notebook file that define workflows; the notebook is never run."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from awp_core.errors import NotFoundError, UsageError

SKIP_TAG = "awp-skip"
_LIMIT = 64 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that matters: its number (from 1), kind and text.

    Attributes:
        number: Position among all cells, from 1.
        magic: The cell magic's name (`awp`, `awp_code`), "" for plain code, `markdown` for text.
        words: The words after the magic.
        body: The text below the magic line, or the whole text.
    """

    number: int
    magic: str
    words: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook, in order, without those tagged `awp-skip`."""

    path: Path
    cells: tuple[Cell, ...] = field(default=())


def read_notebook(path: Path) -> Notebook:
    """Read a notebook of format 4.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is no notebook of format 4, or too large.
    """
    try:
        if path.stat().st_size > _LIMIT:
            raise UsageError(f"{str(path)!r} is larger than 64 MiB", hint="clear its outputs first")
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as exc:
        raise NotFoundError(f"there is no notebook {str(path)!r}") from exc
    except (OSError, ValueError) as exc:
        raise UsageError(f"{str(path)!r} is no notebook: {exc}") from exc
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list) or data.get("nbformat") != 4:
        raise UsageError(f"{str(path)!r} is no notebook of format 4", hint="open it in Jupyter once and save it")
    found = (_cell(number, raw) for number, raw in enumerate(cells, start=1) if isinstance(raw, dict))
    return Notebook(path, tuple(cell for cell in found if cell is not None))


def _cell(number: int, raw: dict[str, Any]) -> Cell | None:
    metadata = raw.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    if isinstance(tags, list) and SKIP_TAG in tags:
        return None
    source = raw.get("source", "")
    text = "".join(str(line) for line in source) if isinstance(source, list) else str(source)
    if raw.get("cell_type") == "markdown":
        return Cell(number, "markdown", (), text)
    if raw.get("cell_type") != "code":
        return None
    return split_magic(number, text)


def split_magic(number: int, text: str) -> Cell:
    """Split a code cell into its cell magic, the words after it, and the body.

    >>> split_magic(3, "%%awp flow --run\\ngraph: []")
    Cell(number=3, magic='awp', words=('flow', '--run'), body='graph: []')
    """
    first, _, body = text.partition("\n")
    if not first.startswith("%%"):
        return Cell(number, "", (), text)
    try:
        words = shlex.split(first[2:])
    except ValueError:
        words = first[2:].split()
    return Cell(number, words[0] if words else "", tuple(words[1:]), body)
