"""Values of expressions."""

from __future__ import annotations

import subprocess
import sys

import pytest

from awp_core.expressions.evaluate import Expression
from awp_core.expressions.syntax import ExpressionError

STATE = {
    "triage": {"category": "bug", "score": 0.5, "tags": ["a", "b"], "_loop_iterations": 3, "none": None},
    "rows": [{"x": 1}, {"x": 2}],
    "topic": "a node",
    "flag": True,
}
INPUTS = {"topic": "birds", "limit": 3, "order": {"id": 7}}
ENV = {"REGION": "eu"}


def value(text: str) -> object:
    return Expression.parse(text).evaluate(STATE, INPUTS, ENV)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state.triage.category == 'bug'", True),
        ('state["triage"]["category"]', "bug"),
        ("triage.category", "bug"),
        ("topic", "birds"),
        ("state.topic", "a node"),
        ("inputs.topic", "birds"),
        ("order.id + 1", 8),
        ("env.REGION == 'eu'", True),
        ("state.triage._loop_iterations", 3),
        ("rows[0].x", 1),
        ("rows[-1].x", 2),
        ("rows[2]", None),
        ("rows[-2].x", 1),
        ("rows[-3]", None),
        ("'abc'[1]", "b"),
        ("state.missing", None),
        ("state.missing.field.deeper", None),
        ("state.missing[0]", None),
        ("unknown", None),
        ("unknown.field == null", True),
        ("state.triage.none is None", True),
        ("state.triage is not null", True),
        ("true and not false", True),
        ("True == true", True),
        ("flag == 1", False),
        ("limit == 3.0", True),
        ("1 < limit <= 3", True),
        ("3 < limit < 1", False),
        ("'a' in state.triage.tags", True),
        ("'c' not in state.triage.tags", True),
        ("'category' in state.triage", True),
        ("triage.category in ['bug', 'crash']", True),
        ("triage.category in ('crash', 'idea')", False),
        ("[1, 2] == (1, 2)", True),
        ("len(rows) * 2 - 1", 3),
        ("7 // 2 + 7 % 4 + 7 / 2", 9.5),
        ("2 ** 10", 1024),
        ("2 ** -1", 0.5),
        ("+limit - -limit", 6),
        ("min(3, 1, 2) + max([4, 5])", 6),
        ("max(['a', 'b'])", "b"),
        ("abs(-2)", 2),
        ("round(2.567, 1)", 2.6),
        ("round(2.4)", 2),
        ("any([false, 0, 1])", True),
        ("all([true, ''])", False),
        ("sum([1, 2, 3.5])", 6.5),
        ("sum([])", 0),
        ("len(state.triage)", 5),
        ("'a' + 'b'", "ab"),
        ("[1] + [2]", [1, 2]),
        ("(state.triage.missing or 0) > 0.3", False),
        ("(state.triage.score or 0) > 0.3", True),
        ("\n  state.triage.score > 0.3\n  and limit == 3\n", True),
        ("'ä' == 'ä' # a comment", True),
    ],
)
def test_evaluates(text, expected):
    result = value(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("state.missing > 3", "null > number 3"),
        ("topic < 3", 'text "birds" < number 3'),
        ("flag > 0", "boolean true > number 0"),
        ("'x' in state.missing", 'text "x" in null'),
        ("topic.name", "'name' cannot be read"),
        ("rows.x", "a list of 2 has no fields"),
        ("topic + 1", 'text "birds" + number 1'),
        ("rows['x']", 'no index text "x"'),
    ],
)
def test_what_cannot_be_compared_is_an_error_and_not_false(text, what):
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert what in caught.value.message
    assert caught.value.message.startswith(repr(text))


def test_the_second_operand_is_not_evaluated_when_the_first_decides():
    assert value("state.missing != null and state.missing > 3") is False
    assert value("true or state.missing > 3") is True


def test_an_expression_knows_its_names_and_paths():
    expression = Expression.parse("state.triage.category == 'x' and limit > 1 and state.rows")
    assert expression.text == "state.triage.category == 'x' and limit > 1 and state.rows"
    assert expression.names == ("state", "limit")
    assert expression.paths == (("state", "triage", "category"), ("limit",), ("state", "rows"))


def test_an_expression_is_a_value_that_can_be_used_many_times():
    expression = Expression.parse("state.n > 1")
    assert [expression.evaluate({"n": n}, {}, {}) for n in (1, 2, 0)] == [False, True, False]
    assert expression == Expression.parse("state.n > 1")
    with pytest.raises(AttributeError):
        expression.text = "other"  # type: ignore[misc]


def test_large_data_is_not_walked_by_a_lookup():
    class Untouchable(list):
        def __iter__(self):
            raise AssertionError("walked")

    assert Expression.parse("len(state.big) == 3").evaluate({"big": Untouchable([1, 2, 3])}, {}, {}) is True


def test_parsing_does_not_import_simpleeval():
    code = (
        "import sys; from awp_core.expressions.evaluate import Expression; Expression.parse('a.b > 1'); "
        "assert 'simpleeval' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
