"""`loop` on a node: while a condition holds, a number of times, or as long as a person wants (spec 02, Loops)."""

from __future__ import annotations

import json

import pytest

COUNT = """
- id: count
  type: agent
  agent: adder
  loop: {condition: state.count.n < 3, max_iterations: LIMIT}
- {id: told, type: answer, text: "n={{count.n}} after {{count._loop_iterations}}", depends_on: [count]}
"""


@pytest.fixture
def adder(app):
    """An agent that adds one to its own last output."""

    @app.functions.agent("adder")
    async def add(state):
        return {"n": state.get("count", {}).get("n", 0) + 1}


@pytest.mark.parametrize(("limit", "result"), [(10, "n=3 after 3"), (2, "n=2 after 2"), (1, "n=1 after 1")])
def test_a_node_runs_again_while_its_condition_holds(run, adder, limit, result):
    assert run(COUNT.replace("LIMIT", str(limit))).result == result


def test_no_loop_runs_more_than_a_hundred_times(run):
    done = run("- {id: on, type: static, value: {a: 1}, loop: {condition: 'true', max_iterations: 1000}}")
    assert done.nodes["on"].output == {"a": 1, "_loop_iterations": 100}


def test_a_loop_without_a_condition_runs_the_given_number_of_times(run):
    done = run("- {id: on, type: static, value: 7, loop: {max_iterations: 4}}")
    assert done.result == {"output": 7, "_loop_iterations": 4}
    assert [e.data["iteration"] for e in done.events() if e.type == "loop.iterated"] == [1, 2, 3, 4]


def test_the_older_name_of_the_condition_means_the_same(run):
    done = run("- {id: on, type: static, value: {go: false}, loop: {until_condition: state.on.go}}")
    assert done.nodes["on"].output == {"go": False, "_loop_iterations": 1}


def test_a_condition_that_cannot_be_evaluated_fails_the_node(run):
    done = run("- {id: on, type: static, value: {a: x}, loop: {condition: state.on.a > 1}}")
    assert done.status == "failed"
    assert "state.on.a > 1" in done.reason


def test_every_time_has_its_own_retries(app, run):
    calls = []

    @app.functions.agent("flaky")
    async def flaky():
        calls.append(1)
        if len(calls) % 2:
            raise ValueError("odd")
        return {"n": len(calls)}

    done = run(
        "- {id: on, type: agent, agent: flaky, loop: {max_iterations: 3}, retry: {max_retries: 1, retry_interval_s: 0}}"
    )
    assert done.nodes["on"].output == {"n": 6, "_loop_iterations": 3}


TALK = """
- id: guess
  type: agent
  agent: guesser
  loop: {type: interactive, condition: state.guess.reply != 'right', prompt_field: text, max_iterations: 5}
- {id: told, type: answer, text: "{{guess.text}} {{guess._loop_iterations}}", depends_on: [guess]}
"""


@pytest.fixture
def guesser(app):
    """An agent that says what it was told last, and how often."""
    seen = []

    @app.functions.agent("guesser")
    async def guess(state):
        own = state.get("guess", {})
        seen.append([turn["reply"] for turn in own.get("history", [])] + ([own["reply"]] if "reply" in own else []))
        return {"text": f"Guess {len(seen)}?"}

    return seen


def test_an_interactive_loop_asks_each_time_and_shows_the_replies_to_the_next(run, guesser):
    parked = run(TALK)
    assert [question.prompt for question in parked.questions] == ["Guess 1?"]
    parked.reply("lower").wait()
    assert [question.prompt for question in parked.questions] == ["Guess 2?"]
    parked.reply("higher").wait()
    parked.reply("right").wait()
    assert parked.result == "Guess 3? 3"
    assert guesser == [[], ["lower"], ["lower", "higher"]]
    envelopes = {file.name: json.loads(file.read_bytes()) for file in (parked.folder / "outbox").glob("guess*")}
    assert {name: body["text"] for name, body in envelopes.items()} == {
        "guess.1.json": "Guess 1?",
        "guess.2.json": "Guess 2?",
        "guess.3.json": "Guess 3?",
    }
    assert len({body["idempotency_key"] for body in envelopes.values()}) == 3


def test_an_interactive_loop_ends_at_its_limit_without_a_last_question(run, guesser):
    parked = run(TALK.replace("max_iterations: 5", "max_iterations: 2"))
    parked.reply("lower").wait()
    assert parked.result == "Guess 2? 2"


def test_only_the_first_question_of_a_loop_takes_a_reply_given_in_advance(run, guesser):
    parked = run(TALK, replies={"guess": "lower"})
    assert parked.status == "paused"
    assert [question.prompt for question in parked.questions] == ["Guess 2?"]


@pytest.mark.parametrize("kind", ["answer, text: Hi", "ask_human, prompt: Hi", "deliver, config: {channel: slack}"])
def test_what_sends_a_message_cannot_be_looped(app, kind):
    findings = app.validate(app.load_text("- {id: on, loop: {max_iterations: 2}, type: " + kind + "}"))
    assert [(f.rule, f.message) for f in findings.errors] == [("N2", f"'loop' does not work on '{kind.split(',')[0]}'")]
