"""One call for each item of a list: the node type `fan_out`, and `fan_out`/`fan_in` on other nodes (spec 02)."""

from __future__ import annotations

import asyncio

import pytest

ROWS = "- {id: rows, type: static, value: {list: [3, 1, 2]}}\n"
TYPE = ROWS + "- {id: all, type: fan_out, agent: double, items_from: rows.list, depends_on: [rows]MORE}\n"
FIELD = ROWS + "- {id: all, agent: double, fan_out: {source: rows.list, max_parallel: 3}, depends_on: [rows]MORE}\n"


@pytest.fixture
def double(app):
    @app.functions.agent("double")
    async def double(item, state):
        return {"n": item * 2, "index": state["item_index"], "seen": sorted(state)}


@pytest.mark.parametrize("text", [TYPE, FIELD])
def test_every_item_gets_a_call_of_its_own_and_the_results_keep_the_order(run, double, text):
    output = run(text.replace("MORE", "")).nodes["all"].output
    assert [item["n"] for item in output["items"]] == [6, 2, 4]
    assert [item["index"] for item in output["items"]] == [0, 1, 2]
    assert output["items"][0]["seen"] == ["item", "item_index", "rows"]
    assert output["count"] == 3


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (2, 2), (9, 5)])
def test_no_more_items_are_worked_on_at_once_than_asked_for(app, run, limit, most):
    running, seen = [], []

    @app.functions.agent("slow")
    async def slow(item):
        running.append(item)
        seen.append(len(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.remove(item)
        return {}

    done = run(
        "- {id: rows, type: static, value: [1, 2, 3, 4, 5]}\n"
        f"- {{id: all, type: fan_out, agent: slow, items_from: rows, max_parallel: {limit}, depends_on: [rows]}}\n"
    )
    assert done.status == "complete"
    assert max(seen) == most


def test_the_run_bounds_the_calls_of_all_its_fan_outs_together(app, run):
    running, seen = [], []

    @app.functions.agent("slow")
    async def slow(item):
        running.append(item)
        seen.append(len(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.remove(item)
        return {}

    fan = "  - {{id: {0}, type: fan_out, agent: slow, items_from: rows, max_parallel: 5, depends_on: [rows]}}\n"
    text = (
        "orchestration: {execution: {max_parallel: 2}}\ngraph:\n"
        "  - {id: rows, type: static, value: [1, 2, 3, 4, 5]}\n" + fan.format("a") + fan.format("b")
    )
    assert run(text).status == "complete"
    assert max(seen) == 2


def test_an_empty_list_gives_no_items(run, double):
    done = run(TYPE.replace("MORE", "").replace("[3, 1, 2]", "[]"))
    assert done.nodes["all"].output == {"items": [], "count": 0}


@pytest.mark.parametrize(("value", "said"), [("abc", "gives a str, not a list"), ("null", "gives nothing, not a list")])
def test_what_is_no_list_is_refused(run, double, value, said):
    assert said in run(TYPE.replace("MORE", "").replace("[3, 1, 2]", value)).reason


def test_more_than_500_items_are_an_error_unless_truncated(run, double):
    many = str(list(range(501)))
    refused = run(TYPE.replace("MORE", "").replace("[3, 1, 2]", many))
    assert refused.reason == "all: 'rows.list' has 501 items; 500 are the most"
    cut = run(TYPE.replace("MORE", ", truncate: true").replace("[3, 1, 2]", many))
    assert cut.nodes["all"].output["count"] == 500


def test_a_failed_item_names_its_place_and_ends_the_others(app, run):
    ended = []

    @app.functions.agent("double")
    async def picky(item):
        if item == 1:
            raise ValueError("not one")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(item)

    done = run(FIELD.replace("MORE", ""))
    assert done.status == "failed"
    assert done.reason.startswith("all: item 1: ")
    assert sorted(ended) == [2, 3]


def test_a_fan_out_may_take_longer_than_one_call_may(app, run):
    """`timeout_per_agent` is of one call; three calls of 0.1 s, one after the other, are not too long for 0.25 s."""

    @app.functions.agent("double")
    async def slow(item):
        await asyncio.sleep(0.1)
        return {"n": item}

    limit = "orchestration: {execution: {timeout_per_agent: 0.25}}\ngraph:\n"
    text = limit + "".join(f"  {line}\n" for line in TYPE.replace("MORE", "").splitlines())
    assert run(text).status == "complete"
    stuck = run(text.replace("0.25", "0.01"))
    assert stuck.reason == "all: item 0: a call took longer than 0.01 s and was stopped"


@pytest.mark.parametrize(
    ("fan_in", "field", "value"),
    [
        ("{strategy: reduce, reduce: sum, target_field: n}", "n", 12),
        ("{strategy: reduce, reduce: min, target_field: n}", "n", 2),
        ("{strategy: reduce, reduce: max, target_field: n}", "n", 6),
        ("{strategy: reduce, reduce: concat, target_field: n}", "n", [6, 2, 4]),
        ("{strategy: first, target_field: n}", "n", 6),
        ("{strategy: merge, target_field: n}", "n", [6, 2, 4]),
    ],
)
def test_fan_in_joins_the_copies(run, double, fan_in, field, value):
    output = run(FIELD.replace("MORE", f", fan_in: {fan_in}")).nodes["all"].output
    assert output[field] == value
    assert output["count"] == 3


@pytest.mark.parametrize(
    ("answers", "expected"),
    [(["a", "b", "a"], "a"), (["a", "b", "c"], "a"), ([{"x": 1}, {"x": 2}, {"x": 2}], {"x": 2})],
)
def test_the_majority_is_what_most_copies_gave(app, run, answers, expected):
    @app.functions.agent("double")
    async def vote(state):
        return {"vote": answers[state["item_index"]]}

    done = run(FIELD.replace("MORE", ", fan_in: {strategy: majority, target_field: vote}"))
    assert done.nodes["all"].output["vote"] == expected


def test_a_code_node_can_reduce(run, double):
    text = FIELD.replace("MORE", ", fan_in: {strategy: reduce, reduce: product, target_field: n}") + (
        "- {id: product, type: code, inputs: {items: rows.list}, outputs: [p], depends_on: [rows], source:"
        " \"def main(items):\\n    p = 1\\n    for i in items: p *= i\\n    return {'p': p}\"}\n"
    )
    assert run(text).nodes["all"].output["n"] == {"p": 48}


def test_the_copies_are_told_apart_by_a_name_of_ones_own(app, run):
    @app.functions.agent("double")
    async def named(state):
        return {"n": state["row"], "i": state["row_index"]}

    done = run(FIELD.replace("MORE", "").replace("source: rows.list", "source: rows.list, variable: row"))
    assert done.nodes["all"].output["items"] == [{"n": 3, "i": 0}, {"n": 1, "i": 1}, {"n": 2, "i": 2}]


def test_a_plain_node_has_copies_too(run):
    text = ROWS + (
        "- {id: all, type: code, fan_out: {source: rows.list, variable: row}, inputs: {n: row}, outputs: [n],"
        " depends_on: [rows], source: \"def main(n): return {'n': n + 1}\"}\n"
    )
    assert run(text).nodes["all"].output["items"] == [{"n": 4}, {"n": 2}, {"n": 3}]
