"""`awp fork`: a new run of the workflow as it is now, with what the old one finished taken over (spec 08)."""

from __future__ import annotations

import json

import pytest

from awp_core.again import fork
from awp_core.app import App
from awp_core.cli.main import main
from awp_core.errors import EngineUnavailableError, NotFoundError, UsageError

FLOW = """
awp: "1.0.0"
workflow: {name: forked, version: "1.0.0", description: To be tried again.}
inputs: {who: {type: string, default: Ada}}
orchestration:
  graph:
    - {id: draft, type: agent, agent: writer}
    - id: choose
      type: route
      depends_on: [draft]
      cases:
        - {id: short, when: {selector: draft.words, op: "<", value: 5}}
        - {id: long, default: true}
    - {id: cut, type: static, value: cut, depends_on: [choose], branch: long}
    - {id: keep, type: static, value: keep, depends_on: [choose], branch: short}
    - {id: ask, type: ask_human, prompt: Fine?, expect: {field: ok, type: boolean}, depends_on: [draft]}
    - {id: told, type: answer, text: "{{draft.text}} {{ask.ok}} {{who}}", depends_on: [cut, keep, ask]}
"""


@pytest.fixture
def calls():
    return []


@pytest.fixture
def app(tmp_path, calls):
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)

    @app.functions.agent("writer")
    async def writer():
        calls.append(1)
        return {"text": f"Draft {len(calls)}", "words": 2}

    (tmp_path / "forked.awp.yaml").write_text(FLOW)
    return app


@pytest.fixture
def run(app):
    run = app.start(app.load("forked"), replies={"ask": "yes"}).wait()
    assert run.result == "Draft 1 true Ada"
    return run


def test_what_does_not_depend_on_the_node_is_taken_over(app, run, calls):
    again = fork(app, run, ["told"]).wait()
    assert again.result == "Draft 1 true Ada"
    assert len(calls) == 1
    assert again.id != run.id
    events = list(again.events())
    assert [event.node for event in events if event.type == "node.started"] == ["told"]
    assert {event.node for event in events if event.data.get("reused")} == {"draft", "choose", "keep", "ask"}
    assert again.nodes["cut"].status == "skipped"
    about = json.loads((again.folder / "run_manifest.json").read_bytes())
    assert (about["origin"], about["replay"]) == (run.id, False)


def test_the_node_and_everything_below_it_run_again(app, run, calls):
    again = fork(app, run, ["draft"], replies={"ask": "no"}).wait()
    assert again.result == "Draft 2 false Ada"
    assert len(calls) == 2
    assert run.result == "Draft 1 true Ada"  # the old run is what it was


def test_a_question_below_is_asked_again(app, run):
    again = fork(app, run, ["draft"]).wait()
    assert [question.node for question in again.questions] == ["ask"]


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"draft.text": "Mine"}, "Mine true Ada"),
        ({"ask": {"ok": False, "raw_reply": "n"}}, "Draft 1 false Ada"),
        ({"inputs.who": "Bob"}, "Draft 1 true Bob"),
        ({"draft.text": "Mine", "inputs.who": "Bob"}, "Mine true Bob"),
    ],
)
def test_a_recorded_value_can_be_changed(app, run, changes, result):
    assert fork(app, run, ["told"], changes).wait().result == result


def test_a_changed_choice_opens_the_other_branch(app, run):
    again = fork(app, run, ["cut", "keep"], {"choose.case": "long"}).wait()
    assert {name: node.status for name, node in again.nodes.items()} == {
        "draft": "finished", "choose": "finished", "cut": "finished", "keep": "skipped", "ask": "finished",
        "told": "finished",
    }  # fmt: skip


def test_the_workflow_is_the_one_that_is_there_now(app, run, tmp_path):
    (tmp_path / "forked.awp.yaml").write_text(FLOW.replace('text: "{{draft.text}}', 'text: "New: {{draft.text}}'))
    assert fork(app, run, ["told"]).wait().result == "New: Draft 1 true Ada"


def test_a_changed_node_that_is_taken_over_is_told(app, run, tmp_path):
    (tmp_path / "forked.awp.yaml").write_text(FLOW.replace("prompt: Fine?", "prompt: Really?"))
    again = fork(app, run, ["told"]).wait()
    log = (again.folder / "nodes" / "_run" / "log.txt").read_text()
    assert log == "warning: 'ask' was changed since, but its recorded output is used\n"


def test_a_paused_or_failed_run_can_be_forked_too(app, tmp_path, calls):
    parked = app.start(app.load("forked")).wait()
    again = fork(app, parked, ["told"], replies={"ask": "yes"}).wait()
    assert again.result == "Draft 1 true Ada"
    assert parked.status == "paused"


def test_what_cannot_be_changed_is_refused_before_anything_starts(app, run):
    before = len(app.runs())
    with pytest.raises(UsageError, match="'told' is not taken over"):
        fork(app, run, ["told"], {"told.text": "x"})
    with pytest.raises(UsageError, match="there is nothing at 'deep'"):
        fork(app, run, ["told"], {"draft.text.deep": "x"})
    with pytest.raises(NotFoundError, match="tould"):
        fork(app, run, ["tould"])
    assert len(app.runs()) == before


def test_a_stub_never_stands_in_for_a_function_of_another_session(run, tmp_path):
    other = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    with pytest.raises(EngineUnavailableError, match="writer"):
        fork(other, other.open(run.id), ["draft"])
    assert fork(other, other.open(run.id), ["told"]).wait().result == "Draft 1 true Ada"


def test_the_command(app, run, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["fork", run.id, "--from", "told", "--set", "draft.text=Typed", "--set", "inputs.who=7"]) == 0
    assert capsys.readouterr().out == "Typed true 7\n"
    assert main(["fork", run.id, "--from", "told", "--set", "nothing"]) == 2
