"""Read YAML into plain data and remember where every key and value stands (spec 01, Processing order 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from awp_core.diagnostics.model import Finding, Location, Severity
from awp_core.manifest.compose import TEMPLATE_HINT, Composer, Node, Problem, RefusedError, written
from awp_core.manifest.lines import Lines
from awp_core.manifest.scanner import (
    SCANNER_ERRORS,
    has_libyaml,
    hide,
    libyaml_events,
    pure_events,
    wants_pure,
)
from awp_core.manifest.syntax import explain

Path = tuple[str | int, ...]

MAX_BYTES = 5 * 1024 * 1024
"""Largest document that is read."""

_MAX_CHARACTER_FINDINGS = 20
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class Document:
    """One YAML document: its data and where everything stands.

    Attributes:
        name: What findings show as the file: `flow.awp.yaml` or `cell greet`.
        text: The text as given, decoded.
        data: Plain data with text keys; None when it could not be parsed. Of duplicate keys the first is
            kept. An alias gives the same object as its anchor, so copy before you change anything.
        problems: All YAML problems, rule M6, in the order of the text.
    """

    __slots__ = ("_lines", "_root", "data", "name", "problems", "text")

    def __init__(self, name: str, text: str, lines: Lines, root: Node | None, problems: tuple[Finding, ...]) -> None:
        self.name = name
        self.text = text
        self.data: Any = root.value if root is not None else None
        self.problems = problems
        self._lines = lines
        self._root = root

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {len(self.text)} characters, {len(self.problems)} problems)"

    def locate(self, path: Path, *, key: bool = False) -> Location:
        """Return the place of a value, or of its key; the nearest existing ancestor's if there is none.

        An aliased or merged value stands where its anchor is.
        """
        index = 0
        for step, (key_index, node) in enumerate(self._walk(path)):
            index = key_index if key and step == len(path) and key_index is not None else node.start
        return self._lines.location(index)

    def source_line(self, line: int) -> str:
        """Return the text of a line by the number that findings show, "" if there is none."""
        return self._lines.line(line)

    def finding(
        self, rule: str, severity: Severity, path: Path, message: str, *, hint: str = "", key: bool = False
    ) -> Finding:
        """Build a finding for the value, or the key, at a path."""
        location = self.locate(path, key=key)
        return Finding(rule, severity, message, location, hint, self.source_line(location.line))

    def scalar_text(self, path: Path) -> str | None:
        """Return a scalar exactly as it is written, quotes included; None when there is no scalar."""
        node = self._at(path)
        return written(self._lines.text, node) if node is not None and node.children is None else None

    def block_scalar_line(self, path: Path) -> int | None:
        """Return the line where the content of a literal block scalar (`|`) starts, None for all others."""
        node = self._at(path)
        if node is None or node.style != "|":
            return None
        header = node.end - len(written(self._lines.text, node))
        return self._lines.location(header).line + 1

    def _walk(self, path: Path) -> Iterator[tuple[int | None, Node]]:
        """Yield (offset of the key, node) for the root and every step of the path that exists."""
        node = self._root
        if node is None:
            return
        yield None, node
        for step in path:
            key_index: int | None = None
            if isinstance(node.children, dict) and isinstance(step, str) and step in node.children:
                key_index, node = node.children[step]
            elif isinstance(node.children, list) and isinstance(step, int) and 0 <= step < len(node.children):
                node = node.children[step]
            else:
                return
            yield key_index, node

    def _at(self, path: Path) -> Node | None:
        nodes = list(self._walk(path))
        return nodes[-1][1] if len(nodes) == len(path) + 1 else None


def parse_document(text: str | bytes, name: str, *, first_line: int = 1, use_libyaml: bool | None = None) -> Document:
    """Parse one YAML document; never raises for bad text, its `problems` say what is wrong.

    Args:
        text: The document; bytes must be UTF-8.
        name: What findings show as the file.
        first_line: Number of the text's first line, for a cell whose magic stands above it.
        use_libyaml: Whether to scan by libyaml; None means if it is there. The result is the same.
    """
    decoded, problem = _decode(text)
    scanned = decoded.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = Lines(name, scanned, first_line)
    problems = [problem] if problem is not None else _forbidden_characters(scanned)
    root: Node | None = None
    if not problems:
        libyaml = has_libyaml() if use_libyaml is None else use_libyaml and has_libyaml()
        root, problems = _compose(scanned, libyaml=libyaml)
    findings = (_as_finding(lines, item) for item in sorted(problems, key=lambda item: item.offset))
    return Document(name, decoded, lines, root, tuple(findings))


def _decode(text: str | bytes) -> tuple[str, Problem | None]:
    if isinstance(text, str):
        size = len(text) if len(text) > MAX_BYTES else len(text.encode("utf-8", "surrogatepass"))
        decoded, problem = text, None
    else:
        size = len(text)
        decoded, problem = _decode_bytes(text)
    if size > MAX_BYTES:
        message = f"the document is larger than {MAX_BYTES // 1024**2} MiB"
        return decoded, Problem(0, message, "move large texts into files of their own")
    return decoded, problem


def _decode_bytes(data: bytes) -> tuple[str, Problem | None]:
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as exc:
        bad = data[exc.start]
        before = data[: exc.start].decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
        problem = Problem(len(before), f"the byte 0x{bad:02x} is not UTF-8", "save the file as UTF-8")
        return data.decode("utf-8", "replace"), problem


def _forbidden_characters(text: str) -> list[Problem]:
    problems: list[Problem] = []
    for match in _FORBIDDEN.finditer(text):
        message = f"the character U+{ord(match[0]):04X} is not allowed in YAML"
        hint = 'remove it, or write it as an escape in double quotes, such as "\\x1b"'
        problems.append(Problem(match.start(), message, hint))
        if len(problems) == _MAX_CHARACTER_FINDINGS:
            break
    return problems


def _compose(text: str, *, libyaml: bool) -> tuple[Node | None, list[Problem]]:
    hidden, restore = hide(text)
    if libyaml and not wants_pure(hidden):
        composer = Composer(libyaml_events(hidden), text, restore)
        try:
            return _finish(composer)
        except SCANNER_ERRORS:
            pass  # the pure scanner words and places the error, or accepts the text
    composer = Composer(pure_events(hidden), text, restore)
    try:
        return _finish(composer)
    except SCANNER_ERRORS as exc:
        error = explain(exc, text)
        if composer.problems and composer.problems[-1].hint == error.hint == TEMPLATE_HINT:
            return None, composer.problems  # the template, reported already, is what broke the line
        return None, [*composer.problems, error]


def _finish(composer: Composer) -> tuple[Node | None, list[Problem]]:
    try:
        root = composer.compose()
    except RefusedError as exc:
        return None, [*composer.problems, exc.problem]
    if not composer.problems and (root is None or (root.value is None and root.style == "")):
        return None, [Problem(0, "the document is empty", "a workflow starts with 'awp: 1.0.0'")]
    return root, composer.problems


def _as_finding(lines: Lines, problem: Problem) -> Finding:
    message = problem.message
    if problem.first is not None:
        first = lines.location(problem.first).line
        message = f"{message}, in line {first} and in line {lines.location(problem.offset).line}"
    return lines.finding("M6", problem.severity, problem.offset, message, problem.hint)
