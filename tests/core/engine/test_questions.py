"""Several questions at once, deadlines while a run works, and who may answer (spec 02, Pause and resume)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from awp_core.errors import ReplyError

TWO = """
- {id: first, type: ask_human, prompt: One?, expect: {field: ok, type: boolean}}
- {id: second, type: ask_human, prompt: Two?, expect: {field: n, type: integer}, approver: ada}
- {id: told, type: answer, text: "{{first.ok}} {{second.n}}", depends_on: [first, second]}
"""


def test_two_questions_are_open_at_once_and_each_has_its_own_reply(run):
    parked = run(TWO)
    assert {question.node for question in parked.questions} == {"first", "second"}
    with pytest.raises(ReplyError, match="2 questions are open: first, second"):
        parked.reply("yes")
    parked.reply(7, node="second").wait()
    assert (parked.status, [question.node for question in parked.questions]) == ("paused", ["first"])
    parked.reply("yes").wait()
    assert parked.result == "true 7"


def test_only_the_approver_or_the_owner_may_answer(run):
    parked = run(TWO)
    with pytest.raises(ReplyError, match="'eve' may not answer 'second'; it was asked of 'ada'"):
        parked.reply(7, node="second", replier="eve")
    assert parked.status == "paused"
    parked.reply(7, node="second", replier="ada").wait()
    replied = [event for event in parked.events() if event.type == "human.replied"]
    assert [event.data["replier"] for event in replied] == ["ada"]


OVERDUE = """
- {id: ask, type: ask_human, prompt: Well?, timeout_minutes: 0.0005, on_timeout: {branch: late}}
- {id: late, type: agent, agent: notes, depends_on: [ask], branch: late}
- {id: busy, type: agent, agent: waits}
"""


def test_a_question_expires_while_other_branches_still_work(app, run):
    noted = asyncio.Event()

    @app.functions.agent("notes")
    async def notes():
        noted.set()
        return {}

    @app.functions.agent("waits")
    async def waits():
        await asyncio.wait_for(noted.wait(), 20)
        return {"noted": True}

    done = run(OVERDUE)
    assert done.status == "complete"
    assert done.nodes["busy"].output == {"noted": True}
    assert done.nodes["ask"].expired


def test_a_question_that_expires_after_the_run_is_parked_goes_on_by_itself(app):
    text = OVERDUE.replace("type: agent, agent: waits", "type: static, value: 1")
    text = text.replace("type: agent, agent: notes", "type: static, value: 2")
    parked = app.start(app.load_text(text)).wait()
    for _ in range(2000):  # the background thread goes on with it
        if parked.snapshot.over:
            break
        threading.Event().wait(0.01)
    assert (parked.status, parked.nodes["late"].output) == ("complete", 2)
