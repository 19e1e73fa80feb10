"""How a magic line is split, dispatched and refused."""

from __future__ import annotations

import pytest

from awp_core.errors import NotFoundError, UsageError
from awp_magics.command import commands, read_inputs, split_line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run flow name=Ada", ["run", "flow", "name=Ada"]),
        ("  spaced   out ", ["spaced", "out"]),
        ('name="Ada Lovelace"', ["name=Ada Lovelace"]),
        ("name='it''s'", ["name=it's'"]),
        ("it's", ["it's"]),
        ('note="say \\"hi\\""', ['note=say "hi"']),
        ('data={"a": [1, {"b": "c d"}]} next', ['data={"a": [1, {"b": "c d"}]}', "next"]),
        ("data={not json}", ["data={not", "json}"]),
        ("price=$5 brace={x}", ["price=$5", "brace={x}"]),
        ('--reply=approve="yes please"', ['--reply=approve="yes', 'please"']),
        ("", []),
    ],
)
def test_splits_a_line_into_words(line, words):
    assert split_line(line) == words


def test_a_quote_that_is_never_closed_is_refused():
    with pytest.raises(UsageError, match="the quote before 'Ada' is never closed"):
        split_line('name="Ada')


def test_a_dollar_takes_the_value_of_a_variable_and_nothing_else_is_expanded():
    rows = [{"a": 1}]
    texts, values = read_inputs(split_line("rows=$rows price=$5 both=$rows$rows quoted='$rows'"), {"rows": rows})
    assert texts == {"price": "$5", "both": "$rows$rows", "quoted": "$rows"}
    assert values == {"rows": rows}
    assert values["rows"] is rows


def test_an_unknown_variable_names_the_nearest():
    with pytest.raises(NotFoundError, match="did you mean 'rows'"):
        read_inputs(["data=$row"], {"rows": 1})


def test_every_command_has_a_summary_and_a_parser_that_can_print_its_help():
    names = "audit cancel chat diff doctor export fork graph list replay reply resume run runs show validate wait"
    assert " ".join(sorted(commands())) == names
    for command in commands().values():
        assert command.summary
        assert f"%awp {command.name}" in command.parser().format_help()


def test_an_unknown_sub_command_names_the_nearest(fail):
    error = fail("%awp runn hello")
    assert isinstance(error, UsageError)
    assert str(error) == "%awp has no sub-command 'runn'\nhint: did you mean %awp run?"


def test_an_unknown_option_names_the_nearest(fail):
    assert str(fail("%awp run hello --provder stub")) == (
        "%awp run does not know '--provder'\nhint: did you mean --provider?"
    )


def test_a_missing_argument_is_said(fail):
    assert "NAME" in str(fail("%awp run"))


def test_the_overview_names_every_command(do, capsys):
    do("%awp")
    printed = capsys.readouterr().out
    assert all(f"%awp {name} " in printed for name in commands())


@pytest.mark.parametrize("line", ["%awp help run", "%awp run --help", "%awp run hello -h"])
def test_help_of_a_command_names_its_options(do, capsys, line):
    do(line)
    assert "--background" in capsys.readouterr().out
