"""Say in plain words what a YAML scanner found, with a hint for the common mistakes (spec 01, YAML traps).

Only the pure scanner's errors come here, so the same text gives the same words with and without libyaml.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from awp_core.manifest.compose import TEMPLATE_HINT, Problem
from awp_core.manifest.scanner import ErrorParts, error_parts

_QUOTE_HINT = "put the value in quotes"
_SPACE_HINT = "write 'key: value', with a space after the colon"
_INDENT_HINT = "line it up with the entries it belongs to"
_BACKSLASH_HINT = "in double quotes a backslash starts an escape: use single quotes, or double the backslash"
_BRACKET_HINT = "add the missing bracket or comma; put values with ': ', brackets or commas in quotes"
_STAR_HINT = "'*' and '&' refer to other values in YAML: put the value in quotes"


class _Saying(NamedTuple):
    """Words for a scanner's problem; `{found}` is what it names, `opener` means the place it started at."""

    needle: str
    message: str
    hint: str
    opener: bool = False


_SAYINGS = (
    _Saying(r"'\t'", "a tab where only spaces are allowed", "replace the tab by spaces, and indent by spaces"),
    _Saying("that cannot start any token", "a value cannot start with {found}", _QUOTE_HINT),
    _Saying("unknown escape character", "the escape with {found} does not exist", _BACKSLASH_HINT),
    _Saying("expected escape sequence", "an incomplete escape in double quotes", _BACKSLASH_HINT),
    _Saying("unexpected end of stream", "a quote is opened here and never closed", "close it", opener=True),
    _Saying("unexpected document separator", "a quote is opened here and never closed", "close it", opener=True),
    _Saying("expected ',' or", "the bracket opened here is not closed before {found}", _BRACKET_HINT, opener=True),
    _Saying(
        "sequence entries are not allowed",
        "a list cannot start in the middle of a line",
        "start it on a new line",
    ),
    _Saying("mapping keys are not allowed", "'? ' cannot stand here", _QUOTE_HINT),
    _Saying(
        "expected a comment or a line break",
        "no text may follow '|' or '>' on its line",
        "start the text on the next line, indented",
    ),
    _Saying("chomping or indentation", "{found} cannot follow '|' or '>'", _QUOTE_HINT),
    _Saying("indentation indicator", "the indent after '|' or '>' is a digit from 1 to 9", "remove it"),
    _Saying("expected the node content", "a value cannot start with {found}", _QUOTE_HINT),
    _Saying("undefined tag handle", "a tag ('!') that is not supported", "put the value in quotes"),
    _Saying("found '<stream end>'", "the document has directives ('%') only", "write the workflow below '---'"),
    _Saying("'<document start>'", "this line does not belong to what stands above it", _INDENT_HINT),
)
_BY_CONTEXT = {
    "while scanning an alias": _Saying("", "a value cannot start with '*' like this", _STAR_HINT, opener=True),
    "while scanning an anchor": _Saying("", "a value cannot start with '&' like this", _STAR_HINT, opener=True),
    "while scanning a directive": _Saying("", "a line cannot start with '%'", "put it in quotes", opener=True),
    "while scanning a tag": _Saying("", "a value cannot start with '!' like this", _QUOTE_HINT, opener=True),
    "while parsing a tag": _Saying("", "a value cannot start with '!' like this", _QUOTE_HINT, opener=True),
}
_FOUND = re.compile(r"(?:found|got|character) ('(?:[^']|'(?=')|\\')*'|\"'\")")
_GLUED = re.compile(r"\s*(?:- +)*[\w.-]+(:)[^ /\n]")
_HUGE_ESCAPE = re.compile(r"\\U(?!000[0-9A-Fa-f]|0010)[0-9A-Fa-f]{8}")
_KEY_BEFORE = re.compile(r"\s*(?:- +)*[^\s:#][^:]*:\s+\S")


def explain(exc: BaseException, text: str) -> Problem:
    """Turn a scanner's error into a problem in plain words."""
    parts = error_parts(exc)
    problem = _explain(parts, text)
    line = _line_at(text, problem.offset)
    if "{{" in line or "{%" in line:
        return problem._replace(hint=TEMPLATE_HINT)
    if "\xa0" in line:
        return problem._replace(hint="this line holds a non-breaking space (U+00A0); replace it by a normal space")
    return problem


def _explain(parts: ErrorParts, text: str) -> Problem:
    if "mapping values are not allowed" in parts.problem:
        return _misplaced_colon(parts.offset, text)
    if "could not find expected ':'" in parts.problem:
        return _no_colon(parts.offset if parts.context_offset is None else parts.context_offset, text)
    if "<block end>" in parts.problem:
        return _unexpected_in_block(parts, text)
    if "'<stream end>'" in parts.problem and "<document start>" not in parts.problem:
        opened = max(text.rfind("["), text.rfind("{"), 0)
        return Problem(opened, "the text ends before this bracket is closed", _BRACKET_HINT)
    if huge := _HUGE_ESCAPE.search(text) if not parts.problem.startswith(("found", "expected")) else None:
        return Problem(huge.start(), f"{huge[0]} is no character", _BACKSLASH_HINT)
    saying = _BY_CONTEXT.get(parts.context)
    if saying is None:
        saying = next((item for item in _SAYINGS if item.needle in parts.problem), None)
    if saying is None:
        return Problem(parts.offset, f"the YAML cannot be read: {parts.problem}", "")
    offset = parts.context_offset if saying.opener and parts.context_offset is not None else parts.offset
    return Problem(offset, saying.message.format(found=_found(parts.problem)), saying.hint)


def _misplaced_colon(offset: int, text: str) -> Problem:
    start = text.rfind("\n", 0, offset) + 1
    if _KEY_BEFORE.match(text[start:offset]):
        return Problem(offset, "a second ': ' in one line", _QUOTE_HINT)
    above_start, above = _line_above(text, start)
    if glued := _GLUED.match(above):
        return Problem(above_start + glued.start(1), "no space after ':'", _SPACE_HINT)
    indent_above = _indent(above)
    if ":" not in above:
        return Problem(above_start + indent_above, "this line has no ':'", _SPACE_HINT)
    indent = _indent(text[start:offset])
    message = "a key where no key can stand"
    if indent > indent_above:
        message = "this line is indented deeper than the line above, which has a value already"
    return Problem(start + indent, message, _INDENT_HINT)


def _no_colon(offset: int, text: str) -> Problem:
    line_start = text.rfind("\n", 0, offset) + 1
    if glued := _GLUED.match(_line_at(text, offset)):
        return Problem(line_start + glued.start(1), "no space after ':'", _SPACE_HINT)
    hint = f"{_SPACE_HINT}; indent it deeper if it continues the text above"
    return Problem(offset, "this line is neither 'key: value' nor '- item'", hint)


def _unexpected_in_block(parts: ErrorParts, text: str) -> Problem:
    found = _found(parts.problem)
    before = text[text.rfind("\n", 0, parts.offset) + 1 : parts.offset].rstrip()
    if found in {"']'", "'}'"}:
        return Problem(parts.offset, f"{found} closes no bracket", "remove it, or put the value in quotes")
    if before.endswith(("'", '"')):
        hint = "put the whole value in quotes; write '' for a quote within single quotes"
        return Problem(parts.offset, "text after a closing quote", hint)
    if before.endswith(("]", "}")):
        return Problem(parts.offset, "text after a closing bracket", _QUOTE_HINT)
    if found == "'-'":
        return Problem(parts.offset, "a list item among keys", _INDENT_HINT)
    if found == "'?'":
        return Problem(parts.offset, "a key among list items", _INDENT_HINT)
    return Problem(parts.offset, "the indentation of this line fits none of the lines above", _INDENT_HINT)


def _found(problem: str) -> str:
    matches = _FOUND.findall(problem)
    return matches[-1] if matches else "this"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _line_at(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return text[start : end if end >= 0 else len(text)]


def _line_above(text: str, start: int) -> tuple[int, str]:
    """Return offset and text of the nearest line above `start` that is not blank."""
    while start > 0:
        begin = text.rfind("\n", 0, start - 1) + 1
        line = text[begin : start - 1]
        if line.strip():
            return begin, line
        start = begin
    return 0, ""
