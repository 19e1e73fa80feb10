"""The list of events is a promise to readers of the record: a test pins it, and real runs keep to it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from awp_core.app import App
from awp_core.events.model import DURABLE, EVENT_TYPES, start_clock

CHECKS = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "any": lambda _v: True,
}
FLOW = """
inputs: {who: {type: string, default: you}}
graph:
  - {id: draft, type: agent, agent: writer}
  - {id: bad, type: agent, agent: broken, on_failure: continue, retry: {max_retries: 1, retry_interval_s: 0}}
  - {id: skipped, type: static, value: 1, depends_on: [bad]}
  - id: approve
    type: ask_human
    prompt: "{{draft.nothing}}?"
    expect: {field: ok, type: boolean}
    depends_on: [draft]
    timeout_minutes: 5
  - {id: twice, type: static, value: 1, loop: {max_iterations: 2}}
  - {id: inner, type: subworkflow, subworkflow: hello}
  - {id: told, type: answer, text: Done, depends_on: [approve]}
"""


def test_the_list_of_types_is_pinned():
    assert sorted(EVENT_TYPES) == [
        "envelope.written",
        "human.asked",
        "human.replied",
        "loop.iterated",
        "node.failed",
        "node.finished",
        "node.nested",
        "node.retrying",
        "node.skipped",
        "node.started",
        "provider.called",
        "run.finished",
        "run.paused",
        "run.resumed",
        "run.started",
        "selector.missing",
        "tool.called",
    ]
    assert set(EVENT_TYPES) >= DURABLE


@pytest.fixture
def events(tmp_path):
    app = App(environ={}, runs_dir=tmp_path / "runs")

    @app.functions.agent("broken")
    async def broken():
        raise ValueError("on purpose")

    run = app.start(app.load_text(FLOW)).wait().reply("yes").wait()
    assert run.status == "complete"
    return list(run.events())


def test_a_real_run_keeps_to_the_schemas(events):
    seen = {event.type for event in events}
    assert seen == set(EVENT_TYPES) - {"tool.called"}
    for event in events:
        fields = {name.rstrip("?"): (kind, name.endswith("?")) for name, kind in EVENT_TYPES[event.type].items()}
        assert set(event.data) <= set(fields), event
        assert {name for name, (_, optional) in fields.items() if not optional} <= set(event.data), event
        for name, value in event.data.items():
            assert CHECKS[fields[name][0]](value), (event.type, name, value)


def test_sequence_numbers_have_no_gap_and_time_never_goes_back(events):
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(a.t <= b.t for a, b in pairwise(events))


def test_a_resumed_clock_goes_on_where_the_record_ends():
    assert start_clock(100.0)().t >= 100.0
