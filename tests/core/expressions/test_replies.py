"""Replies: booleans fail closed, everything else says what it expects."""

from __future__ import annotations

import subprocess
import sys

import pytest

from awp_core.errors import ReplyError
from awp_core.expressions.replies import Reply, coerce_reply

NO = (
    "no n nope not never false 0 cancel stop abort reject rejected deny denied decline declined dont cant "
    "cannot wont wouldnt nein nicht nie niemals kein keine"
)
YES = "yes y yep yup true 1 ok okay sure confirm confirmed ja"


@pytest.mark.parametrize("word", NO.split())
def test_every_negative_word_is_no(word):
    assert coerce_reply("boolean", word) == Reply(False, True, "")
    assert coerce_reply("boolean", f"yes, {word.upper()}!") == Reply(False, True, "")


@pytest.mark.parametrize("word", YES.split())
def test_every_positive_word_is_yes(word):
    assert coerce_reply("boolean", word) == Reply(True, True, "")
    assert coerce_reply("boolean", f"Well... {word.title()}, go") == Reply(True, True, "")


@pytest.mark.parametrize(
    "text",
    [
        "not ok",
        "I don't think that is ok",
        "I don\u2019t, sure",
        "can't say yes",
        "ok? no.",
        "wouldn\u2019t say yes",
        "ja, aber NICHT heute",
        "keine Ahnung, ok",
        "yes\nno",
        "yes-no",
        "yes_no",
        "\uff4e\uff4f, yes",
        "don`t, yes",
        "don\u00b4t, yes",
        "don\uff07t, yes",
    ],
)
def test_a_negative_word_anywhere_wins(text):
    assert coerce_reply("boolean", text) == Reply(False, True, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "maybe",
        "yesterday",
        "nothing",
        "okey-dokey",
        "10",
        "jawohl",
        "👍",
        "know",
        "approve",
        "yess",
    ],
)
def test_what_matches_no_word_is_an_unrecognised_no(text):
    reply = coerce_reply("boolean", text)
    assert (reply.value, reply.recognised) == (False, False)
    assert "counts as no" in reply.note


@pytest.mark.parametrize(("raw", "value"), [(True, True), (False, False), (1, True), (0, False), (1.0, True)])
def test_real_booleans_are_taken_as_they_are(raw, value):
    assert coerce_reply("boolean", raw) == Reply(value, True, "")


@pytest.mark.parametrize("raw", [None, 2, -1, 1.5, ["yes"], {"answer": True}])
def test_other_values_are_an_unrecognised_no(raw):
    reply = coerce_reply("boolean", raw)
    assert reply.value is False
    assert reply.recognised is False


def test_a_note_does_not_repeat_a_long_reply():
    assert len(coerce_reply("boolean", "hm" * 10_000).note) < 120


@pytest.mark.parametrize("kind", ["text", "string"])
def test_text_is_taken_as_it_is(kind):
    assert coerce_reply(kind, "  two\nlines ").value == "  two\nlines "
    assert coerce_reply(kind, "").value == ""
    assert coerce_reply(kind, {"a": 1}).value == '{"a":1}'


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("3", 3),
        (" 3.5 ", 3.5),
        ("-2", -2),
        ("+.5", 0.5),
        ("1e3", 1000.0),
        (7, 7),
        (1.5, 1.5),
        ("0003", 3),
        ("5.", 5.0),
    ],
)
def test_reads_numbers(raw, value):
    result = coerce_reply("number", raw).value
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    "raw",
    ["", "three", "nan", "NaN", "inf", "-Infinity", "1e999", "1_000", "0x10", "1 2", "٣", "--1", "5€", None, True,
     [1], "9" * 500, float("nan"), float("inf")],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_rejects_what_is_no_number(kind, raw):
    with pytest.raises(ReplyError):
        coerce_reply(kind, raw)


@pytest.mark.parametrize("kind", ["number", "integer"])
def test_a_decimal_comma_is_explained(kind):
    with pytest.raises(ReplyError) as caught:
        coerce_reply(kind, "1,5")
    assert caught.value.hint == "write a dot: 1.5"


@pytest.mark.parametrize("raw", ["3", 3, 3.0, "3.0", "0.3e1"])
def test_integer_accepts_whole_numbers_in_any_spelling(raw):
    value = coerce_reply("integer", raw).value
    assert value == 3
    assert type(value) is int


@pytest.mark.parametrize("raw", ["3.5", 3.5, "1e-1"])
def test_integer_rejects_a_fraction(raw):
    with pytest.raises(ReplyError, match="not a whole number"):
        coerce_reply("integer", raw)


def test_a_range_is_named():
    limits = {"minimum": 1, "maximum": 10}
    assert coerce_reply("integer", "10", schema=limits).value == 10
    with pytest.raises(ReplyError, match="11 is greater than the maximum of 10"):
        coerce_reply("integer", "11", schema=limits)


OPTIONS = ["Approve", "Reject", "no", "Ask again"]


@pytest.mark.parametrize(
    ("raw", "value"),
    [("Approve", "Approve"), (" approve ", "Approve"), ("NO", "no"), ("ask AGAIN", "Ask again")],
)
def test_a_choice_is_one_of_the_options_whatever_its_case(raw, value):
    assert coerce_reply("choice", raw, OPTIONS).value == value


@pytest.mark.parametrize("raw", ["1", 1, "", "App", "Approve or Reject", None, True])
def test_a_choice_rejects_anything_else_and_lists_the_options(raw):
    with pytest.raises(ReplyError) as caught:
        coerce_reply("choice", raw, OPTIONS)
    assert caught.value.hint == "choose one of: Approve, Reject, no, Ask again"


def test_a_choice_prefers_the_exact_case_and_refuses_two_that_fit():
    assert coerce_reply("choice", "ok", ["OK", "ok"]).value == "ok"
    with pytest.raises(ReplyError):
        coerce_reply("choice", "Ok", ["OK", "ok"])


def test_a_choice_gives_the_option_with_its_own_type():
    assert coerce_reply("choice", "2", [1, 2]).value == 2
    assert coerce_reply("choice", "true", [True, False]).value is True


def test_a_choice_without_options_is_an_error_of_the_question():
    with pytest.raises(ReplyError, match="no options"):
        coerce_reply("choice", "a")


SCHEMA = {
    "type": "object",
    "required": ["name", "rows"],
    "properties": {
        "name": {"type": "string"},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
    },
}


@pytest.mark.parametrize("raw", ['{"name": "a", "rows": [{"x": 1}]}', {"name": "a", "rows": [{"x": 1}]}])
def test_a_form_is_an_object_or_its_json_text(raw):
    assert coerce_reply("form", raw, schema=SCHEMA).value == {"name": "a", "rows": [{"x": 1}]}


def test_a_form_lists_every_error_with_its_path():
    with pytest.raises(ReplyError) as caught:
        coerce_reply("form", {"name": 5, "rows": [{"x": 1}, {"x": "y"}]}, schema=SCHEMA)
    assert "name: 5 is not of type 'string'" in caught.value.message
    assert "rows.1.x: 'y' is not of type 'number'" in caught.value.message


def test_a_form_lists_ten_errors_and_counts_the_rest():
    schema = {"required": [f"f{index}" for index in range(13)]}
    with pytest.raises(ReplyError, match="and 3 more"):
        coerce_reply("form", {}, schema=schema)


@pytest.mark.parametrize("raw", ["name: a", "[1]", "5", "", '{"a": NaN}', '{"a": 1, "a": 2}', [1], 5, None, True])
def test_a_form_rejects_what_is_no_object(raw):
    with pytest.raises(ReplyError) as caught:
        coerce_reply("form", raw, schema=SCHEMA)
    assert "a JSON object is expected" in caught.value.hint


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"$ref": "#/missing"},
        {"properties": {"a": {"pattern": "("}}},
        {"$ref": "#"},
    ],
)
def test_a_wrong_schema_is_an_error_and_nothing_is_fetched(schema):
    with pytest.raises(ReplyError, match="own schema is wrong"):
        coerce_reply("form", {"a": "b"}, schema=schema)


# jsonschema would read it with this warning, which as an error would hide that it does.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_schema_in_another_file_is_not_read(tmp_path):
    other = tmp_path / "schema.json"
    other.write_text('{"type": "object"}')
    with pytest.raises(ReplyError, match="own schema is wrong"):
        coerce_reply("form", {"a": "b"}, schema={"$ref": other.as_uri()})


@pytest.mark.parametrize("kind", ["text", "boolean", "number", "choice", "form"])
def test_a_reply_that_is_too_long_is_rejected(kind):
    with pytest.raises(ReplyError, match="100,001 characters"):
        coerce_reply(kind, "y" * 100_001, ["y"])


@pytest.mark.parametrize("raw", ["\ud800", {"a": float("nan")}, (1, 2), {1: 2}])
def test_a_reply_that_is_not_json_is_rejected(raw):
    with pytest.raises(ReplyError, match="the reply"):
        coerce_reply("text", raw)


def test_an_unknown_type_names_the_nearest():
    with pytest.raises(ReplyError) as caught:
        coerce_reply("bolean", "yes")
    assert caught.value.hint == "did you mean 'boolean'?"


def test_jsonschema_is_imported_only_for_a_schema():
    code = (
        "import sys; from awp_core.expressions.replies import coerce_reply; coerce_reply('form', {}); "
        "assert 'jsonschema' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
