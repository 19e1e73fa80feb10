"""Comparisons of JSON values. What cannot be compared is an error, never a silent false (spec 02).

Equality is that of JSON. `1` equals `1.0`, but `true` does not equal `1`, nor does `"1"`. Order exists
between two numbers and between two texts, and nowhere else; booleans and null have none.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from awp_core.errors import AwpError

JSON = Any
OPERATORS: Final = ("==", "!=", ">", ">=", "<", "<=", "contains", "in")
_ORDER: Final[Mapping[str, Callable[[JSON, JSON], bool]]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip
_SHOWN: Final = 40  # characters of a value in a message


class ComparisonError(AwpError):
    """Two values that cannot be compared in this way; names both and their types."""


def compare(op: str, left: JSON, right: JSON) -> bool:
    """Compare two JSON values.

    Args:
        op: One of `OPERATORS`. In `contains` the left value contains the right, in `in` the other way round.
        left: The value on the left.
        right: The value on the right.

    Raises:
        ComparisonError: The operator is unknown, or has no meaning for values of these types.
    """
    if op == "==":
        return equal(left, right)
    if op == "!=":
        return not equal(left, right)
    if op in _ORDER:
        if not (is_number(left) and is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
            raise _incomparable(op, left, right)
        return _ORDER[op](left, right)
    if op == "contains":
        return _contains(op, left, right, container=left, item=right)
    if op == "in":
        return _contains(op, left, right, container=right, item=left)
    raise ComparisonError(f"there is no comparison {op!r:.40}", hint=f"use one of {' '.join(OPERATORS)}")


def equal(left: JSON, right: JSON) -> bool:
    """Whether two values are the same JSON, at any depth; `1` and `1.0` are, `true` and `1` are not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal(item, right[key]) for key, item in left.items())
    return bool(left == right)


def is_number(value: JSON) -> bool:
    """Whether a value is a JSON number; a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def describe(value: JSON) -> str:
    """Render a value with its JSON type for a message, bounded.

    >>> describe("draft"), describe(None), describe([1, 2])
    ('text "draft"', 'null', 'a list of 2')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, str):
        text = json.dumps(value[:_SHOWN], ensure_ascii=False)
        return f"text {text}" if len(value) <= _SHOWN else f"text {text[:-1]}…"
    if isinstance(value, int):
        shown = str(value) if abs(value) < 10**_SHOWN else f"of about {value.bit_length() * 0.30103:.0f} digits"
        return f"number {shown}"
    if isinstance(value, float):
        return f"number {value!r}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return f"a mapping of {len(value)}"
    return f"a {type(value).__name__}"


def _contains(op: str, left: JSON, right: JSON, *, container: JSON, item: JSON) -> bool:
    if isinstance(container, list):
        return any(equal(item, element) for element in container)
    if isinstance(container, str | Mapping) and isinstance(item, str):
        return item in container
    raise _incomparable(op, left, right)


def _incomparable(op: str, left: JSON, right: JSON) -> ComparisonError:
    hint = (
        "order exists between two numbers or two texts" if op in _ORDER else "a list, a text or a mapping can contain"
    )
    if left is None or right is None:
        hint = f"null is what a missing path gives; {hint}"
    return ComparisonError(f"cannot evaluate {describe(left)} {op} {describe(right)}", hint=hint)
