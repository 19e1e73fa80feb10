"""Operators and functions of expressions, each strict in its types and bounded in its result."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from awp_core.expressions.conditions import compare, describe, is_number
from awp_core.expressions.syntax import ExpressionError

JSON = Any
Operation = Callable[[JSON, JSON], JSON]
MAX_BITS: Final = 4_096  # of an integer result, more than 1,200 digits
MAX_LENGTH: Final = 100_000  # of a joined text or list
MAX_PLACES: Final = 20  # of `round`


def compare_by(op: str, *, negate: bool = False) -> Callable[[JSON, JSON], bool]:
    """Return a comparison (`awp_core.expressions.conditions`) as a function of two values."""
    return lambda left, right: compare(op, left, right) is not negate


def _calculate(sign: str, apply: Operation) -> Operation:
    """Make an operation accept numbers only, and give a finite and bounded number."""

    def calculate(left: JSON, right: JSON) -> JSON:
        if not (is_number(left) and is_number(right)):
            raise ExpressionError(f"cannot calculate {describe(left)} {sign} {describe(right)}", hint="numbers only")
        try:
            return _bounded(apply(left, right))
        except ZeroDivisionError as exc:
            raise ExpressionError(f"{describe(left)} {sign} 0 is a division by zero") from exc
        except OverflowError as exc:
            raise _too_large() from exc

    return calculate


def _add(left: JSON, right: JSON) -> JSON:
    if isinstance(left, str | list) and type(left) is type(right):
        if len(left) + len(right) > MAX_LENGTH:
            raise ExpressionError(f"the two together are longer than {MAX_LENGTH:,}")
        return operator.add(left, right)
    return _add_numbers(left, right)


def _power(left: JSON, right: JSON) -> JSON:
    """Raise to a power whose size is known to be bounded before it is computed."""
    if isinstance(left, int) and isinstance(right, int):
        if right < 0:
            return float(left) ** right
        if left.bit_length() * right > MAX_BITS and abs(left) > 1:
            raise _too_large()
        return left**right
    result = float(left) ** float(right)
    if isinstance(result, complex):
        raise ExpressionError(f"{describe(left)} ** {describe(right)} is no real number")
    return result


def _bounded(number: JSON) -> JSON:
    if isinstance(number, int):
        if number.bit_length() > MAX_BITS:
            raise _too_large()
    elif not math.isfinite(number):
        raise _too_large()
    return number


def _too_large() -> ExpressionError:
    return ExpressionError("the number becomes too large", hint=f"at most {MAX_BITS:,} bits, and no infinity")


def _negate(value: JSON) -> JSON:
    if not is_number(value):
        raise ExpressionError(f"cannot negate {describe(value)}", hint="for the opposite of a condition write `not`")
    return -value


def _plus(value: JSON) -> JSON:
    return value if is_number(value) else -_negate(value)


def _len(value: JSON) -> int:
    if not isinstance(value, str | list | Mapping):
        raise ExpressionError(f"{describe(value)} has no length", hint="text, lists and mappings have")
    return len(value)


def _extreme(name: str, op: str) -> Callable[..., JSON]:
    def extreme(*values: JSON) -> JSON:
        items = _items(name, values[0]) if len(values) == 1 else list(values)
        if not items:
            raise ExpressionError(f"{name} of an empty list", hint="test its `len` first")
        best = items[0]
        compare(op, best, best)  # a single value must have an order too
        for item in items[1:]:
            if compare(op, item, best):
                best = item
        return best

    return extreme


def _abs(value: JSON) -> JSON:
    if not is_number(value):
        raise ExpressionError(f"abs of {describe(value)}", hint="it takes a number")
    return abs(value)


def _round(value: JSON, places: JSON = None) -> JSON:
    if not is_number(value):
        raise ExpressionError(f"round of {describe(value)}", hint="it takes a number")
    if places is None:
        return round(value)
    if isinstance(places, bool) or not isinstance(places, int) or abs(places) > MAX_PLACES:
        raise ExpressionError(f"round to {describe(places)} places", hint=f"a whole number up to {MAX_PLACES}")
    try:
        return round(value, places)
    except OverflowError as exc:
        raise _too_large() from exc


def _any(values: JSON) -> bool:
    return any(_items("any", values))


def _all(values: JSON) -> bool:
    return all(_items("all", values))


def _sum(values: JSON) -> JSON:
    total: JSON = 0
    for item in _items("sum", values):
        total = _add_numbers(total, item)
    return total


def _items(name: str, values: JSON) -> list[JSON]:
    if not isinstance(values, list):
        raise ExpressionError(f"{name} of {describe(values)}", hint="it takes a list")
    return values


_add_numbers = _calculate("+", operator.add)

BINARY: Final[dict[type[ast.AST], Operation]] = {
    ast.Add: _add,
    ast.Sub: _calculate("-", operator.sub),
    ast.Mult: _calculate("*", operator.mul),
    ast.Div: _calculate("/", operator.truediv),
    ast.FloorDiv: _calculate("//", operator.floordiv),
    ast.Mod: _calculate("%", operator.mod),
    ast.Pow: _calculate("**", _power),
}
UNARY: Final[dict[type[ast.AST], Callable[[JSON], JSON]]] = {
    ast.Not: operator.not_,
    ast.USub: _negate,
    ast.UAdd: _plus,
}
FUNCTIONS: Final[dict[str, Callable[..., JSON]]] = {
    "len": _len,
    "min": _extreme("min", "<"),
    "max": _extreme("max", ">"),
    "abs": _abs,
    "round": _round,
    "any": _any,
    "all": _all,
    "sum": _sum,
}
