"""Runs as a caller sees them: start, pause, reply, cancel, fail, look up."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from awp_core.app import App
from awp_core.errors import (
    InputError,
    ManifestChangedError,
    ManifestError,
    NotFoundError,
    ReplyError,
    RunCancelledError,
    RunError,
    RunPausedError,
)

ASK = """
awp: "1.0.0"
workflow: {name: asking, version: "1.0.0", description: Asks.}
inputs: {who: {type: string, default: you}}
orchestration:
  graph:
    - {id: approve, type: ask_human, prompt: "May I, {{who}}?", expect: {field: ok, type: boolean}}
    - {id: told, type: answer, depends_on: [approve], text: "ok={{approve.ok}}"}
"""


@pytest.fixture
def app(tmp_path):
    return App(runs_dir=tmp_path / "runs", environ={}, directory=tmp_path)


@pytest.fixture
def flow(app, tmp_path):
    (tmp_path / "asking.awp.yaml").write_text(ASK)
    return app.load("asking")


def test_a_run_parks_at_a_question_and_goes_on_with_the_reply(app, flow):
    run = app.start(flow, {"who": "Ada"}).wait()
    assert run.status == "paused"
    assert [(q.node, q.prompt) for q in run.questions] == [("approve", "May I, Ada?")]
    assert json.loads((run.folder / "checkpoint.json").read_bytes())["questions"][0]["node"] == "approve"
    with pytest.raises(RunPausedError, match=r"waits for an answer to 'approve': May I, Ada\?"):
        _ = run.result
    run.reply("yes").wait()
    assert (run.status, run.result) == ("complete", "ok=true")
    assert not (run.folder / "checkpoint.json").exists()
    assert json.loads((run.folder / "run_completion.json").read_bytes())["result"] == "ok=true"


def test_another_app_answers_a_parked_run_by_workflow_name(app, flow, tmp_path):
    run = app.start(flow).wait()
    other = App(runs_dir=tmp_path / "runs", environ={}, directory=tmp_path)
    assert other.resume("asking", "no").wait().result == "ok=false"
    assert run.result == "ok=false"


def test_a_second_reply_is_refused(app, flow):
    run = app.start(flow).wait()
    run.reply("yes").wait()
    with pytest.raises(RunError, match="is over: complete"):
        run.reply("no")


def test_only_the_addressed_approver_may_answer(app, tmp_path):
    flow = app.load_text(ASK.replace("prompt:", "approver: ada, prompt:"))
    run = app.start(flow).wait()
    with pytest.raises(ReplyError, match="'eve' may not answer 'approve'; it was asked of 'ada'"):
        run.reply("yes", replier="eve")
    assert run.status == "paused"
    assert (run.folder / "checkpoint.json").exists()
    run.reply("yes", replier="ada").wait()
    assert run.status == "complete"


def test_a_reply_that_does_not_fit_keeps_the_run_paused(app):
    flow = app.load_text(ASK.replace("type: boolean", "type: integer"))
    run = app.start(flow).wait()
    with pytest.raises(ReplyError, match="whole number"):
        run.reply("many")
    assert run.status == "paused"
    assert run.reply("3").wait().result == "ok=3"


def test_a_changed_manifest_is_refused_unless_accepted(app, flow, tmp_path):
    run = app.start(flow).wait()
    (tmp_path / "asking.awp.yaml").write_text(ASK.replace("ok=", "OK="))
    with pytest.raises(ManifestChangedError, match="was changed since run"):
        app.resume(run.id, "yes")
    assert run.status == "paused"
    assert app.resume(run.id, "yes", accept_changes=True).wait().result == "OK=true"


def test_a_parked_run_can_be_cancelled(app, flow):
    run = app.start(flow).wait()
    run.cancel("changed my mind")
    assert (run.status, run.reason) == ("cancelled", "changed my mind")
    with pytest.raises(RunCancelledError):
        _ = run.result


def test_cancel_stops_a_working_run_and_leaves_a_readable_folder(app, tmp_path):
    started = threading.Event()

    @app.functions.agent("slow")
    async def slow():
        started.set()
        await asyncio.Event().wait()

    run = app.start(
        app.load_text("- {id: a, type: agent, agent: slow}\n- {id: b, type: static, value: 1, depends_on: [a]}")
    )
    assert started.wait(10)
    run.cancel()
    assert run.status == "cancelled"
    again = App(runs_dir=tmp_path / "runs").open(run.id)
    assert {name: node.status for name, node in again.nodes.items()} == {"a": "cancelled", "b": "pending"}
    assert (run.folder / "RUN_SUMMARY.md").exists()


def test_a_failure_aborts_the_run_and_names_the_node(app):
    @app.functions.agent("bad")
    async def bad():
        raise ValueError("no luck")

    run = app.start(
        app.load_text("- {id: a, type: agent, agent: bad}\n- {id: b, type: static, value: 1, depends_on: [a]}")
    ).wait()
    assert run.status == "failed"
    assert run.nodes["b"].status == "pending"
    with pytest.raises(RunError, match=r"a: .*no luck"):
        _ = run.result


def test_retry_repeats_and_then_succeeds(app):
    calls = []

    @app.functions.agent("flaky")
    async def flaky():
        calls.append(1)
        if len(calls) < 3:
            raise ValueError("not yet")
        return {"n": len(calls)}

    flow = app.load_text("- {id: a, type: agent, agent: flaky, retry: {max_retries: 2, retry_interval_s: 0}}")
    run = app.start(flow).wait()
    assert (run.result, run.nodes["a"].attempts) == ({"n": 3}, 3)
    assert [e.data["attempt"] for e in run.events() if e.type == "node.retrying"] == [1, 2]


def test_a_node_that_takes_too_long_is_stopped(app):
    gone = threading.Event()

    @app.functions.agent("slow")
    async def slow():
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    run = app.start(app.load_text("- {id: a, type: agent, agent: slow, timeout: 0.05}")).wait()
    assert run.status == "failed"
    assert "took longer than its 0.05 s" in run.reason
    assert gone.is_set()


def test_a_run_that_takes_too_long_is_stopped(app):
    @app.functions.agent("slow")
    async def slow():
        await asyncio.Event().wait()

    text = "orchestration: {execution: {timeout_total: 0.05}}\ngraph: [{id: a, type: agent, agent: slow}]"
    run = app.start(app.load_text(text)).wait()
    assert (run.status, run.reason) == ("failed", "timeout_total: it worked 0.05 s")


def test_nothing_starts_with_bad_inputs(app):
    flow = app.load_text("inputs: {n: {type: integer}, name: {type: string}}\ngraph: [{id: a, type: static, value: 1}]")
    with pytest.raises(InputError) as caught:
        app.start(flow, {"n": "many"}, text=True)
    assert "n: must be integer, got string 'many'" in str(caught.value)
    assert "name: missing (string)" in str(caught.value)
    assert not app.runs_root().exists()


def test_nothing_starts_with_errors_in_the_manifest(app):
    with pytest.raises(ManifestError) as caught:
        app.start(app.load_text("graph: [{id: a, type: sttic, value: 1}]"))
    assert [f.rule for f in caught.value.findings.errors] == ["N1"]
    assert not app.runs_root().exists()


def test_an_unknown_reply_or_run_is_named(app, flow):
    with pytest.raises(NotFoundError, match="no question 'aprove'"):
        app.start(flow, replies={"aprove": "yes"})
    with pytest.raises(NotFoundError, match="no run 'nope'"):
        app.open("nope")


def test_two_open_questions_are_answered_by_name_in_any_order(app):
    flow = app.load_text(
        "- {id: one, type: ask_human, prompt: 1?, expect: {field: v, type: integer}}\n"
        "- {id: two, type: ask_human, prompt: 2?, expect: {field: v, type: integer}}\n"
        "- {id: sum, type: merge, strategy: concat_list, inputs: [one.v, two.v], output: all, depends_on: [one, two]}"
    )
    run = app.start(flow).wait()
    assert {q.node for q in run.questions} == {"one", "two"}
    with pytest.raises(ReplyError, match="2 questions are open"):
        run.reply(1)
    run.reply(2, "two").wait()
    assert [q.node for q in run.questions] == ["one"]
    assert run.reply(1).wait().result == {"all": [1, 2]}


def test_an_observer_that_fails_never_hurts_the_run(app, flow, caplog):
    def broken(_event):
        raise RuntimeError("widget died")

    run = app.start(flow, replies={"approve": "yes"}, observers=(broken,)).wait()
    assert run.status == "complete"
    assert "an observer failed" in caplog.text


async def test_arun_works_inside_a_running_loop(app, flow):
    run = await app.arun(flow, replies={"approve": "yes"})
    assert run.result == "ok=true"


async def test_run_from_a_running_loop_uses_the_background_loop(app, flow):
    assert app.start(flow, replies={"approve": "yes"}).wait().result == "ok=true"
