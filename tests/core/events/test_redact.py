"""No secret survives, in any spelling; nothing else is touched."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from awp_core.events.redact import Redactor

KEY = "sk-Ab9/x+Q7=zz"
ODD = 'pä"ss\\wo\nrd & 100%'


def redactor(*values: object) -> Redactor:
    return Redactor({f"S{index}": value for index, value in enumerate(values)})


def test_without_secrets_the_same_object_comes_back():
    value = {"a": [1, "x"]}
    nothing = Redactor({})
    assert nothing.enabled is False
    assert nothing.clean(value) is value
    assert nothing.text("text") == "text"


def test_without_a_hit_the_same_object_comes_back():
    value = {"a": [1, "x", None, True, 2.5]}
    assert redactor(KEY).enabled is True
    assert redactor(KEY).clean(value) is value


def test_only_what_changes_is_copied():
    value = {"clean": {"x": [1]}, "dirty": [f"key {KEY}!", "kept"]}
    cleaned = redactor(KEY).clean(value)
    assert cleaned == {"clean": {"x": [1]}, "dirty": ["key [REDACTED]!", "kept"]}
    assert cleaned["clean"] is value["clean"]
    assert value["dirty"][0] == f"key {KEY}!"


def test_replaces_every_occurrence_in_keys_and_in_depth():
    value = {f"id-{KEY}": {"deep": [{"x": f"{KEY},{KEY}"}]}, KEY: 1}
    assert redactor(KEY).clean(value) == {
        "id-[REDACTED]": {"deep": [{"x": "[REDACTED],[REDACTED]"}]},
        "[REDACTED]": 1,
    }


def test_two_keys_that_become_alike_are_both_kept():
    assert redactor("first-secret", "other-secret").clean({"first-secret": 1, "other-secret": 2}) == {
        "[REDACTED]": 1,
        "[REDACTED] (2)": 2,
    }


@pytest.mark.parametrize("secret", [KEY, ODD, "ключ-секрет", "a/b c", "🙂🙂🙂🙂"])
@pytest.mark.parametrize(
    "encode",
    [
        str,
        lambda s: json.dumps(s),
        lambda s: json.dumps(s, ensure_ascii=False),
        lambda s: json.dumps({"inner": json.dumps([s])}),
        lambda s: json.dumps(s).replace("/", "\\/"),
        lambda s: quote(s),
        lambda s: quote(s, safe=""),
        lambda s: quote_plus(s),
        repr,
        lambda s: base64.b64encode(s.encode()).decode(),
        lambda s: base64.b64encode(s.encode()).decode().rstrip("="),
        lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
        lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    ],
)
def test_replaces_every_spelling(secret, encode):
    spelled = encode(secret)
    shown = redactor(secret).text(f"before {spelled} after")
    assert "[REDACTED]" in shown
    assert spelled.strip("\"'") not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


def test_replaces_url_escapes_in_lower_case():
    assert redactor("a/b:c+d").text("x=a%2fb%3ac%2bd&y") == "x=[REDACTED]&y"
    assert redactor("a/b:c+d").text("x=a%2Fb%3Ac%2Bd&y") == "x=[REDACTED]&y"


@pytest.mark.parametrize("before", [b"", b"u", b"us", b"use", b"user:"])
@pytest.mark.parametrize("after", [b"", b"!", b"!!", b"!!!"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("secret", [b"hunter2-\xc3\xbf\xc3\xbe", b"abcd", b"0123456789"])
def test_base64_at_every_alignment_leaves_no_bit_of_the_secret(before, after, encode, secret):
    encoded = encode(before + secret + after).decode()
    shown = redactor(secret.decode()).text(encoded)
    left, mark, right = shown.partition("[REDACTED]")
    assert mark
    # What is left on each side must be whole characters of the neighbours alone.
    assert len(left) <= len(before) * 8 // 6
    assert len(right.rstrip("=")) <= -(-len(after) * 8 // 6)


def test_an_overlap_of_two_secrets_leaves_no_rest():
    assert redactor("abcdef", "defghi").text("-abcdefghi-") == "-[REDACTED]-"


def test_the_longer_of_two_secrets_wins():
    assert redactor("token", "token-long").text("token-long token") == "[REDACTED] [REDACTED]"


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("abc", "abc", "[REDACTED]"),
        ("abc", "x abc, (abc)", "x [REDACTED], ([REDACTED])"),
        ("abc", "abcd xabc a_abc", "abcd xabc a_abc"),
        ("abc", "key=abc\nabc", "key=[REDACTED]\n[REDACTED]"),
        ("x", "x ex x1", "[REDACTED] ex x1"),
        ("ab", "b64 YWI= and YWI", "b64 [REDACTED] and [REDACTED]"),
        ("a b", "a b c", "[REDACTED] c"),
        ("!?", 'what!? "!?"', 'what[REDACTED] "[REDACTED]"'),
    ],
)
def test_a_short_secret_is_replaced_as_a_whole_token_only(secret, text, shown):
    assert redactor(secret).text(text) == shown


def test_a_short_secret_after_a_line_break_is_found_inside_a_value():
    assert redactor("abc").clean({"x": "\nabc"}) == {"x": "\n[REDACTED]"}


def test_a_number_equal_to_a_secret_is_replaced():
    assert redactor("1234", 98765).clean({"pin": 1234, "n": 12345, "other": [98765], "f": 1234.5}) == {
        "pin": "[REDACTED]",
        "n": 12345,
        "other": ["[REDACTED]"],
        "f": 1234.5,
    }


def test_small_numbers_booleans_and_null_are_left_alone():
    value = {"attempt": 1, "flag": True, "nothing": None, "n": 12}
    assert redactor("1", "12", "True", "None").clean(value) == value


@pytest.mark.parametrize("empty", ["", "  ", "\n", None])
def test_an_empty_secret_replaces_nothing(empty):
    assert redactor(empty).enabled is False
    assert redactor(empty).text("some text") == "some text"


def test_a_secret_read_from_a_file_is_found_without_its_line_end():
    assert redactor("s3cret-value\n").text("got s3cret-value.") == "got [REDACTED]."


def test_each_long_line_of_a_key_is_a_secret():
    key = "-----BEGIN-----\nMIIEowIBAAKCAQEA1234\nshort\nqrstuvwxyzABCDEFGHIJ\n-----END-----"
    assert redactor(key).text("line: qrstuvwxyzABCDEFGHIJ") == "line: [REDACTED]"
    assert redactor(key).text("short") == "short"
    assert redactor(key.replace("\n", "\r\n")).text(f"<{key}>") == "<[REDACTED]>"


@pytest.mark.parametrize("value", ["x", 7, True, None, ["a"], {"b": {"c": 1}}])
def test_a_sensitive_field_is_replaced_whatever_it_holds(value):
    fields = Redactor({}).field(["ssn"])
    assert fields.enabled is True
    assert fields.clean({"user": {"ssn": value, "name": "Ann"}}) == {"user": {"ssn": "[REDACTED]", "name": "Ann"}}


def test_a_field_with_another_name_is_left_alone():
    value = {"ssn_hint": "none", "text": "the ssn"}
    assert Redactor({}).field(["ssn"]).clean(value) == value


def test_the_value_of_a_sensitive_field_is_replaced_elsewhere_from_then_on():
    fields = Redactor({}).field(["ssn"])
    first = fields.clean({"note": "it is 078-05-1120", "ssn": "078-05-1120", "more": {"ssn": ["inner-value", 4711]}})
    assert first == {"note": "it is [REDACTED]", "ssn": "[REDACTED]", "more": {"ssn": "[REDACTED]"}}
    assert fields.text("later 078-05-1120 and inner-value") == "later [REDACTED] and [REDACTED]"
    assert fields.clean({"n": 4711}) == {"n": "[REDACTED]"}


def test_a_short_value_of_a_sensitive_field_is_not_remembered():
    fields = Redactor({}).field(["answer"])
    assert fields.clean({"answer": "no"}) == {"answer": "[REDACTED]"}
    assert fields.text("no problem") == "no problem"


def test_adding_fields_keeps_the_secrets_and_the_original():
    original = redactor(KEY)
    both = original.field(["ssn"]).field(["pin"])
    assert both.clean({"ssn": 1, "pin": 2, "x": KEY}) == {
        "ssn": "[REDACTED]",
        "pin": "[REDACTED]",
        "x": "[REDACTED]",
    }
    assert original.clean({"ssn": 1}) == {"ssn": 1}


def test_what_cannot_be_serialised_is_searched_all_the_same():
    marker = object()
    value = {"bad": "\ud800", "nan": float("nan"), "object": marker, "tuple": ("a", KEY), "set": None}
    cleaned = redactor(KEY).clean(value)
    assert cleaned["tuple"] == ["a", "[REDACTED]"]
    assert cleaned["object"] is marker


def test_a_secret_that_is_not_unicode_is_replaced_too():
    odd = redactor("pass\udcffword")
    assert odd.clean({"x": "a pass\udcffword", "y": 1}) == {"x": "a [REDACTED]", "y": 1}
    assert odd.text(repr("pass\udcffword")) == "'[REDACTED]'"


def test_what_is_nested_too_deep_to_look_at_is_replaced():
    value: object = KEY
    for _ in range(5_000):
        value = [value]
    assert KEY not in repr_of(redactor(KEY).clean(value))


def repr_of(value: object) -> str:
    while isinstance(value, list):
        value = value[0]
    return repr(value)


@given(st.text(min_size=4), st.text(), st.text())
def test_no_text_contains_the_secret_afterwards(secret, before, after):
    assume(len(secret.strip()) >= 4 and secret.strip() not in "[REDACTED]")
    shown = redactor(secret).text(before + secret + after)
    assert secret.strip() not in shown.replace("[REDACTED]", "\0")
