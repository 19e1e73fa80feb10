"""JSON values: what state may hold (spec 02, Edge decisions: Values), and how they are written and read.

Every value that enters a run passes `check_json` once. After that it can be written, hashed and compared
without a surprise.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from awp_core.errors import AwpError

JSON = Any  # None, bool, int, float, str, list or a dict with text keys

MAX_DEPTH: Final = 200  # lists and mappings inside each other
MAX_DIGITS: Final = 4_000  # of an integer; Python itself refuses to print more than 4,300
_SMALL: Final = 1 << 63
_TOO_BIG: Final = 10**MAX_DIGITS


class ValueProblem(AwpError):  # noqa: N818 - it names what is wrong with a value, and reads better so
    """A value that is not JSON; the message names the path to the part at fault."""


def check_json(value: JSON, where: str = "value") -> None:
    """Make sure that a value is JSON.

    Args:
        value: JSON Python value.
        where: What the value is called in the message.

    Raises:
        ValueProblem: A part is NaN or infinite, no JSON type, text that is not Unicode, an integer of more
            than 4,000 digits, or more than 200 levels deep. The message names its path: `value.rows[3].x`.
    """
    if not _is_plain(value, 0):
        _find_problem(value, where, 0)


def plain_copy(value: JSON, depth: int = 0) -> JSON:
    """Return a copy of a value that shares no list or mapping with it and is made of the built-in types.

    What is not JSON, or lies too deep, is left as it is for `check_json` to find.
    """
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {plain_copy(key): plain_copy(item, depth + 1) for key, item in dict.items(value)}
    if isinstance(value, list):
        return [plain_copy(item, depth + 1) for item in list.__iter__(value)]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else value


def canonical_json(value: JSON) -> bytes:
    """Return the one canonical spelling of a value: sorted keys, no spaces, UTF-8 (spec 08, Audit chain).

    Raises:
        ValueProblem: It is not JSON.
    """
    check_json(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def dump_json(value: JSON) -> bytes:
    """Return a value as one compact line of UTF-8, keys in their order.

    This is the fast writer for values that are JSON already. Tuples are written as lists and any mapping as
    an object.

    Raises:
        ValueProblem: It holds NaN, an infinity or something that has no JSON form.
    """
    try:
        line = to_json(value, fallback=_as_dict)
    except (PydanticSerializationError, ValueError, RecursionError) as exc:
        check_json(value)
        raise ValueProblem(f"the value cannot be written as JSON: {shorten(str(exc), 200)}") from exc
    # The two words also occur in ordinary text, so look twice only when one is there.
    if (b"NaN" in line or b"Infinity" in line) and to_json(value, fallback=_as_dict, inf_nan_mode="null") != line:
        check_json(value)
        raise ValueProblem("the value holds NaN or an infinity, which JSON cannot", hint="use null instead")
    return line


def load_json(text: bytes | str) -> JSON:
    """Return the value of a JSON text, strictly.

    Raises:
        ValueProblem: It is no JSON, has a key twice in one object, NaN, an infinity, or passes the limits of
            `check_json`.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as exc:
        raise ValueProblem(f"not JSON: {exc.msg} at line {exc.lineno}, column {exc.colno}") from exc
    except RecursionError as exc:
        raise ValueProblem(f"the JSON text is more than {MAX_DEPTH} levels deep") from exc
    except UnicodeDecodeError as exc:
        raise ValueProblem(f"the JSON text is not UTF-8: byte {exc.start} cannot be decoded") from exc
    except ValueError as exc:  # an integer beyond Python's own limit
        raise ValueProblem(f"the JSON text holds an integer of more than {MAX_DIGITS:,} digits") from exc
    check_json(value, "the JSON text")
    return value


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def shorten(text: str, limit: int = 2000) -> str:
    """Return a text, cut after `limit` characters with a note of its length.

    >>> shorten("abcdef", 3)
    'abc… (6 characters in all)'
    """
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters in all)"


def _is_plain(value: JSON, depth: int) -> bool:  # noqa: C901 - one flat chain is what makes it fast
    """Whether a value is JSON of the exact built-in types; False means: look closer."""
    kind = type(value)
    if kind is str:
        return True if value.isascii() else _is_unicode(value)
    if kind is int:
        small: bool = -_SMALL < value < _SMALL
        return small
    if kind is dict:
        if depth >= MAX_DEPTH:
            return False
        for key, item in value.items():
            if type(key) is not str or not (key.isascii() or _is_unicode(key)):
                return False
            if not _is_plain(item, depth + 1):
                return False
        return True
    if kind is list:
        if depth >= MAX_DEPTH:
            return False
        for item in value:  # noqa: SIM110 - `all` with a generator takes twice as long
            if not _is_plain(item, depth + 1):
                return False
        return True
    if kind is bool or value is None:
        return True
    return kind is float and math.isfinite(value)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _find_problem(value: JSON, where: str, depth: int) -> None:
    if isinstance(value, dict | list):
        if depth >= MAX_DEPTH:
            raise ValueProblem(f"{shorten(where, 100)} is more than {MAX_DEPTH} levels deep", hint="flatten it")
        if isinstance(value, list):
            for index, item in enumerate(value):
                _find_problem(item, f"{where}[{index}]", depth + 1)
            return
        for key, item in value.items():
            _check_key(key, where)
            _find_problem(item, _below(where, key), depth + 1)
        return
    problem = _scalar_problem(value)
    if problem:
        raise ValueProblem(f"{where} {problem[0]}", hint=problem[1])


def _scalar_problem(value: JSON) -> tuple[str, str] | None:
    """Return what is wrong with a value that is no list or mapping, and what to do."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return (
            None if _is_unicode(value) else ("is text with half a character (a lone surrogate)", "decode it as UTF-8")
        )
    if isinstance(value, int):
        if -_TOO_BIG < value < _TOO_BIG:
            return None
        return f"is an integer of more than {MAX_DIGITS:,} digits", "keep it as text"
    if isinstance(value, float):
        if math.isfinite(value):
            return None
        return f"is {float(value)!r}, which JSON has no word for", "use null instead"
    kind = type(value).__name__
    hints = {"tuple": "make it a list", "set": "make it a sorted list", "bytes": "decode it to text"}
    return f"is of type {kind}, which JSON does not have", hints.get(
        kind, "turn it into text, numbers, lists or mappings"
    )


def _check_key(key: JSON, where: str) -> None:
    if not isinstance(key, str):
        raise ValueProblem(
            f"{where} has the key {shorten(repr(key), 60)} of type {type(key).__name__}",
            hint="keys must be text",
        )
    if not _is_unicode(key):
        raise ValueProblem(f"{where} has a key with half a character (a lone surrogate)", hint="decode it as UTF-8")


def _below(where: str, key: str) -> str:
    return f"{where}.{key}" if key.isidentifier() and len(key) <= 60 else f"{where}[{shorten(json.dumps(key), 60)}]"


def _as_dict(value: JSON) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise ValueError(f"{type(value).__name__} is not a JSON type")


def _refuse_constant(name: str) -> None:
    raise ValueProblem(f"not JSON: {name}", hint="use null instead")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                break
            seen.add(key)
        raise ValueProblem(
            f"the key {shorten(repr(key), 60)} stands twice in one JSON object", hint="remove one of them"
        )
    return mapping
