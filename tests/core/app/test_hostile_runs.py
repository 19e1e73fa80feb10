"""Runs that somebody or something works against: odd exceptions, damaged records, races, secrets in the wrong place."""

from __future__ import annotations

import asyncio
import errno
import json
import threading

import pytest

from awp_core.app import App
from awp_core.errors import ReplyError, RunFolderError

CALL = """
awp: "1.0.0"
workflow: {name: calling, version: "1.0.0", description: Calls.}
orchestration:
  graph:
    - {id: first, type: agent, agent: odd, timeout: 30}
    - {id: then, type: static, value: 1, depends_on: [first]}
"""
ASK = """
awp: "1.0.0"
workflow: {name: asking, version: "1.0.0", description: Asks.}
orchestration:
  graph:
    - {id: count, type: ask_human, prompt: "How many?", expect: {field: n, type: integer}}
    - {id: told, type: answer, depends_on: [count], text: "got {{count.n}}"}
"""


class Unreadable(Exception):  # noqa: N818 - a stranger's exception
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Strange(BaseException):
    pass


@pytest.fixture
def app(tmp_path):
    return App(runs_dir=tmp_path / "runs", environ={}, directory=tmp_path)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (Strange("x"), "Strange: x"),
        (Unreadable(), "Unreadable: (its text cannot be read)"),
        (ValueError("half \ud800"), "ValueError: half ?"),
        (BaseExceptionGroup("two", [SystemExit(1)]), "BaseExceptionGroup: two (1 sub-exception)"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_whatever_an_agent_raises_fails_its_node_and_nothing_more(app, error, says, kind):
    def odd():
        raise error

    async def odd_later():
        raise error

    app.functions.agent("odd")(odd if kind == "sync" else odd_later)
    run = app.start(app.load_text(CALL)).wait(20)
    assert run.status == "failed"
    assert says in run.nodes["first"].error
    assert says in json.loads((run.folder / "run_completion.json").read_bytes())["reason"]
    app.functions.agent("odd")(lambda: "fine")
    assert app.start(app.load_text(CALL)).wait(20).status == "complete"  # the loop still works


def test_a_stop_iteration_ends_its_node_at_once(app):
    def odd():
        raise StopIteration(5)

    app.functions.agent("odd")(odd)
    run = app.start(app.load_text(CALL)).wait(20)
    assert "StopIteration: 5" in run.nodes["first"].error


def test_a_coroutine_that_swallows_its_cancellation_cannot_hold_the_run(app, monkeypatch):
    monkeypatch.setattr("awp_core.agents.invoke._GRACE_S", 0.01)
    started, free = threading.Event(), asyncio.Event()

    async def odd():
        started.set()
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue

    app.functions.agent("odd")(odd)
    run = app.start(app.load_text(CALL))
    assert started.wait(20)
    app.cancel(run)
    assert run.status == "cancelled"
    app.loop.call(free.set)


def test_what_an_agent_does_to_its_result_later_does_not_change_the_record(app):
    kept = {"items": [1]}
    app.functions.agent("odd")(lambda: kept)
    run = app.start(app.load_text(CALL)).wait(20)
    kept["items"].append(2)
    assert run.nodes["first"].output == {"items": [1]}


def test_a_reply_in_advance_that_does_not_fit_leaves_the_question_open(app):
    run = app.start(app.load_text(ASK), replies={"count": "many"}).wait(20)
    assert run.status == "paused"
    assert "does not fit" in (run.folder / "nodes" / "count" / "log.txt").read_text()
    assert run.reply("3").wait(20).result == "got 3"


def test_a_reply_that_is_no_json_is_refused_and_the_question_stays_open(app):
    run = app.start(app.load_text(ASK.replace("integer", "text"))).wait(20)
    with pytest.raises(ReplyError):
        run.reply({"n": float("nan")})
    assert run.status == "paused"


@pytest.mark.parametrize("minutes", ["1e300", ".inf"])
def test_a_deadline_beyond_the_calendar_is_none(app, minutes):
    text = ASK.replace("type: integer}", f"type: integer}}, timeout_minutes: {minutes}")
    run = app.start(app.load_text(text)).wait(20)
    assert run.status == "paused"
    assert run.questions[0].deadline is None


def test_a_request_to_cancel_from_before_does_not_cancel_the_resumed_run(app, tmp_path):
    run = app.start(app.load_text(ASK)).wait(20)
    request = run.folder / "cancel.request"
    request.write_text("too late")
    other = App(runs_dir=tmp_path / "runs", environ={}, directory=tmp_path)
    again = other.resume(run.id).wait(20)
    assert again.status == "paused"
    assert not request.exists()


def damaged(lines: list[bytes], way: str) -> list[bytes]:
    if way == "empty":
        return []
    if way == "first line gone":
        return lines[1:]
    if way == "a line gone":
        return [lines[0], *lines[2:]]
    if way == "twice":
        return [*lines, *lines]
    if way == "too deep":
        return [*lines, b"[" * 200_000 + b"\n"]
    event = {"seq": len(lines) + 1, "ts": "x", "t": 0, "type": "node.finished", "node": "count", "data": []}
    return [*lines, json.dumps(event).encode() + b"\n"]


@pytest.mark.parametrize("way", ["empty", "first line gone", "a line gone", "twice", "too deep", "wrong data"])
def test_a_damaged_record_is_refused_and_never_gone_on_from(app, tmp_path, way):
    run = app.start(app.load_text(ASK)).wait(20)
    events = run.folder / "events.jsonl"
    broken = b"".join(damaged(events.read_bytes().splitlines(keepends=True), way))
    events.write_bytes(broken)
    other = App(runs_dir=tmp_path / "runs", environ={}, directory=tmp_path)
    with pytest.raises(RunFolderError):
        other.resume(run.id, "3", accept_changes=True)
    assert events.read_bytes() == broken


STEERED = """
awp: "1.0.0"
workflow:
  name: secretive
  version: "1.0.0"
  description: Has a password that is also the name of a node and of a case.
  env: [{name: TOKEN, sensitive: true}]
orchestration:
  graph:
    - {id: door, type: route, mode: condition, cases: [{id: draft, default: true}]}
    - {id: draft, type: agent, agent: odd, depends_on: [door], branch: draft, on_failure: continue}
    - {id: last, type: answer, depends_on: [door], text: done}
"""


def test_a_secret_stays_out_of_every_file_but_renames_no_node_and_no_case(tmp_path):
    app = App(runs_dir=tmp_path / "runs", environ={"TOKEN": "draft"}, directory=tmp_path)

    def odd():
        raise ValueError("the password is draft")

    app.functions.agent("odd")(odd)
    run = app.start(app.load_text(STEERED)).wait(20)
    assert run.status == "complete"
    assert list(run.nodes) == ["door", "draft", "last"]
    assert run.nodes["draft"].status == "failed"
    said = run.nodes["draft"].error
    assert "the password is [REDACTED]" in said
    assert not [file for file in run.folder.rglob("*") if file.is_file() and b"password is draft" in file.read_bytes()]


def test_a_run_that_cannot_start_leaves_no_folder_and_no_lock(app, tmp_path, monkeypatch):
    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("awp_core.runs.recorder.write_all", full)
    with pytest.raises(RunFolderError):
        app.start(app.load_text(ASK))
    assert list((tmp_path / "runs").iterdir()) == []
