"""Decide what a plain YAML scalar means: YAML 1.2 core, narrowed so that nothing changes type by surprise.

`yes`, `no`, `on`, `off`, `012`, `1_000`, `0x1F`, `12:30:45` and dates stay strings (spec 01, YAML traps).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from awp_core.errors import AwpError

Scalar = str | int | float | bool | None

MAX_DIGITS = 400
"""Longest number in characters; Python's own conversion of longer ones is slow or refused."""

_BRIEF = 60
_WORDS: Mapping[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_FIRST = frozenset("~nNtTfF+-.0123456789")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_TAG = "tag:yaml.org,2002:"
SEQUENCE_TAGS = frozenset({"!", _TAG + "seq"})
MAPPING_TAGS = frozenset({"!", _TAG + "map"})


class ScalarError(AwpError):
    """A scalar that is too long a number or does not fit its tag."""


def resolve_plain(text: str) -> Scalar:
    """Return the value of a plain (unquoted) scalar.

    Raises:
        ScalarError: A number with more than `MAX_DIGITS` characters.

    >>> [resolve_plain(text) for text in ("no", "true", "012", "1.10", "7", "~")]
    ['no', True, '012', 1.1, 7, None]
    """
    if text and text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(_bounded(text))
    if _FLOAT.fullmatch(text):
        return float(_bounded(text))
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def resolve_tagged(text: str, tag: str) -> Scalar:
    """Return the value of a scalar with an explicit tag, such as `!!str 12`.

    Raises:
        ScalarError: The tag is not one of the core tags, or the text is no such value.
    """
    kind = tag.removeprefix(_TAG)
    if tag == "!" or kind == "str":
        return text
    if not tag.startswith(_TAG) or kind not in {"int", "float", "bool", "null"}:
        raise ScalarError(f"the tag {short_tag(tag)!r} is not supported", hint=TAG_HINT)
    value = resolve_plain(text)
    if kind == "float" and type(value) is int:
        return float(value)
    if type(value).__name__ != {"null": "NoneType"}.get(kind, kind):
        raise ScalarError(f"{brief(text)!r} is no {kind}", hint="remove the tag, or correct the value")
    return value


TAG_HINT = "remove it: a manifest holds plain data only; put the value in quotes if the '!' belongs to the text"


def short_tag(tag: str) -> str:
    """Return a tag as people write it (`!!set`, `!mine`)."""
    return brief("!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag)


def brief(text: str) -> str:
    """Return a text short enough for a message."""
    return text if len(text) <= _BRIEF else text[: _BRIEF - 1] + "…"


def _bounded(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise ScalarError(
            f"a number of {len(text)} characters; at most {MAX_DIGITS} are allowed",
            hint="put it in quotes if it is a text",
        )
    return text
