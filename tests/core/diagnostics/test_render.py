"""Spec 09: findings as text with a caret, and as JSON."""

import pytest

from awp_core.diagnostics.model import Finding, Location, Severity
from awp_core.diagnostics.render import render_text, rule_url, to_json


def finding(line="    type: agnet", column=11, **changes):
    values = {
        "rule": "N1",
        "severity": Severity.ERROR,
        "message": "unknown node type 'agnet'",
        "location": Location("flow.awp.yaml", 7, column),
        "hint": "did you mean 'agent'?",
        "source_line": line,
    }
    return Finding(**{**values, **changes})


def excerpt(line, column):
    """Return the shown source line and the caret line, without the margin."""
    _, shown, caret, *_ = render_text([finding(line, column)]).split("\n")
    return shown.removeprefix("   7 | "), caret.removeprefix("     | ")


def test_shows_a_finding_like_a_compiler():
    assert render_text([finding()]) == (
        "flow.awp.yaml:7:11: error N1: unknown node type 'agnet'\n"
        "   7 |     type: agnet\n"
        "     |           ^^^^^\n"
        "hint: did you mean 'agent'?\n"
        "1 error"
    )


def test_leaves_out_what_a_finding_does_not_have():
    assert render_text([finding("", hint="", severity=Severity.INFO)]) == (
        "flow.awp.yaml:7:11: info N1: unknown node type 'agnet'\n1 info"
    )


@pytest.mark.parametrize(
    ("severities", "summary"),
    [
        ("", "no findings"),
        ("e", "1 error"),
        ("eww", "1 error, 2 warnings"),
        ("eewi", "2 errors, 1 warning, 1 info"),
        ("ii", "2 info"),
    ],
)
def test_ends_with_a_summary(severities, summary):
    kinds = {"e": Severity.ERROR, "w": Severity.WARNING, "i": Severity.INFO}
    text = render_text([finding(severity=kinds[letter]) for letter in severities])
    assert text.split("\n")[-1] == summary


@pytest.mark.parametrize(
    ("line", "column", "caret"),
    [
        ("deps_on: [a]", 1, "^^^^^^^"),
        ("a: 'b c' # x", 4, "   ^^^^^"),
        ('a: "b c" # x', 4, "   ^^^^^"),
        ("a: [first, second]", 12, "           ^^^^^^"),
        ("a: agents/writer", 4, "   ^^^^^^^^^^^^^"),
        ("a: [b]", 4, "   ^"),
        ("abc", 4, "   ^"),
        ("abc", 99, "   ^"),
        ("a: 'open", 4, "   ^"),
    ],
)
def test_underlines_the_word_at_the_column(line, column, caret):
    assert excerpt(line, column) == (line, caret)


def test_shows_a_tab_as_four_columns():
    assert excerpt("\tname: x", 8) == ("    name: x", "          ^")


def test_wide_characters_take_two_columns():
    assert excerpt("漢字: 漢 x", 5) == ("漢字: 漢 x", "      ^^")


def test_combining_characters_take_none():
    assert excerpt("e\u0301: x", 5) == ("e\u0301: x", "   ^")


def test_cuts_a_long_line_around_the_column():
    shown, caret = excerpt("x " * 200 + "here " + "y " * 200, 401)
    assert len(shown) == 102
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert shown[caret.index("^") :].startswith("here ")
    assert caret.strip() == "^^^^"


def test_cuts_a_long_line_of_wide_characters_under_the_caret():
    shown, caret = excerpt("漢" * 100 + " here " + "y " * 50, 102)
    left = shown[: shown.index("here")]
    assert left.startswith("…漢")
    # One column for the ellipsis, two for each wide character, one for the blank.
    assert caret.index("^") == 1 + 2 * left.count("漢") + 1


def test_cuts_only_the_end_when_the_column_is_near_the_start():
    shown, caret = excerpt("key: " + "z" * 500, 1)
    assert shown == "key: " + "z" * 95 + "…"
    assert caret == "^^^"


def test_the_caret_never_leaves_the_shown_piece():
    shown, caret = excerpt("a: " + "z" * 500, 4)
    assert len(caret) <= len(shown)


def test_makes_control_characters_visible():
    hostile = finding(
        "a: \x1b[31mred\x07",
        4,
        message="bad \x1b]0;title\x07 \u202egnp",
        location=Location("f\n1:1: error X: fake", 1, 4),
        hint="\x9b31m",
    )
    text = render_text([hostile])
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    assert text.split("\n")[0] == "f␊1:1: error X: fake:1:4: error N1: bad ␛]0;title␇ \\u202egnp"


def test_indents_further_lines_of_a_message():
    lines = render_text([finding(message="one\nf:1:1: error N1: two")]).split("\n")
    assert lines[1] == "  f:1:1: error N1: two"


def test_colours_only_when_asked():
    assert "\x1b" not in render_text([finding()])
    assert "\x1b[1;31merror\x1b[0m" in render_text([finding()], color=True)
    assert "\x1b[1;33m^^^^^\x1b[0m" in render_text([finding(severity=Severity.WARNING)], color=True)


def test_gives_the_json_form():
    assert to_json([finding(), finding(severity=Severity.WARNING, rule="financial:F1", hint="")]) == {
        "findings": [
            {
                "rule": "N1",
                "severity": "error",
                "file": "flow.awp.yaml",
                "line": 7,
                "column": 11,
                "message": "unknown node type 'agnet'",
                "hint": "did you mean 'agent'?",
                "url": "docs/rules.md#n1",
            },
            {
                "rule": "financial:F1",
                "severity": "warning",
                "file": "flow.awp.yaml",
                "line": 7,
                "column": 11,
                "message": "unknown node type 'agnet'",
                "hint": "",
                "url": "",
            },
        ],
        "summary": {"errors": 1, "warnings": 1, "infos": 0},
    }


def test_links_only_rules_of_this_project():
    assert rule_url("R8b") == "docs/rules.md#r8b"
    assert rule_url("spec:R13") == ""
