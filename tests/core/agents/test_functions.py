"""Python functions as agents: how parameters are filled, what results become, and who survives what."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

from awp_core.agents.functions import AgentFunctions, call_function
from awp_core.errors import AwpError, CodeError, UsageError

MODULE = """
import os
import time

def where(topic):
    return {"pid": os.getpid(), "topic": topic}

def wait(started):
    with open(started, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)

def die():
    os._exit(3)

def fail():
    raise ValueError("from the child")

def bad():
    return {"x": object()}
"""


async def called(function, *, process=False, **given):
    functions = AgentFunctions()
    functions.agent("f", process=process)(function)
    return await call_function(functions.spec("f"), **{"instructions": "", "inputs": {}, "visible": {}} | given)


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A module that another process can import."""
    (tmp_path / "awp_test_workshop.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import awp_test_workshop

    return awp_test_workshop


async def test_whole_mappings_by_their_own_names():
    output = await called(
        lambda inputs, state, instructions: [inputs, state, instructions],
        inputs={"a": 1},
        visible={"n": {"x": 2}},
        instructions="do",
    )
    assert output == {"output": [{"a": 1}, {"n": {"x": 2}}, "do"]}


async def test_an_input_wins_over_a_node_and_a_node_over_a_field():
    visible = {"a": {"b": "field of a", "c": "field c"}, "b": {"x": 1}}
    output = await called(lambda a, b, c: [a, b, c], inputs={"a": "input"}, visible=visible)
    assert output == {"output": ["input", {"x": 1}, "field c"]}


async def test_item_is_what_a_fan_out_adds():
    assert await called(lambda item: item, inputs={"item": "input"}, visible={"item": "one"}) == {"text": "one"}
    assert await called(lambda item: item, inputs={"item": "input"}) == {"text": "input"}


async def test_a_field_that_two_outputs_have_fills_nothing():
    with pytest.raises(AwpError, match="nothing fills its parameter 'text'"):
        await called(lambda text: text, visible={"a": {"text": 1}, "b": {"text": 2}, "c": {"text": 3}})


async def test_a_missing_parameter_names_the_nearest():
    with pytest.raises(AwpError) as caught:
        await called(lambda topik: topik, inputs={"topic": 1})
    assert "'topik'" in caught.value.message
    assert "'topic'" in caught.value.hint


async def test_a_default_is_used_and_keywords_take_the_rest():
    def function(a, missing="default", **rest):
        return {"a": a, "missing": missing, "rest": sorted(rest)}

    output = await called(function, inputs={"a": 1, "b": 2}, visible={"n": {}})
    assert output == {"a": 1, "missing": "default", "rest": ["b", "n"]}


async def test_a_positional_only_parameter_is_refused_by_name():
    def function(a, /):
        return a

    with pytest.raises(AwpError, match="'a' cannot be given by name"):
        await called(function, inputs={"a": 1})


@pytest.mark.parametrize(
    ("result", "output"),
    [({"a": 1}, {"a": 1}), ("x", {"text": "x"}), (None, {"output": None}), ([1], {"output": [1]}), (0, {"output": 0})],
)
async def test_what_a_result_becomes(result, output):
    assert await called(lambda: result) == output


@pytest.mark.parametrize(
    ("result", "path"), [({"a": [{1}]}, r"f\.a\[0\]"), (float("nan"), "agent f"), ({1: 2}, "key 1")]
)
async def test_a_result_that_is_no_json_names_the_path(result, path):
    with pytest.raises(AwpError, match=path):
        await called(lambda: result)


async def test_what_a_function_does_to_values_does_not_change_the_record():
    inputs, kept = {"rows": [1]}, {"rows": [0]}

    def function(rows):
        rows.append(2)
        return kept

    output = await called(function, inputs=inputs)
    kept["rows"].append("later")
    assert inputs == {"rows": [1]}
    assert output == {"rows": [0]}


async def test_a_sync_function_runs_off_the_loop_and_an_async_one_on_it():
    async def on_loop():
        await asyncio.sleep(0)
        return threading.get_ident()

    def in_thread():
        return threading.get_ident()

    here = threading.get_ident()
    assert (await called(in_thread))["output"] != here
    assert (await called(on_loop))["output"] == here


async def test_more_functions_than_any_pool_can_wait_for_each_other():
    count = 40
    barrier = threading.Barrier(count, timeout=60)

    def function():
        barrier.wait()
        return "met"

    assert await asyncio.gather(*(called(function) for _ in range(count))) == [{"text": "met"}] * count


async def test_the_result_of_a_function_that_timed_out_is_dropped():
    release, left = threading.Event(), threading.Event()

    def function():
        release.wait(60)
        left.set()
        return "too late"

    task = asyncio.ensure_future(called(function))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    assert await asyncio.to_thread(left.wait, 60)


@pytest.mark.parametrize(
    "error", [ValueError("bad"), StopIteration("bad"), SystemExit("bad"), KeyboardInterrupt("bad")]
)
async def test_whatever_it_raises_is_told_with_its_own_lines_only(error):
    def function():
        raise error

    with pytest.raises(CodeError, match=rf"agent 'f': {type(error).__name__}: bad") as caught:
        await called(function)
    assert caught.value.line == function.__code__.co_firstlineno + 1
    assert "raise error" in caught.value.traceback
    assert "invoke.py" not in caught.value.traceback


async def test_an_async_function_that_raises_is_told_the_same_way():
    async def function():
        raise LookupError("bad")

    with pytest.raises(CodeError, match="LookupError: bad") as caught:
        await called(function)
    assert "invoke.py" not in caught.value.traceback


async def test_an_error_of_ours_keeps_its_hint():
    def function():
        raise UsageError("no", hint="like this")

    with pytest.raises(UsageError) as caught:
        await called(function)
    assert caught.value.hint == "like this"


async def test_a_process_of_its_own(workshop):
    output = await called(workshop.where, process=True, inputs={"topic": "x"})
    assert output["topic"] == "x"
    assert output["pid"] != os.getpid()


async def test_a_process_is_killed_when_its_node_is_cancelled(workshop, tmp_path):
    started = tmp_path / "started"
    task = asyncio.ensure_future(called(workshop.wait, process=True, inputs={"started": str(started)}))
    while not (started.exists() and started.read_text()):
        assert not task.done()
        await asyncio.sleep(0.01)
    pid = int(started.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    deadline = time.monotonic() + 60
    while _alive(pid):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_process_that_dies_is_an_error(workshop):
    with pytest.raises(CodeError, match=r"ended without a result \(exit 3\)"):
        await called(workshop.die, process=True)


async def test_an_error_in_a_process_carries_the_users_lines(workshop):
    with pytest.raises(CodeError, match="ValueError: from the child") as caught:
        await called(workshop.fail, process=True)
    assert 'raise ValueError("from the child")' in caught.value.traceback


async def test_a_result_of_a_process_that_is_no_json_names_the_path(workshop):
    with pytest.raises(AwpError, match=r"f\.x is of type object"):
        await called(workshop.bad, process=True)


async def test_a_function_another_process_cannot_find_says_what_to_do():
    with pytest.raises(AwpError, match="cannot run in a process") as caught:
        await called(lambda: 1, process=True)
    assert "module" in caught.value.hint


def test_the_decorator_needs_a_name_and_gives_the_function_back():
    functions = AgentFunctions()

    def function():
        return 1

    assert functions.agent("one")(function) is function
    assert list(functions) == ["one"]
    assert len(functions) == 1
    for wrong in (function, ""):
        with pytest.raises(UsageError, match="needs a name"):
            functions.agent(wrong)
    with pytest.raises(UsageError, match="cannot be called"):
        functions.agent("two")(3)


def test_defining_an_agent_again_replaces_it_and_how_it_runs():
    functions = AgentFunctions()
    functions.agent("one", process=True)(print)
    assert functions.spec("one").process
    functions.agent("one")(repr)
    assert functions.spec("one").function is repr
    assert not functions.spec("one").process


def test_an_async_function_takes_no_process():
    async def function():
        return 1

    with pytest.raises(UsageError, match="async"):
        AgentFunctions().agent("one", process=True)(function)
