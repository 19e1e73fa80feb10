"""Turn character offsets of a text into lines and columns, in one place for the whole project."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from awp_core.diagnostics.model import Finding, Location, Severity


class Lines:
    """The lines of a text whose line ends are all "\\n".

    Args:
        name: What findings show as the file.
        text: The text.
        first_line: Number of the first line.
    """

    def __init__(self, name: str, text: str, first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.first_line = first_line

    @cached_property
    def all(self) -> list[str]:
        """The lines without their ends."""
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.all)]

    def row(self, index: int) -> int:
        """Return the position in `all` of the line that holds the character at `index`."""
        return min(bisect_right(self._starts, index) - 1, len(self.all) - 1)

    def location(self, index: int) -> Location:
        """Return the place of the character at `index`."""
        row = self.row(index)
        return Location(self.name, self.first_line + row, index - self._starts[row] + 1)

    def line(self, number: int) -> str:
        """Return the text of a line by its number, or "" if there is no such line."""
        row = number - self.first_line
        return self.all[row] if 0 <= row < len(self.all) else ""

    def finding(self, rule: str, severity: Severity, index: int, message: str, hint: str = "") -> Finding:
        """Build a finding for the character at `index`."""
        location = self.location(index)
        return Finding(rule, severity, message, location, hint, self.line(location.line))
