"""`awp replay`: the same run again from its record, without a provider, a channel or a person (spec 08)."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from awp_core.again import finished, replay
from awp_core.app import App
from awp_core.cli.main import main
from awp_core.errors import RunError

FLOW = """
awp: "1.0.0"
workflow: {name: varied, version: "1.0.0", description: A bit of everything.}
inputs: {who: {type: string}}
orchestration:
  graph:
    - {id: draft, type: agent, agent: writer}
    - {id: rows, type: static, value: [1, 2, 3]}
    - {id: each, type: fan_out, agent: doubler, items_from: rows, max_parallel: 3, depends_on: [rows]}
    - {id: bad, type: agent, agent: broken, on_failure: continue}
    - {id: again, type: agent, agent: counter, loop: {max_iterations: 3}}
    - {id: ask, type: ask_human, prompt: "Send to {{who}}?", expect: {field: ok, type: boolean}, depends_on: [draft]}
    - {id: sent, type: answer, channel: slack, text: "{{draft.text}}", depends_on: [ask]}
    - {id: inner, type: subworkflow, subworkflow: child.awp.yaml, depends_on: [draft]}
    - {id: code, type: code, inputs: {n: again.n}, outputs: [m], depends_on: [again],
       source: "def main(n): return {'m': n * 2}"}
    - {id: all, type: merge, strategy: concat_list, inputs: [sent.text, code.m, inner], output: list,
       depends_on: [sent, code, inner, each]}
"""
CHILD = """
awp: "1.0.0"
workflow: {name: child, version: "1.0.0", description: Asks too.}
orchestration:
  graph:
    - {id: think, type: agent, agent: counter}
    - {id: sure, type: ask_human, prompt: Sure?, expect: {field: n, type: integer}, depends_on: [think]}
"""


def make(folder, calls: list[str]) -> App:
    """An app with agents that never answer the same way twice."""
    app = App(environ={}, runs_dir=folder / "runs", directory=folder)
    agent = app.functions.agent

    @agent("writer")
    async def writer(who):
        calls.append("writer")
        return {"text": f"Dear {who}, no. {len(calls)}"}

    @agent("doubler")
    async def doubler(item):
        calls.append("doubler")
        return {"n": item * 2, "call": len(calls)}

    @agent("counter")
    async def counter():
        calls.append("counter")
        return {"n": len(calls)}

    @agent("broken")
    async def broken():
        calls.append("broken")
        raise ValueError(f"broken {len(calls)}")

    return app


@pytest.fixture
def recorded(tmp_path):
    (tmp_path / "varied.awp.yaml").write_text(FLOW)
    (tmp_path / "child.awp.yaml").write_text(CHILD)
    app = make(tmp_path, [])
    run = app.start(app.load("varied"), {"who": "Ada"}, replies={"ask": "yes", "inner": "7"}).wait()
    assert run.status == "complete", run.reason
    return run


def outcome(run):
    return run.status, {name: (node.status, node.output, node.error) for name, node in run.nodes.items()}


def test_a_replay_comes_to_the_same_without_asking_anybody(recorded, tmp_path):
    offline = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)  # has none of the agents
    run = offline.open(recorded.id)
    replayed = finished(run, replay(offline, run))
    assert replayed.differences == []
    assert outcome(replayed.run) == outcome(recorded)
    assert replayed.run.result == recorded.result
    assert replayed.run.snapshot.tokens == 0
    assert {e.data["provider"] for e in replayed.run.events() if e.type == "provider.called"} == {"replay"}
    assert replayed.verdict == f"identical: run {recorded.id} came to 'complete' again, with every output the same"


def test_a_replay_leaves_nothing_that_a_bridge_would_send_again(recorded, tmp_path):
    app = make(tmp_path, [])
    again = finished(recorded, replay(app, recorded)).run
    assert {file.name for file in (recorded.folder / "outbox").iterdir()} == {"ask.json", "sent.json"}
    assert not list(again.folder.rglob("outbox"))
    assert {file.name for file in (again.folder / "unsent").iterdir()} == {"ask.json", "sent.json"}


def test_the_record_says_what_a_replay_repeats(recorded, tmp_path):
    again = finished(recorded, replay(make(tmp_path, []), recorded)).run
    about = json.loads((again.folder / "run_manifest.json").read_bytes())
    assert (about["origin"], about["replay"]) == (recorded.id, True)
    assert next(again.events()).data["origin"] == recorded.id


def test_a_request_that_was_never_recorded_fails_by_name(recorded, tmp_path):
    """Somebody edits the recorded draft: what was asked with it was never asked."""
    text = (recorded.folder / "workflow.awp.yaml").read_text()
    more = "    - {id: late, type: agent, agent: counter, depends_on: [draft]}\n"
    (recorded.folder / "workflow.awp.yaml").write_text(text + more)
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    replayed = finished(recorded, replay(app, app.open(recorded.id)))
    assert replayed.status == "failed"
    assert replayed.run.reason == f"late: it asked 'counter' what the recorded run never asked ({recorded.id})"
    assert "late" not in recorded.nodes
    assert "result" in [difference.where for difference in replayed.differences]


def test_code_that_gives_something_else_is_shown(recorded, tmp_path):
    text = (recorded.folder / "workflow.awp.yaml").read_text()
    (recorded.folder / "workflow.awp.yaml").write_text(text.replace("n * 2", "n * 3"))
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    replayed = finished(recorded, replay(app, app.open(recorded.id)))
    assert [difference.where for difference in replayed.differences] == ["code", "all"]
    assert replayed.verdict.startswith(f"different: run {recorded.id} and its replay ")


def test_a_run_that_waits_waits_again_and_leaves_no_question_behind(tmp_path):
    (tmp_path / "varied.awp.yaml").write_text(FLOW)
    (tmp_path / "child.awp.yaml").write_text(CHILD)
    app = make(tmp_path, [])
    parked = app.start(app.load("varied"), {"who": "Ada"}).wait()
    replayed = finished(parked, replay(app, parked))
    assert (replayed.status, replayed.differences) == ("paused", [])
    assert replayed.run.status == "cancelled"


@pytest.mark.parametrize("branch", ["on_timeout: {branch: late}", "approver: ada"])
def test_a_question_that_nobody_answered_in_time_expires_again_at_once(tmp_path, branch):
    app = make(tmp_path, [])
    text = (
        f"- {{id: ask, type: ask_human, prompt: Well?, timeout_minutes: 0.001, {branch}}}\n"
        "- {id: late, type: answer, text: Late, depends_on: [ask], branch: late}\n"
    )
    if "approver" in branch:
        text = text.splitlines()[0]
    run = app.start(app.load_text(text)).wait()
    while not run.snapshot.over:
        run.wait()
    assert run.status == ("complete" if "late" in branch else "failed")
    waits = (run.folder / "workflow.awp.yaml").read_text().replace("0.001", "60")
    (run.folder / "workflow.awp.yaml").write_text(waits)
    replayed = finished(run, replay(app, run))
    assert (replayed.status, replayed.differences) == (run.status, [])


def test_a_replay_is_no_run_to_go_on_with_or_to_replay(recorded, tmp_path):
    app = make(tmp_path, [])
    again = finished(recorded, replay(app, recorded)).run
    with pytest.raises(RunError, match="is a replay itself"):
        replay(app, again)


def test_the_command_says_whether_it_is_the_same(recorded, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["replay", recorded.id, "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("identical: ")
    text = (recorded.folder / "workflow.awp.yaml").read_text()
    (recorded.folder / "workflow.awp.yaml").write_text(text.replace("n * 2", "n * 3"))
    assert main(["replay", recorded.id, "--quiet", "--json"]) == 1
    body = json.loads(capsys.readouterr().out)
    assert [difference["where"] for difference in body["differences"]] == ["code", "all"]


def test_a_run_made_elsewhere_is_replayed_from_its_folder_alone(recorded, tmp_path):
    away = tmp_path / "away"
    shutil.copytree(recorded.folder, away / "runs" / recorded.id)
    about = json.loads((away / "runs" / recorded.id / "run_manifest.json").read_bytes())
    (away / "runs" / recorded.id / "run_manifest.json").write_text(json.dumps(about | {"source": "/nowhere"}))
    app = App(environ={}, runs_dir=away / "runs", directory=away)
    run = app.open(recorded.id)
    assert finished(run, replay(app, run)).differences == []
    assert asyncio.run(app.arun(app.load_text("- {id: x, type: static, value: 1}"))).status == "complete"
