"""Selectors: short paths that pick one value out of a run (spec 02, Selectors).

`node.field.sub.0.x` walks mapping keys and list indices. A bare name is an input first, then a node's whole
output; `inputs.name` is always the input, `env.NAME` a declared environment variable. With more than one
part the node comes first, and an input of that name is walked only when there is no such output. A key that
contains dots is found because the longest run of parts that is a key wins: in `load.a.b`, a key `a.b` beats
`a`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from awp_core.errors import AwpError, nearest

JSON = Any
Kind = Literal["input", "node", "env"]
_MAX_LENGTH: Final = 500
_MAX_INDEX_DIGITS: Final = 9
_COMPARED_KEYS: Final = 1_000  # of a mapping, when looking for the nearest one


class SelectorError(AwpError):
    """A text that is no selector."""


class Root(NamedTuple):
    """A place where a selector starts: `Root("node", "draft")`. "" names all inputs or variables."""

    kind: Kind
    name: str


class Selected(NamedTuple):
    """What a selector found.

    Attributes:
        value: The value; None when nothing was found.
        found: Whether the path exists. A path to null exists.
        nearest: For a missing path, the existing one that is closest; "" if nothing is.
    """

    value: JSON
    found: bool
    nearest: str


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed selector.

    Attributes:
        text: As written, without surrounding space.
        parts: The text between the dots.
    """

    text: str
    parts: tuple[str, ...]

    @property
    def root(self) -> str:
        """The first part: a name, `inputs` or `env`."""
        return self.parts[0]

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Read a selector.

        Raises:
            SelectorError: It is empty, too long, has an empty part or uses brackets.
        """
        if not isinstance(text, str):
            raise SelectorError(f"a selector must be text, not {type(text).__name__}", hint="write `node.field`")
        text = text.strip()
        if not text:
            raise SelectorError("the selector is empty", hint="write a name, or `node.field`")
        if len(text) > _MAX_LENGTH:
            raise SelectorError(f"the selector has {len(text):,} characters; {_MAX_LENGTH} are allowed")
        parts = tuple(text.split("."))
        if "" in parts:
            raise SelectorError(
                f"the selector {text!r} has an empty part", hint="one dot between two names: `node.field`"
            )
        if "[" in text or "]" in text:
            raise SelectorError(
                f"the selector {text!r} uses brackets",
                hint="write an index as a part of its own: `node.rows.0.name`",
            )
        return cls(text, parts)


def select(
    selector: Selector, inputs: Mapping[str, JSON], outputs: Mapping[str, JSON], env: Mapping[str, JSON]
) -> Selected:
    """Return the value a selector points to.

    Args:
        selector: What to look for.
        inputs: The workflow's inputs.
        outputs: The outputs of the nodes that finished.
        env: Declared environment variables that are not sensitive.
    """
    parts = selector.parts
    if parts[0] == "inputs":
        return _walk(inputs, "inputs", parts[1:])
    if parts[0] == "env":
        return _walk(env, "env", parts[1:])
    spaces = (inputs, outputs) if len(parts) == 1 else (outputs, inputs)
    for space in spaces:
        if parts[0] in space:
            return _walk(space[parts[0]], parts[0], parts[1:])
    return Selected(None, False, nearest(parts[0], [*islice(inputs, _COMPARED_KEYS), *islice(outputs, _COMPARED_KEYS)]))


def roots_of(selector: Selector) -> tuple[Root, ...]:
    """Return the places a selector may start from, in the order they are tried.

    >>> roots_of(Selector.parse("topic"))
    (Root(kind='input', name='topic'), Root(kind='node', name='topic'))
    """
    first, *rest = selector.parts
    if first == "inputs":
        return (Root("input", rest[0] if rest else ""),)
    if first == "env":
        return (Root("env", rest[0] if rest else ""),)
    either = (Root("input", first), Root("node", first))
    return either[::-1] if rest else either


def _walk(value: JSON, path: str, parts: tuple[str, ...]) -> Selected:
    while parts:
        step = _step(value, parts)
        if step is None:
            return Selected(None, False, _nearest_below(value, path, parts[0]))
        value, used = step
        path = ".".join((path, *parts[:used]))
        parts = parts[used:]
    return Selected(value, True, "")


def _step(value: JSON, parts: tuple[str, ...]) -> tuple[JSON, int] | None:
    """Return the value one step further and how many parts that took; None when there is no way."""
    if isinstance(value, Mapping):
        for used in range(len(parts), 0, -1):
            key = parts[0] if used == 1 else ".".join(parts[:used])
            if key in value:
                return value[key], used
    elif isinstance(value, list):
        part = parts[0]
        if part.isascii() and part.isdigit() and len(part) <= _MAX_INDEX_DIGITS and int(part) < len(value):
            return value[int(part)], 1
    return None


def _nearest_below(value: JSON, path: str, part: str) -> str:
    """Return the path of the closest key of `value`, or else `path`, which exists."""
    if isinstance(value, list):
        return f"{path}.{len(value) - 1}" if value else path
    keys: Iterable[str] = islice(value, _COMPARED_KEYS) if isinstance(value, Mapping) else ()
    close = nearest(part, keys)
    return f"{path}.{close}" if close else path
