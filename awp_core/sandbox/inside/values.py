"""Which Python values are JSON, and where in a value the first one stands that is not.

Used on both sides: inside, to say what is wrong with a result in words of its author, and outside, because a
reply from a sandbox is hostile until checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from json import dumps, loads  # by name: what user code puts into the module does not matter here
from typing import Any

Json = Any
"""None, a bool, int, float or str, or a list or dict of such."""

MAX_DEPTH = 100
"""Levels of nesting; deep enough for data, far below what overflows a parser's stack."""

MAX_INT_BITS = 13_000
"""Python refuses to write integers of more than 4,300 digits as text, and a JSON number is text."""

_HINTS = {
    "int": "int(x)",
    "ndarray": ".tolist()",
    "DataFrame": '.to_dict("records")',
    "Series": ".to_dict() or .tolist()",
    "Timestamp": ".isoformat()",
    "datetime": ".isoformat()",
    "date": ".isoformat()",
    "set": "sorted(x)",
    "frozenset": "sorted(x)",
    "Decimal": "str(x) or float(x)",
    "bytes": ".decode()",
    "generator": "list(x)",
    "PosixPath": "str(x)",
}


class NotJsonError(Exception):
    """A value that JSON cannot carry; `problem` names its path, `hint` a way to convert it."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def to_json_value(value: object, path: str) -> Json:
    """Return `value` built anew from plain dict, list, str, int, float, bool and None.

    Tuples become lists and numpy scalars the Python numbers they equal.

    >>> to_json_value({"rows": (1, 2.5)}, "result")
    {'rows': [1, 2.5]}

    Raises:
        NotJsonError: Anything else, NaN, infinities, lone surrogates, keys that are not strings, deep nesting.
    """
    return _plain(value, path, 0)


def _plain(value: object, path: str, depth: int) -> Json:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, int):
        return _integer(int(value), path)
    if isinstance(value, float):
        return _number(float(value), path)
    if depth >= MAX_DEPTH:
        raise NotJsonError(f"{_short(path)} is nested deeper than {MAX_DEPTH} levels (or contains itself)")
    if isinstance(value, dict):
        return {_key(key, path): _plain(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    kind = type(value)
    if kind.__module__ == "numpy" and getattr(value, "shape", None) == () and kind.__name__ != "ndarray":
        item = value.item()  # type: ignore[attr-defined]
        if type(item) is not kind:
            return _plain(item, path, depth + 1)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    convert = _HINTS.get(kind.__name__, "")
    raise NotJsonError(
        f"{_short(path)} is a {name}, which JSON cannot carry", f"convert it: {convert}" if convert else ""
    )


def _text(value: str, path: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotJsonError(
                f"{_short(path)} contains a lone surrogate, which is not text",
                'replace it: x.encode("utf-8", "replace").decode()',
            ) from None
    return str.__str__(value)  # of an enumeration, too, the text and not the name


def _integer(value: int, path: str) -> int:
    if value.bit_length() > MAX_INT_BITS:
        raise NotJsonError(f"{_short(path)} is an integer of {value.bit_length()} bits, too long for JSON", "str(x)")
    return value


def _number(value: float, path: str) -> float:
    if not math.isfinite(value):
        raise NotJsonError(f"{_short(path)} is {value}, which JSON cannot carry", "use None for a missing number")
    return value


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise NotJsonError(
            f"{_short(path)} has the key {_short(repr(key))} of type {type(key).__name__}; JSON keys are strings",
            "str(key)",
        )
    return _text(key, f"{path} (a key)")


def _short(text: str) -> str:
    clean = text.encode("utf-8", "backslashreplace").decode()
    return clean if len(clean) <= 200 else f"{clean[:120]}…{clean[-60:]}"


def select_outputs(value: object, outputs: Collection[str]) -> dict[str, Any]:
    """Return the declared outputs of a result, in the declared order; everything if none is declared.

    Raises:
        NotJsonError: The result is not a dict or lacks a declared output.
    """
    if not isinstance(value, dict):
        hint = "end it with `return {...}`" if value is None else "return a dict of the outputs"
        raise NotJsonError(f"main returned {type(value).__name__}, not a dict", hint)
    if not outputs:
        return dict(value)
    missing = [name for name in outputs if name not in value]
    if missing:
        keys = ", ".join(_short(str(key)) for key in list(value)[:40]) or "an empty dict"
        listed = ", ".join(repr(name) for name in missing)
        raise NotJsonError(f"main did not return {listed}; it returned: {keys}", "return every declared output")
    return {name: value[name] for name in outputs}


def dump(value: object) -> bytes:
    """Write a plain value as compact JSON."""
    return dumps(value, allow_nan=False, separators=(",", ":")).encode()


def parse(data: bytes) -> Json:
    """Read JSON from an untrusted source, strictly.

    Raises:
        NotJsonError: Malformed, too deep, not UTF-8, NaN, or numbers beyond a float.
    """
    try:
        value = loads(data.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as exc:
        raise NotJsonError(f"not valid JSON: {_short(str(exc))}") from exc
    return to_json_value(value, "reply")


def _refuse(name: str) -> Json:
    msg = f"{name} is not JSON"
    raise ValueError(msg)
