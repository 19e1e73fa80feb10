"""JSON values: the check, the writers and the strict reader."""

from __future__ import annotations

import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awp_core.values import ValueProblem, canonical_json, check_json, digest, dump_json, load_json, shorten

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "path", "what"),
    [
        ({"rows": [1, 2, 3, {"x": float("nan")}]}, "value.rows[3].x", "nan"),
        ({"x": float("inf")}, "value.x", "inf"),
        ([float("-inf")], "value[0]", "-inf"),
        ({"a": {1: 2}}, "value.a", "key 1 of type int"),
        ({"a": {None: 2}}, "value.a", "key None"),
        ({"a b": (1, 2)}, 'value["a b"]', "tuple"),
        ({"a": {1, 2}}, "value.a", "set"),
        (b"bytes", "value", "bytes"),
        ({"a": object()}, "value.a", "object"),
        (["ok", "\ud800"], "value[1]", "half a character"),
        ({"\udfff": 1}, "value", "half a character"),
        ({"n": 10**4000}, "value.n", "4,000 digits"),
        (-(10**4000), "value", "4,000 digits"),
    ],
)
def test_names_the_path_of_what_is_not_json(value, path, what):
    with pytest.raises(ValueProblem) as caught:
        check_json(value)
    assert caught.value.message.startswith(f"{path} ")
    assert what in caught.value.message


def test_names_the_value_as_the_caller_calls_it():
    with pytest.raises(ValueProblem, match=r"^draft\.score is nan"):
        check_json({"score": float("nan")}, "draft")


@pytest.mark.parametrize("value", [None, True, 0, -1, 1.5, "", "ä 🙂", [], {}, 2**70, 10**3999, nested(200)])
def test_accepts_every_kind_of_json(value):
    check_json(value)


def test_refuses_what_is_too_deep_and_what_contains_itself():
    with pytest.raises(ValueProblem, match="200 levels"):
        check_json(nested(201))
    mappings: object = 1
    for _ in range(201):
        mappings = {"a": mappings}
    with pytest.raises(ValueProblem, match="200 levels"):
        check_json(mappings)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueProblem, match="200 levels"):
        check_json(loop)


@given(JSON)
def test_what_was_written_reads_back_equal(value):
    check_json(value)
    assert load_json(dump_json(value)) == value
    assert load_json(canonical_json(value)) == value


def test_canonical_json_sorts_keys_and_writes_utf8_without_spaces():
    assert canonical_json({"b": [1, 2.5], "a": "ä"}) == '{"a":"ä","b":[1,2.5]}'.encode()


def test_canonical_json_does_not_depend_on_the_order_of_keys():
    assert canonical_json({"x": {"b": 1, "a": 2}}) == canonical_json({"x": {"a": 2, "b": 1}})


def test_dump_json_keeps_the_order_of_keys_on_one_line():
    assert dump_json({"b": "ä\n", "a": None}) == '{"b":"ä\\n","a":null}'.encode()


def test_dump_json_writes_tuples_and_other_mappings():
    assert dump_json({"t": (1, 2), "m": types.MappingProxyType({"k": 1})}) == b'{"t":[1,2],"m":{"k":1}}'


@pytest.mark.parametrize("value", [{"x": float("nan")}, [float("inf")], {"t": (float("-inf"),)}])
def test_dump_json_rejects_nan_and_infinities(value):
    with pytest.raises(ValueProblem):
        dump_json(value)


def test_dump_json_accepts_the_words_nan_and_infinity_as_text():
    assert dump_json(["NaN", "-Infinity"]) == b'["NaN","-Infinity"]'


@pytest.mark.parametrize("value", ["\ud800", object(), nested(100_000)])
def test_dump_json_maps_every_failure_to_one_error(value):
    with pytest.raises(ValueProblem):
        dump_json(value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": NaN}', "NaN"),
        ("-Infinity", "-Infinity"),
        ("1e999", "inf"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a": 1', "line 1, column 8"),
        ('{"a": 1} x', "column 10"),
        ("", "column 1"),
        ('"\\ud800"', "half a character"),
        ("1" * 5000, "4,000 digits"),
        ("[" * 100_000, "levels deep"),
        ("[" * 300 + "]" * 300, "levels deep"),
        (b'"\xff"', "not UTF-8"),
    ],
)
def test_load_json_is_strict(text, what):
    with pytest.raises(ValueProblem, match=what):
        load_json(text)


def test_load_json_reads_bytes_and_text_alike():
    assert load_json(b'{"a":[1,2.0,"\xc3\xa4",null,true]}') == {"a": [1, 2.0, "ä", None, True]}
    assert load_json(' "x" ') == "x"


def test_digest_is_sha256_in_hex():
    assert digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_shorten_says_how_long_the_text_was():
    assert shorten("x" * 12_345, 2) == "xx… (12,345 characters in all)"
    assert shorten("short") == "short"
