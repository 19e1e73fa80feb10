"""What is said about code without running it."""

from __future__ import annotations

import pytest

from awp_core.errors import CodeError
from awp_core.sandbox.check import Parameter, check_source


def test_finds_the_parameters_of_main_and_which_have_defaults():
    entry = check_source("import os\n\ndef main(a, b=2, *, c, d=4, **rest):\n    return {}\n", first_line=10)
    assert entry.line == 12
    assert entry.parameters == (
        Parameter("a", False),
        Parameter("b", True),
        Parameter("c", False),
        Parameter("d", True),
    )
    assert entry.takes_any


def test_says_what_is_missing_and_what_is_unknown():
    entry = check_source("def main(a, b=2):\n    return {}\n")
    assert entry.missing(frozenset({"b", "x"})) == ["a"]
    assert entry.unknown(frozenset({"b", "x"})) == ["x"]


def test_any_name_is_known_to_a_main_with_keyword_arguments():
    assert check_source("def main(**rest):\n    return {}\n").unknown(frozenset({"x"})) == []


def test_runs_nothing_of_the_source():
    check_source("raise SystemExit\ndef main():\n    return {}\n")


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("x = 1\n", "no top-level `def main", 0),
        ("class C:\n    def main(self): pass\n", "no top-level `def main", 0),
        ("def main(): return {}\n\ndef main(): return {}\n", "on lines 5 and 7", 7),
        ("async def main(): return {}\n", "main is async", 5),
        ("def main(a, /): return {}\n", "positional-only", 5),
        ("def main():\n    return {\n", "SyntaxError: '{' was never closed", 6),
        ("def main():\n    x = = 1\n", "SyntaxError: invalid syntax", 6),
        ("return 1\n", "SyntaxError: 'return' outside function", 5),
        ("def main():\nreturn {}\n", "IndentationError", 6),
        ("x = '\0'\n", "null bytes", None),
        ("(" * 5000, "too many nested parentheses", None),
        ("x = " + "-" * 200_000 + "1", "", None),
        ("def main(): return {}\n" + "#" * 2_000_000, "longer than 1048576 characters", 0),
    ],
)
def test_rejects_with_the_line_of_the_cell(source, message, line):
    with pytest.raises(CodeError) as caught:
        check_source(source, "cell 3", 5)
    assert message in caught.value.message
    if line is not None:
        assert caught.value.line == line


def test_a_syntax_error_shows_the_line_and_where_in_it():
    with pytest.raises(CodeError) as caught:
        check_source("def main():\n    x = = 1\n", "cell 3", 5)
    assert caught.value.traceback == '  File "cell 3", line 6\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n'


def test_a_doubtful_escape_is_no_error():
    check_source("def main():\n    return {'x': '\\d'}\n")
