"""Comparisons by JSON semantics."""

from __future__ import annotations

import pytest

from awp_core.errors import AwpError
from awp_core.expressions.conditions import OPERATORS, ComparisonError, compare, describe


def test_the_operators_are_those_of_the_specification():
    assert OPERATORS == ("==", "!=", ">", ">=", "<", "<=", "contains", "in")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (False, 0, False),
        (True, True, True),
        (None, None, True),
        (None, False, False),
        (None, 0, False),
        ("1", 1, False),
        ("a", "a", True),
        ("a", "A", False),
        ([1, {"x": 2}], [1.0, {"x": 2.0}], True),
        ([1], [True], False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        ([], {}, False),
        ("", None, False),
    ],
)
def test_equality_is_that_of_json(left, right, same):
    assert compare("==", left, right) is same
    assert compare("!=", left, right) is not same


@pytest.mark.parametrize(
    ("op", "left", "right", "result"),
    [
        (">", 3, 2.5, True),
        (">", 2, 2, False),
        (">=", 2, 2.0, True),
        ("<", "apple", "banana", True),
        ("<=", "b", "a", False),
        ("<", -1, 0, True),
        ("contains", [1, "x"], "x", True),
        ("contains", [1], True, False),
        ("contains", [[1, 2]], [1, 2.0], True),
        ("contains", "urgent request", "urgent", True),
        ("contains", {"a": 1}, "a", True),
        ("contains", {"a": 1}, "b", False),
        ("in", "x", ["x", "y"], True),
        ("in", 1, [True], False),
        ("in", None, [None], True),
        ("in", "rg", "urgent", True),
        ("in", "a", {"a": 1}, True),
    ],
)
def test_compares(op, left, right, result):
    assert compare(op, left, right) is result


@pytest.mark.parametrize("op", [">", ">=", "<", "<="])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("5", 3),
        (3, "5"),
        (None, 3),
        (3, None),
        (True, 0),
        (1, False),
        ([1], [2]),
        ({}, {}),
        (None, None),
        ([], 1),
    ],
)
def test_order_between_other_types_is_an_error(op, left, right):
    with pytest.raises(ComparisonError):
        compare(op, left, right)


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        ("contains", None, "x"),
        ("contains", 12, 1),
        ("contains", "text", 1),
        ("contains", {"1": 1}, 1),
        ("in", "x", None),
        ("in", 1, "text 1"),
        ("in", "a", 5),
        ("in", None, {"a": 1}),
    ],
)
def test_what_cannot_contain_is_an_error(op, left, right):
    with pytest.raises(ComparisonError):
        compare(op, left, right)


def test_the_message_names_both_values_and_types():
    with pytest.raises(ComparisonError) as caught:
        compare("<", "12", 5)
    assert caught.value.message == 'cannot evaluate text "12" < number 5'
    assert "two numbers or two texts" in caught.value.hint


def test_the_hint_explains_where_null_comes_from():
    with pytest.raises(ComparisonError) as caught:
        compare(">", None, 3)
    assert caught.value.message == "cannot evaluate null > number 3"
    assert "missing path" in caught.value.hint


def test_an_unknown_operator_is_named():
    with pytest.raises(AwpError, match="'=~'"):
        compare("=~", 1, 1)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('say "hi"\n', r'text "say \"hi\"\n"'),
        ("x" * 41, 'text "' + "x" * 40 + "…"),
        (False, "boolean false"),
        (1.5, "number 1.5"),
        (10**3000, "number of about 3000 digits"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "a mapping of 1"),
    ],
)
def test_values_in_messages_are_quoted_and_bounded(value, shown):
    assert describe(value) == shown
