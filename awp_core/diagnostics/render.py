"""Show findings as text with the source line and a caret, and as JSON (spec 09).

Everything in a finding may come from a hostile file, so control characters never reach the terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from awp_core.diagnostics.model import Finding, Severity

_WIDTH = 100
"""Widest piece of a source line that is shown, in terminal columns."""
_LEAD = 40
"""Columns kept left of the caret when a long line is cut."""
_TAB = "    "
_MARGIN = 4
"""Least width of the line number."""

_COLORS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}
_SPAN = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,\[\]{}"']+""",
)

JsonReport = dict[str, object]


def render_text(findings: Iterable[Finding], *, color: bool = False) -> str:
    """Return findings as a compiler shows them, with a summary as the last line.

    Args:
        findings: What to show, in this order.
        color: Whether to colour by ANSI escapes, for a terminal.
    """
    shown = list(findings)
    parts = [line for finding in shown for line in _finding(finding, color=color)]
    return "\n".join([*parts, _summary(shown)])


def to_json(findings: Iterable[Finding]) -> JsonReport:
    """Return findings in the JSON form of spec 09; `summary` counts them by severity."""
    listed = list(findings)
    counts = Counter(finding.severity for finding in listed)
    return {
        "findings": [_as_json(finding) for finding in listed],
        "summary": {
            "errors": counts[Severity.ERROR],
            "warnings": counts[Severity.WARNING],
            "infos": counts[Severity.INFO],
        },
    }


def rule_url(rule: str) -> str:
    """Return where a rule is explained, relative to the project's root; "" for rules of extensions.

    >>> rule_url("N1")
    'docs/rules.md#n1'
    """
    return f"docs/rules.md#{rule.lower()}" if re.fullmatch(r"[A-Za-z]\w*", rule) else ""


def visible(text: str) -> str:
    """Return `text` on one line with every control and invisible formatting character made visible.

    >>> visible("a\\x1b[31m")
    'a␛[31m'
    """
    return "".join(map(_visible, text))


def _as_json(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": finding.location.file,
        "line": finding.location.line,
        "column": finding.location.column,
        "message": finding.message,
        "hint": finding.hint,
        "url": rule_url(finding.rule),
    }


def _finding(finding: Finding, *, color: bool) -> list[str]:
    place = finding.location
    severity = _paint(finding.severity.value, finding.severity, color=color)
    message = _paragraph(finding.message)
    lines = [f"{visible(place.file)}:{place.line}:{place.column}: {severity} {visible(finding.rule)}: {message}"]
    if finding.source_line.strip():
        text, before, width = _excerpt(finding.source_line, place.column)
        number = str(place.line).rjust(_MARGIN)
        caret = _paint("^" * width, finding.severity, color=color)
        lines += [f"{number} | {text}", f"{' ' * len(number)} | {' ' * before}{caret}"]
    if finding.hint:
        lines.append(f"hint: {_paragraph(finding.hint)}")
    return lines


def _paragraph(text: str) -> str:
    """Keep the line breaks of a message, but let no line of it look like a finding of its own."""
    return "\n  ".join(visible(line) for line in text.split("\n"))


def _excerpt(line: str, column: int) -> tuple[str, int, int]:
    """Return the shown piece of a line, the columns before the caret, and the caret's width."""
    at = min(max(column - 1, 0), len(line))
    length = _span(line, at)
    cells = [_visible(char) for char in line[: at + _WIDTH + length]]
    widths = [_columns(cell) for cell in cells]
    first, before = 0, sum(widths[:at])
    if before + min(sum(widths[at:]), _WIDTH - _LEAD) > _WIDTH:
        while before > _LEAD:
            before -= widths[first]
            first += 1
    last, used = first, 0
    while last < len(cells) and used + widths[last] <= _WIDTH:
        used += widths[last]
        last += 1
    head, tail = "…" if first else "", "…" if last < len(line) else ""
    caret = max(sum(widths[at : min(at + length, last)]), 1)
    return head + "".join(cells[first:last]).rstrip() + tail, before + len(head), caret


def _span(line: str, at: int) -> int:
    """Return how many characters the word or quoted text at an offset has."""
    match = _SPAN.match(line, at)
    if match is None:
        return 1
    word = match[0]
    return len(word) if word[0] in "\"'" else max(len(word.rstrip(":")), 1)


def _visible(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return _TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # Formatting characters can reorder or hide what stands around them.
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return char


def _columns(cell: str) -> int:
    """Return how many terminal columns a shown cell takes."""
    if len(cell) > 1:
        return len(cell)
    if unicodedata.combining(cell) or unicodedata.category(cell) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(cell) in "WF" else 1


def _summary(findings: list[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
    parts = [
        f"{counts[severity]} {word if counts[severity] == 1 or word == 'info' else word + 's'}"
        for severity, word in words.items()
        if counts[severity]
    ]
    return ", ".join(parts) or "no findings"


def _paint(text: str, severity: Severity, *, color: bool) -> str:
    return f"\x1b[1;{_COLORS[severity]}m{text}\x1b[0m" if color else text
