"""Attacks on the expression language, each refused before or during evaluation, and what its errors say."""

from __future__ import annotations

import ast

import pytest

from awp_core.expressions.evaluate import Expression
from awp_core.expressions.syntax import CALLS, ExpressionError, parse_expression, paths_of

REFUSED_BY_THE_PARSER = [
    "().__class__",
    "state.__class__",
    "state.__class__.__mro__[1].__subclasses__()",
    "state.a.__init__.__globals__",
    '"a".format(state)',
    '"{0.__class__}".format(state)',
    '"a".upper()',
    "state.get('a')",
    "[x for x in [1]]",
    "{x for x in [1]}",
    "{x: 1 for x in [1]}",
    "sum(x for x in [1])",
    "(y := 1)",
    "lambda: 1",
    "(lambda: 1)()",
    "__import__('os')",
    "__import__",
    "__builtins__",
    "eval('1')",
    "exec('1')",
    "open('/etc/passwd')",
    "getattr(state, 'a')",
    "globals()",
    "type(state)",
    "print(1)",
    'f"{state}"',
    "1 << 10**9",
    "1 >> 1",
    "~1",
    "1 | 2",
    "1 & 2",
    "1 ^ 2",
    "a @ b",
    "1 if true else 2",
    "{'a': 1}",
    "{1, 2}",
    "{**state}",
    "[*state]",
    "max(*state)",
    "round(1, ndigits=2)",
    "len(**state)",
    "len()(1)",
    "len.__self__",
    "state.a[0:10]",
    "state.a[::]",
    "b'bytes'",
    "1j",
    "...",
    "1e999",
    "yield 1",
    "await state",
    "state._\uff3fclass__",
    "state.\uff3f\uff3fclass\uff3f\uff3f",
    "state._\uff3f\uff43lass__",
    "\uff3f\uff3fimport\uff3f\uff3f('os')",
    "\uff45\uff56\uff41\uff4c('1')",
    "'\\ud800'",
    "import os",
    "a = 1",
    "a; b",
    "del state",
    "state.a = 1",
    "1) + (2",
    "len\n(",
    "'" + "a" * 3000 + "'",
    "1" * 2001,
    "-" * 1999 + "1",
    "not " * 400 + "a",
    "(" * 250 + "1" + ")" * 250,
    "[" * 101 + "]" * 101,
    "a" + ".a" * 101,
    "a" + "[0]" * 101,
    "1" + "+1" * 101,
    "a\x00b",
    "\ud800",
    "",
    "  \n ",
    "# only a comment",
    "a # and\nb",
]


@pytest.mark.parametrize("text", REFUSED_BY_THE_PARSER)
def test_refuses_to_parse(text):
    with pytest.raises(ExpressionError):
        Expression.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "2**100000",
        "(2**4000) * (2**4000)",
        "10.0**400",
        "1e308 * 10",
        "(-8) ** 0.5",
        '"a" * 10**9',
        "10**9 * 'a'",
        "[1] * 1000",
        '"%1000000000d" % 1',
        "inputs.long + inputs.long",
        "inputs.rows + inputs.rows",
        "sum([[1], [2]])",
        "sum([[[[]]]])",
        'sum(["a", "b"])',
        "round(1, -1000000000)",
        "round(1.7e308, -20) * 10",
        "1 / 0",
        "1 // 0",
        "1 % 0",
        "0 ** -1",
        "2 ** inputs.long",
        "abs([1])",
        "-'a'",
        "true + 1",
        "len(5)",
        "min([])",
        "max(1, 'a')",
        "any(inputs.long)",
        "inputs.long.upper",
        "inputs.rows.append",
        "inputs.rows['0']",
        "inputs.rows[true]",
        "inputs[0]",
    ],
)
def test_refuses_to_evaluate(text):
    expression = Expression.parse(text)
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate({}, {"long": "x" * 60_000, "rows": [0] * 60_000}, {})
    assert len(str(caught.value)) < 600


def test_a_class_is_not_reached_by_a_string_key_either():
    assert Expression.parse('state["__class__"]').evaluate({"a": 1}, {}, {}) is None


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("state.a ==", 11),
        ("  state.a = 1", 11),
        ("a and (b", 7),
        ("1 == eval('x')", 6),
        ("'ä' == [x for x in y]", 8),
    ],
)
def test_an_error_names_the_column(text, column):
    with pytest.raises(ExpressionError, match=rf"column {column}\b"):
        Expression.parse(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a && b", "'and'"),
        ("a || b", "'or'"),
        ("!a", "'not'"),
        ("a <> b", "'!='"),
        ("a === b", "'=='"),
        ("a = b", "'=='"),
        ("a b", "state.triage.urgent == true"),
    ],
)
def test_other_spellings_are_explained(text, hint):
    with pytest.raises(ExpressionError) as caught:
        Expression.parse(text)
    assert hint in caught.value.hint


def test_a_misspelt_function_is_recognised():
    with pytest.raises(ExpressionError, match="did you mean len"):
        Expression.parse("lenn(state)")


@pytest.mark.parametrize("text", ["len()", "len(1, 2)", "round(1, 2, 3)", "any()", "min()"])
def test_a_wrong_number_of_arguments_is_found_when_parsing(text):
    with pytest.raises(ExpressionError, match="argument"):
        Expression.parse(text)


@pytest.mark.parametrize("text", [None, 5, True, ["a"]])
def test_what_is_not_text_is_refused(text):
    with pytest.raises(ExpressionError, match="must be text"):
        Expression.parse(text)


@pytest.mark.parametrize("text", ["'\\d' == a", "1if a else 2", "1 is 1", "1in [1]"])
def test_odd_spellings_raise_no_warning(text):
    try:
        Expression.parse(text)
    except ExpressionError:
        assert "else" in text


def test_paths_are_listed_once_in_order():
    tree = parse_expression('state.b.x > 1 and inputs.a["k"][0] in state.b.x and len(topic) and state[env.N].y != true')
    assert paths_of(tree) == (
        ("state", "b", "x"),
        ("inputs", "a", "k", "0"),
        ("topic",),
        ("env", "N"),
        ("state",),
    )


def test_every_callable_function_is_implemented():
    from awp_core.expressions.arithmetic import FUNCTIONS

    assert set(FUNCTIONS) == set(CALLS) == {"len", "min", "max", "abs", "round", "any", "all", "sum"}


def test_parsing_gives_a_plain_tree():
    assert isinstance(parse_expression("a.b"), ast.Attribute)
