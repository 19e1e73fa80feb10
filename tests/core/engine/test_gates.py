"""Gates, order, parallelism and expiring questions, by the words of spec 02."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading

import pytest


def statuses(finished) -> dict[str, str]:
    return {name: node.status for name, node in finished.nodes.items()}


FIRST = "- {id: first, type: static, value: {n: 3, word: hi}}\n"


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("when: state.first.n > 2", "finished"),
        ("when: state.first.n > 3", "skipped"),
        ("when: state.first.missing == null", "finished"),
        ("when: \"state.first.word in ['hi', 'ho'] and not false\"", "finished"),
        ("enabled: len(state.first.word) == 3", "skipped"),
        ("enabled: true", "finished"),
    ],
)
def test_a_condition_opens_or_closes_a_node(run, gate, expected):
    finished = run(FIRST + f"- id: gated\n  type: static\n  value: 1\n  depends_on: [first]\n  {gate}\n")
    assert statuses(finished) == {"first": "finished", "gated": expected}


def test_a_conditional_dependency_is_a_gate_too(run):
    text = FIRST + "- {id: gated, type: static, value: 1, depends_on: [{id: first, when: state.first.n == 4}]}\n"
    finished = run(text)
    assert statuses(finished)["gated"] == "skipped"
    assert finished.nodes["gated"].reason == "its condition is false: depends_on first: state.first.n == 4"


def test_a_condition_that_compares_what_cannot_be_compared_fails_its_node(run):
    finished = run(FIRST + "- {id: gated, type: static, value: 1, depends_on: [first], when: state.first.word > 2}\n")
    assert finished.status == "failed"
    assert statuses(finished)["gated"] == "failed"
    assert "state.first.word > 2" in finished.reason


def test_inputs_decide_a_gate(run):
    text = "inputs: {go: {type: boolean}}\ngraph: [{id: gated, type: static, value: 1, when: inputs.go}]"
    assert statuses(run(text, go=True)) == {"gated": "finished"}
    assert statuses(run(text, go=False)) == {"gated": "skipped"}


ORDER = """
orchestration: {execution: {mode: MODE, max_parallel: 2}}
graph:
  - {id: n1, type: agent, agent: slow}
  - {id: n2, type: agent, agent: slow}
  - {id: n3, type: agent, agent: slow, depends_on: [n1]}
  - {id: n4, type: agent, agent: slow}
"""


@pytest.mark.parametrize(("mode", "most"), [("sequential", 1), ("parallel", 2)])
def test_no_more_nodes_run_at_once_than_the_mode_allows(app, mode, most, run):
    running, seen = [], []

    @app.functions.agent("slow")
    async def slow():
        running.append(1)
        seen.append(len(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.pop()
        return {}

    finished = run(ORDER.replace("MODE", mode))
    assert finished.status == "complete"
    assert max(seen) == most
    starts = [event.node for event in finished.events() if event.type == "node.started"]
    if mode == "sequential":
        assert starts == ["n1", "n2", "n3", "n4"]  # graph order breaks ties


def test_a_node_starts_as_soon_as_its_last_dependency_ends(app, run):
    """No barriers between levels: `late` has to wait for `quick` only, and ends `slow`, which waits for it."""
    released = asyncio.Event()

    @app.functions.agent("waits")
    async def waits():
        await asyncio.wait_for(released.wait(), 10)
        return {}

    @app.functions.agent("releases")
    async def releases():
        released.set()
        return {}

    text = (
        "- {id: slow, type: agent, agent: waits}\n- {id: quick, type: static, value: 1}\n"
        "- {id: late, type: agent, agent: releases, depends_on: [quick]}\n"
    )
    assert run(text).status == "complete"


QUESTION = """
- id: ask
  type: ask_human
  prompt: Well?
  expect: {field: ok, type: boolean}
  timeout_minutes: 0.0001
  EXPIRY
- {id: told, type: answer, text: "ok={{ask.ok}}", depends_on: [ask]}
- {id: late, type: answer, text: Too late, depends_on: [ask], branch: expired}
"""


def overdue(run) -> None:
    deadline = dt.datetime.fromisoformat(run.questions[0].deadline)
    waiting = threading.Event()
    while dt.datetime.now(dt.UTC) <= deadline:
        waiting.wait(0.002)


def test_an_expired_question_takes_its_branch_and_only_that(app, run):
    parked = run(QUESTION.replace("EXPIRY", "on_timeout: {branch: expired}"))
    assert parked.status == "paused"
    overdue(parked)
    finished = app.resume(parked).wait()
    assert statuses(finished) == {"ask": "finished", "told": "skipped", "late": "finished"}
    assert finished.result == "Too late"
    assert finished.nodes["told"].reason == "'ask' was not answered in time"


def test_an_answered_question_does_not_take_its_branch(app, run):
    text = QUESTION.replace("EXPIRY", "on_timeout: {branch: expired}").replace("0.0001", "60")
    finished = asyncio.run(app.arun(app.load_text(text), replies={"ask": "yes"}))
    assert statuses(finished) == {"ask": "finished", "told": "finished", "late": "skipped"}


def test_an_expired_question_without_a_branch_fails(app, run):
    text = QUESTION.replace("EXPIRY", "description: no way out").replace(", branch: expired", "")
    parked = run(text)
    overdue(parked)
    finished = app.resume(parked).wait()
    assert finished.status == "failed"
    assert finished.reason == "ask: nobody answered in time"
