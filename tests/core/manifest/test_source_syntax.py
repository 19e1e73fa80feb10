"""Spec 01, Processing order 1, and the YAML traps: errors in plain words at the right place."""

import pytest

from awp_core.manifest.scanner import has_libyaml
from awp_core.manifest.source import parse_document

CASES = [
    # text, line, column, part of the message, part of the hint
    ("a:\n\tb: 1\n", 2, 1, "tab", "spaces"),
    ("a:\n  - b\n\t- c\n", 3, 1, "tab", "spaces"),
    ("a: 1\nkey: value\t\n", 2, 11, "tab", "spaces"),
    ("a:\t1\n", 1, 3, "tab", "spaces"),
    ("a: [b,\tc]\n", 1, 7, "tab", "spaces"),
    ("a: {{ name }}\n", 1, 4, "'{{'", "quotes"),
    ("a: {{ name }} more\n", 1, 4, "'{{'", "'{{ name }}'"),
    ("a: {% if x %}\n", 1, 5, "'%'", "'{{ name }}'"),
    ("a: 1\nname:value\nb: 1\n", 2, 5, "no space after ':'", "'key: value'"),
    ("name:value\nb: 1\n", 1, 5, "no space after ':'", "'key: value'"),
    ("a:\u00a01\nb: 2\n", 1, 2, "no space after ':'", "non-breaking space"),
    ("a: 1\nb\nc: 2\n", 2, 1, "neither 'key: value' nor '- item'", "'key: value'"),
    ("b\nc: 2\n", 1, 1, "no ':'", "'key: value'"),
    ("say: Hello: world\n", 1, 11, "second ': '", "quotes"),
    ("a: 1\n  b: 2\n", 2, 3, "indented deeper", "line it up"),
    ("a:\n  b: 1\n c: 2\n", 3, 2, "indentation", "line it up"),
    ("  a: 1\nb: 2\n", 2, 1, "does not belong", "line it up"),
    ("a: 1\n- b\n", 2, 1, "list item among keys", "line it up"),
    ("- a\nb: 1\n", 2, 1, "key among list items", "line it up"),
    ("a: 'x\nb: 1\n", 1, 4, "never closed", "close"),
    ('a: "x\nb: 1\n', 1, 4, "never closed", "close"),
    ("a: 'it's'\n", 1, 8, "after a closing quote", "''"),
    ("a: [1, 2\nb: 3\n", 1, 4, "bracket opened here", "missing bracket"),
    ("a: {x: 1\nb: 3\n", 1, 4, "bracket opened here", "missing bracket"),
    ("a: 1\nx: [1,\n", 2, 4, "before this bracket is closed", "missing bracket"),
    ("a: 1\n]\n", 2, 1, "closes no bracket", "quotes"),
    ("a: @x\n", 1, 4, "cannot start with '@'", "quotes"),
    ("a: %x\n", 1, 4, "cannot start with '%'", "quotes"),
    ("%x: 1\n", 1, 1, "cannot start with '%'", "quotes"),
    ("a: `x`\n", 1, 4, "cannot start with '`'", "quotes"),
    ("a: *.py\n", 1, 4, "cannot start with '*'", "quotes"),
    ("a: & b\n", 1, 4, "cannot start with '&'", "quotes"),
    ("a: - b\n", 1, 4, "list cannot start", "new line"),
    ("a: | text\n  b\n", 1, 6, "no text may follow", "next line"),
    ('a: "C:\\users\\x"\n', 1, 9, "escape", "single quotes"),
    ('a: "\\d+"\n', 1, 6, "'d'", "single quotes"),
    ('a: "\\UFFFFFFFF"\n', 1, 5, "no character", "single quotes"),
    ("a: {[1]: x}\n", 1, 5, "cannot be a key", "quotes"),
    ("a: [x: y: z]\n", 1, 4, "bracket", "quotes"),
]  # fmt: skip


@pytest.mark.parametrize("use_libyaml", [True, False], ids=["libyaml", "pure"])
@pytest.mark.parametrize(("text", "line", "column", "message", "hint"), CASES, ids=[repr(case[0]) for case in CASES])
def test_says_what_is_wrong_and_where(text, line, column, message, hint, use_libyaml):
    if use_libyaml and not has_libyaml():
        pytest.skip("PyYAML was built without libyaml")
    (finding,) = parse_document(text, "f", use_libyaml=use_libyaml).problems
    assert finding.rule == "M6"
    assert (finding.location.line, finding.location.column) == (line, column)
    assert message in finding.message
    assert hint in finding.hint


def test_warns_when_a_path_in_double_quotes_holds_an_escape():
    document = parse_document('a: "C:\\new"\n', "f")
    assert document.data == {"a": "C:\new"}
    (finding,) = document.problems
    assert finding.severity == "warning"
    assert "single quotes" in finding.hint


def test_tabs_inside_text_are_fine():
    document = parse_document("a: |\n  x\ty\n  \tz\nb: 'x\ty'\n# a\tcomment\n", "f")
    assert document.problems == ()
    assert document.data == {"a": "x\ty\n\tz\n", "b": "x\ty"}
