"""Produce YAML events by libyaml where that is safe, by the pure scanner where the two would differ.

Both give the same events for nearly every text. They differ in what they say about broken text, and in a few
rare constructs, so those always go to the pure scanner; that makes the result independent of libyaml.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, cast

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import Event
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

# Tabs between tokens, directives, explicit keys, tags and a comment glued to `|`: libyaml differs there.
_PURE_ONLY = re.compile(r"""\t|^%|^\.\.\.|\?|[|>][-+0-9]*#|(?:^|[^\w.)])!""", re.MULTILINE)
# YAML 1.1 takes these for line breaks, editors and YAML 1.2 do not.
_ODD_BREAKS = "\x85\u2028\u2029"
# The pure scanner ends a word in a flow list at "?", so `[really?]` would be an error.
_INNER_QUESTION = re.compile(r"""(?<=[^\s?,\[\]{}"'\\])\?""")
_NONCHARACTERS = [chr(code) for code in range(0xFDD0, 0xFDF0)]

SCANNER_ERRORS = (YAMLError, ValueError, OverflowError)
"""What scanners raise for broken text; the pure one lets `chr` raise for `\\\\UFFFFFFFF`."""


NextEvent = Callable[[], Event]


class ErrorParts(NamedTuple):
    """A scanner's error: what, where, and within what."""

    problem: str
    offset: int
    context: str = ""
    context_offset: int | None = None


class _PureParser(Reader, Scanner, Parser):
    """PyYAML's own scanner and parser without a composer."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


def has_libyaml() -> bool:
    """Return whether PyYAML was built with libyaml."""
    try:
        from yaml import _yaml  # noqa: F401
    except ImportError:
        return False
    return True


def wants_pure(text: str) -> bool:
    """Return whether the two scanners may disagree about this text."""
    return _PURE_ONLY.search(text) is not None


def pure_events(text: str) -> NextEvent:
    """Return the function that gives the next event of the pure scanner."""
    return cast("NextEvent", _PureParser(text).get_event)


def libyaml_events(text: str) -> NextEvent:
    """Return the function that gives the next event of libyaml."""
    from yaml._yaml import CParser

    return cast("NextEvent", CParser(text).get_event)


def hide(text: str) -> tuple[str, dict[int, str]]:
    """Replace characters that only YAML 1.1 gives a meaning by noncharacters, one for one.

    Returns the text to scan, and the table for `str.translate` that restores them in a value.
    """
    present = [char for char in _ODD_BREAKS if char in text]
    question = _INNER_QUESTION.search(text) is not None
    if not present and not question:
        return text, {}
    lower = text.lower()
    spare = iter(char for char in _NONCHARACTERS if char not in text and f"{ord(char):x}" not in lower)
    table = dict(zip(present, spare, strict=False))
    hidden = text.translate({ord(char): other for char, other in table.items()})
    if question and (mark := next(spare, "")):
        hidden = _INNER_QUESTION.sub(mark, hidden)
        table["?"] = mark
    return hidden, {ord(other): char for char, other in table.items()}


def error_parts(exc: BaseException) -> ErrorParts:
    """Return what a scanner's error says, and about which offsets."""
    if not isinstance(exc, MarkedYAMLError):
        return ErrorParts(str(exc), 0)
    mark = exc.problem_mark or exc.context_mark
    context_offset = exc.context_mark.index if exc.context_mark else None
    return ErrorParts(exc.problem or "", mark.index if mark else 0, exc.context or "", context_offset)
