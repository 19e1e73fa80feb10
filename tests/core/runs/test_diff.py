"""`awp diff`: two runs compared node by node (spec 08)."""

from __future__ import annotations

import json

import pytest

from awp_core.again import finished, replay
from awp_core.app import App
from awp_core.browse import compared
from awp_core.cli.main import main

FLOW = """
awp: "1.0.0"
workflow: {name: said, version: "1.0.0", description: Says something.}
inputs: {who: {type: string, default: Ada}}
orchestration:
  graph:
    - {id: fixed, type: static, value: {a: 1, b: 2}}
    - {id: told, type: answer, text: "Hello {{inputs.who}}", depends_on: [fixed]}
"""


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return App(environ={}, directory=tmp_path)


def run(app, text=FLOW, **inputs):
    return app.start(app.load_text(text, "said"), inputs).wait()


def places(before, after):
    return [difference.where for difference in compared(before, after)[0]]


def test_two_runs_of_the_same_are_the_same(app):
    one, two = run(app), run(app)
    found, text = compared(one, two)
    assert found == []
    assert text == f"runs {one.id} and {two.id} are the same: inputs, every node, result"


def test_another_input_shows_where_it_matters(app, capsys):
    one, two = run(app), run(app, who="Bob")
    assert places(one, two) == ["inputs", "told", "result"]
    assert main(["diff", one.id, two.id]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:4] == [
        f"runs {one.id} (-) and {two.id} (+) differ at 3 places",
        "inputs: given",
        '  - {"who":"Ada"}',
        '  + {"who":"Bob"}',
    ]
    assert main(["diff", one.id, one.id]) == 0


def test_a_node_that_only_one_run_has_is_absent_in_the_other(app):
    more = FLOW + "    - {id: extra, type: static, value: 1}\n"
    one, two = run(app), run(app, more)
    (extra,) = [difference for difference in compared(one, two)[0] if difference.where == "extra"]
    assert (extra.before, extra.after) == (("absent", None), ("finished", 1))
    assert places(two, one)[0] == "extra"


def test_true_and_one_differ_and_the_order_of_keys_does_not(app):
    one = run(app)
    assert places(one, run(app, FLOW.replace("{a: 1, b: 2}", "{b: 2, a: 1}"))) == []
    assert places(one, run(app, FLOW.replace("a: 1", "a: true"))) == ["fixed"]


def test_a_failure_is_compared_with_an_output(app):
    broken = FLOW.replace(
        "type: static, value: {a: 1, b: 2}", "type: code, source: 'def main(): return 1 / 0', on_failure: continue"
    )
    _, text = compared(run(app), run(app, broken))
    assert "fixed: finished -> failed\n" in text
    assert "ZeroDivisionError" in text


def test_the_same_failure_of_a_nested_run_is_the_same(app, tmp_path):
    """Though it names the nested run, whose id is new each time."""
    (tmp_path / "bad.awp.yaml").write_text(
        'awp: "1.0.0"\nworkflow: {name: bad, version: "1.0.0", description: Fails.}\n'
        "orchestration: {graph: [{id: it, type: code, source: 'def main(): return 1 / 0'}]}\n"
    )
    nesting = FLOW.replace("type: static, value: {a: 1, b: 2}", "type: subworkflow, subworkflow: bad.awp.yaml")
    one, two = run(app, nesting), run(app, nesting)
    assert (one.nodes["fixed"].status, one.nodes["fixed"].error == two.nodes["fixed"].error) == ("failed", False)
    assert places(one, two) == []
    assert finished(one, replay(app, one)).differences == []


def test_json_holds_both_sides(app, capsys):
    one, two = run(app), run(app, who="Bob")
    assert main(["diff", one.id, two.id, "--json"]) == 1
    body = json.loads(capsys.readouterr().out)
    assert (body["before"], body["after"]) == (one.id, two.id)
    assert body["differences"][0] == {
        "where": "inputs", "before": ["given", {"who": "Ada"}], "after": ["given", {"who": "Bob"}],
    }  # fmt: skip


def test_control_characters_of_a_value_are_not_obeyed(app, capsys):
    one, two = run(app), run(app, who="\x1b[2J")
    assert main(["diff", one.id, two.id]) == 1
    assert "\x1b" not in capsys.readouterr().out
