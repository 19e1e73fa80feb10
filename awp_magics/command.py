"""What a sub-command of `%awp` is, how its line is split, and how its arguments are read."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Self

from awp_core.errors import NotFoundError, UsageError, nearest

if TYPE_CHECKING:
    from awp_magics.session import Session

_VARIABLE = re.compile(r"\$([^\W\d]\w*)")
_KEY = re.compile(r"(--)?[\w.-]+=")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises our own errors and never exits the kernel."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, add_help=False, allow_abbrev=False, exit_on_error=False)

    @property
    def options(self) -> list[str]:
        """Every option string."""
        return sorted(self._option_string_actions)

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting, with the nearest option if one was mistyped."""
        hint = f"see {self.prog} --help"
        unknown = re.search(r"unrecognized arguments: (\S+)", message)
        if unknown:
            close = nearest(unknown[1].partition("=")[0], self.options)
            message = f"{self.prog} does not know {unknown[1]!r}"
            hint = f"did you mean {close}?" if close else hint
        raise UsageError(message, hint=hint)

    def read(self, words: list[str]) -> argparse.Namespace:
        """Return the arguments; inputs and options may be mixed.

        Raises:
            UsageError: They do not fit.
        """
        try:
            return self.parse_intermixed_args(words)
        except argparse.ArgumentError as exc:
            self.error(str(exc))


@dataclass(frozen=True, slots=True)
class Command:
    """One sub-command; a module under `commands/` exports it as `COMMAND`.

    Attributes:
        name: What is typed after `%awp`.
        summary: One line for the overview.
        configure: Adds its arguments to a parser.
        run: Does it; what it returns is the value of the magic.
        completes: What its first word may be: `workflow`, `run` or "".
    """

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Session, argparse.Namespace], Any]
    completes: str = ""

    def parser(self) -> Parser:
        """Return its parser."""
        parser = Parser(f"%awp {self.name}", self.summary)
        self.configure(parser)
        return parser


@cache
def commands() -> Mapping[str, Command]:
    """Return every sub-command by name, found by listing the folder."""
    package = importlib.import_module("awp_magics.commands")
    modules = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    found = [importlib.import_module(f"{package.__name__}.{module}").COMMAND for module in modules]
    return {command.name: command for command in found}


def find_command(name: str) -> Command:
    """Return the sub-command called `name`.

    Raises:
        UsageError: There is none; names the nearest.
    """
    known = commands()
    if name not in known:
        close = nearest(name, known)
        raise UsageError(
            f"%awp has no sub-command {name!r}", hint=f"did you mean %awp {close}?" if close else "see %awp help"
        )
    return known[name]


class Word(str):
    """A word of a magic line; `literal` if its value was quoted, so that a dollar in it means nothing."""

    __slots__ = ("literal",)
    literal: bool

    def __new__(cls, text: str, *, literal: bool = False) -> Self:
        """Make a word."""
        word = super().__new__(cls, text)
        word.literal = literal
        return word


def split_line(line: str) -> list[str]:
    """Split a magic line into words; quotes group, and JSON after `name=` stays as it is written.

    >>> split_line('run flow note="two words" data={"a": [1, 2]}')
    ['run', 'flow', 'note=two words', 'data={"a": [1, 2]}']

    Raises:
        UsageError: A quote is never closed.
    """
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word, at = _word(line, at)
        words.append(word)
    return words


def _word(line: str, at: int) -> tuple[Word, int]:
    key = _KEY.match(line, at)
    head = key[0] if key else ""
    at += len(head)
    first = line[at : at + 1]
    if first in {'"', "'"}:
        text, at = _quoted(line, at)
        rest, at = _plain(line, at)
        return Word(head + text + rest, literal=True), at
    if first in {"{", "["}:
        try:
            _, end = json.JSONDecoder().raw_decode(line, at)
        except ValueError:
            end = at
        if end > at and not line[end : end + 1].strip():
            return Word(head + line[at:end], literal=True), end
    text, at = _plain(line, at)
    return Word(head + text), at


def _quoted(line: str, at: int) -> tuple[str, int]:
    quote, start = line[at], at
    text = ""
    at += 1
    while at < len(line) and line[at] != quote:
        if line[at] == "\\" and line[at + 1 : at + 2] in {quote, "\\"}:
            at += 1
        text += line[at]
        at += 1
    if at >= len(line):
        raise UsageError(f"the quote before {line[start + 1 : start + 21]!r} is never closed", hint=f"add {quote}")
    return text, at + 1


def _plain(line: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(line) and not line[end].isspace():
        end += 1
    return line[at:end], end


def read_inputs(words: list[str], namespace: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Read `name=value` words into what was typed and, for `name=$var`, values of variables.

    Raises:
        UsageError: A word has no `=`.
        NotFoundError: There is no such variable.
    """
    texts: dict[str, str] = {}
    values: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{str(word)!r} is no input", hint="write name=value, or name=$variable")
        value = read_value(text, namespace, literal=getattr(word, "literal", False))
        if isinstance(value, str) and value is text:
            texts[name] = text
        else:
            values[name] = value
    return texts, values


def read_value(text: str, namespace: Mapping[str, Any], *, literal: bool = False) -> Any:
    """Return the value of the variable that `$name` names; anything else, or `literal` text, as it is.

    Raises:
        NotFoundError: There is no such variable.
    """
    variable = None if literal or getattr(text, "literal", False) else _VARIABLE.fullmatch(text)
    if variable is None:
        return text
    if variable[1] not in namespace:
        raise NotFoundError.for_name("variable", variable[1], (key for key in namespace if not key.startswith("_")))
    return namespace[variable[1]]
