"""Hostile text made harmless."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awp_core.graph.labels import cells, clean, pixels, shorten, shorten_to_pixels


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain_id", "plain_id"),
        ("two\nlines\tand\x00nul", "two␊lines␉and␀nul"),
        ("del\x7f c1\x85", "del␡ c1\\u0085"),
        ("gpj\u202e.exe", "gpj\\u202e.exe"),
        ("\u2066isolate\u2069", "\\u2066isolate\\u2069"),
        ("half \ud800 pair", "half \\ud800 pair"),
        ("not \uffff a character", "not \\uffff a character"),
        ("line\u2028separator", "line\\u2028separator"),
        ("日本語", "日本語"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 4),
    ],
)
def test_makes_controls_visible_and_keeps_words(text, shown):
    assert clean(text) == shown


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=400))
def test_nothing_dangerous_survives_whatever_the_text(text):
    shown = clean(text)
    assert not {unicodedata.category(char) for char in shown.replace("\u200c", "").replace("\u200d", "")} & {
        "Cc", "Cf", "Cs", "Zl", "Zp",
    }  # fmt: skip
    shown.encode("utf-8")


def test_wide_characters_take_two_columns_and_accents_none():
    assert (cells("abc"), cells("日本"), cells("e\u0301")) == (3, 4, 1)


@given(st.text(max_size=40), st.integers(1, 30))
def test_shortened_text_fits(text, most):
    assert cells(shorten(clean(text), most)) <= most


@given(st.text(max_size=40), st.integers(20, 200))
def test_text_shortened_to_pixels_fits(text, most):
    assert pixels(shorten_to_pixels(clean(text), most, 11), 11) <= most


def test_cuts_before_a_wide_character_that_would_not_fit_whole():
    assert shorten("日本語", 4) == "日…"
