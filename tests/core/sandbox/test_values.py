"""Which values are JSON, and the path of the first that is not."""

from __future__ import annotations

import datetime as dt
import decimal
import enum

import pytest

from awp_core.sandbox.inside.values import NotJsonError, dump, parse, select_outputs, to_json_value


class Colour(str, enum.Enum):  # noqa: UP042 - its str() is the name, unlike that of StrEnum
    RED = "red"


def test_builds_plain_values_from_subclasses_and_tuples():
    class Count(int):
        pass

    value = to_json_value({"a": (1, [Count(2)]), Colour.RED: True}, "result")
    assert value == {"a": [1, [2]], "red": True}
    assert type(value["a"][1][0]) is int


@pytest.mark.parametrize(
    ("value", "problem", "hint"),
    [
        ({"rows": [{}, {"x": float("-inf")}]}, "result.rows[1].x is -inf", "None"),
        ({"when": dt.date(2020, 1, 1)}, "result.when is a datetime.date", ".isoformat()"),
        ({"x": {1, 2}}, "result.x is a set", "sorted(x)"),
        ({"x": b"a"}, "result.x is a bytes", ".decode()"),
        ({"x": decimal.Decimal("1.5")}, "result.x is a decimal.Decimal", "float(x)"),
        ({"x": print}, "result.x is a builtin_function_or_method", ""),
        ({"x": {None: 1}}, "result.x has the key None of type NoneType", "str(key)"),
        ({"x": {True: 1}}, "result.x has the key True of type bool", "str(key)"),
    ],
)
def test_names_path_type_and_a_way_out(value, problem, hint):
    with pytest.raises(NotJsonError) as caught:
        to_json_value(value, "result")
    assert problem in caught.value.problem
    assert hint in caught.value.hint


def test_numpy_scalars_become_equal_numbers_and_arrays_are_refused():
    numpy = pytest.importorskip("numpy")
    value = to_json_value({"i": numpy.int64(2**62), "f": numpy.float32(0.1), "b": numpy.bool_(False)}, "result")
    assert value == {"i": 2**62, "f": float(numpy.float32(0.1)), "b": False}
    assert [type(item) for item in value.values()] == [int, float, bool]
    with pytest.raises(NotJsonError, match=r"result\.x is a numpy\.ndarray") as caught:
        to_json_value({"x": numpy.arange(3)}, "result")
    assert ".tolist()" in caught.value.hint
    with pytest.raises(NotJsonError, match=r"result\.x is nan"):
        to_json_value({"x": numpy.float64("nan")}, "result")


def test_a_hundred_levels_pass_and_one_more_does_not():
    deep = 0
    for _ in range(100):
        deep = [deep]
    assert to_json_value(deep, "result") == deep
    with pytest.raises(NotJsonError, match="nested deeper than 100"):
        to_json_value([deep], "result")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b"NaN",
        b"[Infinity]",
        b"1e999",
        b"[" * 100_000,
        b"9" * 5000,
        b'"\\ud800"',
        b'{"a":1}x',
        b"null null",
    ],
)
def test_refuses_bytes_that_are_not_strict_json(data):
    with pytest.raises(NotJsonError):
        parse(data)


def test_what_is_dumped_is_parsed_to_the_same():
    value = {"a": [1, 2.5, None, True, "ü\n\u2028"], "b": {}}
    assert parse(dump(value)) == value


def test_outputs_come_in_the_declared_order_without_the_others():
    assert list(select_outputs({"b": 1, "c": {1}, "a": 2}, ("a", "b"))) == ["a", "b"]
