"""A finding is data; text, JSON, SARIF and HTML are renderings of it (see `render`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is; only errors stop a workflow."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; line and column count from 1, everywhere in this project.

    `file` is what a person sees: a path as given, or `cell NAME` for a notebook cell.
    """

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a rule found: what, where, and what to do.

    `source_line` is the text of the line it points at, so that a rendering needs no file.
    """

    rule: str
    severity: Severity
    message: str
    location: Location
    hint: str = ""
    source_line: str = ""


class Findings:
    """All findings of one validation, sorted by file, line and column."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[Finding] = ()) -> None:
        unique = dict.fromkeys(items)
        self._items = tuple(sorted(unique, key=lambda f: (f.location.file, f.location.line, f.location.column, f.rule)))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Findings({len(self.errors)} errors, {len(self.warnings)} warnings, {len(self._items)} in all)"

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(f for f in self._items if f.severity is severity)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop a run."""
        return self.of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that do not stop a run but deserve a look."""
        return self.of(Severity.WARNING)

    @property
    def ok(self) -> bool:
        """Whether a run may start."""
        return not self.errors
