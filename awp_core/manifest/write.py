"""Write plain data as YAML that people like to read and every reader reads alike (spec 01, Editing)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from awp_core.errors import UsageError
from awp_core.manifest.compose import MAX_DEPTH
from awp_core.manifest.scalars import MAX_DIGITS

_INDENT = "  "
# A scanner looks this far for the colon behind a key (YAML: 1,024 characters).
_LONGEST_SIMPLE_KEY = 1000
# Words that some YAML reader takes for a boolean or null.
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
# Starts with a letter, so it is no number, date or indicator in any version of YAML.
_PLAIN = re.compile(r"(?:[^\W\d]|\.{0,2}/)[^\x00-\x1f]*")
_NOT_PLAIN = re.compile(r": |:\Z| #| \Z")
# What must be escaped: YAML's forbidden characters, its odd line breaks, and the byte-order mark.
_ESCAPED = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def dump_yaml(data: object) -> str:
    """Return `data` as a YAML document: keys in the order given, no aliases, long texts as blocks.

    Args:
        data: Mappings with text keys, lists, tuples, strings, numbers, booleans and None.

    Raises:
        UsageError: A value that YAML cannot hold or our reader would refuse: another type, a key that is no
            text, half of a surrogate pair, a huge number, or nesting deeper than `MAX_DEPTH`.

    >>> print(dump_yaml({"awp": "1.0.0", "say": "one\\ntwo\\n", "answer": "no", "tags": []}), end="")
    awp: "1.0.0"
    say: |
      one
      two
    answer: "no"
    tags: []
    """
    lines = _lines(data, 1)
    if isinstance(data, str):
        lines = _hanging(lines)
    return "\n".join(lines) + "\n"


def _lines(value: object, depth: int) -> Iterator[str]:
    """Yield the lines of a value; all but the first line of a text are the caller's to indent."""
    if depth > MAX_DEPTH and isinstance(value, Mapping | list | tuple):
        raise UsageError(f"the data is nested deeper than {MAX_DEPTH} levels", hint="use a flatter structure")
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _entry(key, item, depth)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            yield from _hanging(_lines(item, depth + 1), "- ")
    elif isinstance(value, str) and "\n" in value and _fits_block(value):
        yield from _block(value)
    else:
        yield _scalar(value)


def _entry(key: object, value: object, depth: int) -> Iterator[str]:
    if not isinstance(key, str):
        raise UsageError(f"the key {key!r} is a {type(key).__name__}", hint="keys must be text")
    name = _plain_or_quoted(key)
    if len(name) > _LONGEST_SIMPLE_KEY:
        yield f"? {name}"
        name = ""
    lines = _lines(value, depth + 1)
    if isinstance(value, Mapping | list | tuple) and value:
        yield f"{name}:"
        yield from _indented(lines)
    else:
        yield from _hanging(lines, f"{name}: ")


def _hanging(lines: Iterator[str], prefix: str = "") -> Iterator[str]:
    yield prefix + next(lines)
    yield from _indented(lines)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (_INDENT + line if line else "" for line in lines)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _plain_or_quoted(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise UsageError(
        f"a {type(value).__name__} cannot be written as YAML", hint="use text, numbers, lists and mappings"
    )


def _integer(value: int) -> str:
    # log10(2) bounds the length without converting: Python refuses to print huge numbers.
    if value.bit_length() * math.log10(2) + 2 > MAX_DIGITS:
        raise UsageError(f"a number of more than {MAX_DIGITS - 3} digits", hint="write it as text")
    return int.__repr__(value)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = float.__repr__(value)
    # YAML 1.1 readers take `1e+16` for a string.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _plain_or_quoted(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and not _NOT_PLAIN.search(text) and text.lower() not in _RESERVED
    if plain and not _ESCAPED.search(text):
        return str(text)
    if _SURROGATE.search(text):
        raise UsageError("the text holds half of a surrogate pair", hint="remove it; it is no character")
    # JSON's escapes are YAML's, except that YAML must escape some more characters.
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _fits_block(text: str) -> bool:
    """Return whether a literal block can hold the text; one of blanks only would lose its line breaks."""
    return not _ESCAPED.search(text) and bool(text.strip(" \t\n"))


def _block(text: str) -> list[str]:
    """Return header and lines of a literal block, the lines without indentation."""
    body = text.rstrip("\n")
    breaks = len(text) - len(body)
    # With a blank first the reader would take it for indentation, so the indentation is written down.
    indent = str(len(_INDENT)) if text[0] in " \t\n" else ""
    chomp = "-" if breaks == 0 else "" if breaks == 1 else "+"
    return [f"|{indent}{chomp}", *body.split("\n"), *[""] * max(breaks - 1, 0)]
