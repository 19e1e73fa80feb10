"""`compute`: Python in the sandbox, or an installed function in a process of its own (spec 02)."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest
from pydantic import ValidationError

from awp_core.app import App
from awp_core.errors import AwpError, CodeError
from awp_core.nodes.builtin.compute import NODE
from awp_core.nodes.testing import RecordingContext, run_node
from awp_core.sandbox.runner import Sandbox

MODULE = """
import os, sys, time

def total(values, start=0):
    print("adding", len(values))
    os.system("echo from a child")
    return {"sum": sum(values) + start, "count": len(values), "pid": os.getpid()}

def broken(values):
    raise ValueError("no such luck")

def leaves(values):
    sys.exit(3)

def no_mapping(values):
    return [1]

def no_json(values):
    return {"x": float("nan")}

def hangs(values):
    os.fork()
    open(values, "a").write(f"{os.getpid()}\\n")
    time.sleep(600)
"""


@pytest.fixture
def context(tmp_path, monkeypatch):
    (tmp_path / "sums.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return RecordingContext(outputs={"a": {"values": [1, 2, 3]}})


def config(name: str, **more) -> dict[str, object]:
    return {"function": f"sums:{name}", "inputs": {"values": "a.values"}, **more}


async def test_a_function_runs_in_a_process_of_its_own(context):
    output = await run_node(NODE, config("total"), context)
    assert (output["sum"], output["count"]) == (6, 3)
    assert output["pid"] != os.getpid()


async def test_only_the_declared_outputs_are_kept(context):
    assert await run_node(NODE, config("total", outputs=["sum"]), context) == {"sum": 6}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("broken", CodeError, "ValueError: no such luck"),
        ("leaves", CodeError, "its process ended without a result (exit code 3)"),
        ("missing", CodeError, "cannot import 'sums:missing'"),
        ("no_mapping", AwpError, "returned list, not a mapping"),
        ("no_json", CodeError, "the result.x is nan"),
    ],
)
async def test_what_goes_wrong_is_told(context, name, kind, said):
    with pytest.raises(kind) as caught:
        await run_node(NODE, config(name), context)
    assert said in caught.value.message


async def test_a_missing_output_is_told_with_what_was_returned(context):
    with pytest.raises(AwpError, match=r"did not return mean") as caught:
        await run_node(NODE, config("total", outputs=["mean"]), context)
    assert caught.value.hint == "it returned sum, count, pid"


async def test_an_error_shows_the_users_own_line(context):
    with pytest.raises(CodeError) as caught:
        await run_node(NODE, config("broken"), context)
    assert 'raise ValueError("no such luck")' in caught.value.traceback
    assert "awp_core" not in caught.value.traceback


async def test_source_runs_in_the_sandbox_as_in_a_code_node(tmp_path):
    sandbox = Sandbox({})
    context = RecordingContext(outputs={"a": 2}, run_code=sandbox.run)
    source = "def main(n):\n    return {'n': n * 2}"
    try:
        assert await run_node(NODE, {"source": source, "inputs": {"n": "a"}, "outputs": ["n"]}, context) == {"n": 4}
    finally:
        await sandbox.aclose()


@pytest.mark.parametrize(
    "wrong", [{}, {"source": "x", "function": "a:b"}, {"function": "a"}, {"function": "../a:b"}, {"function": "a:b()"}]
)
def test_it_needs_one_of_the_two_and_a_name_that_is_one(wrong):
    with pytest.raises(ValidationError):
        NODE.config.model_validate(wrong)


HANGS = "- {id: it, type: compute, function: sums:hangs, inputs: {values: inputs.file}, timeout: LIMIT}"


def test_a_time_out_ends_the_process(tmp_path, context):
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    text = HANGS.replace("LIMIT", "0.5")
    done = asyncio.run(app.arun(app.load_text(text), {"file": str(tmp_path / "pids")}))
    assert done.reason == "it: it took longer than its 0.5 s and was stopped"


@pytest.mark.skipif(os.name != "posix", reason="needs Linux or macOS: it forks")
def test_a_cancelled_function_is_gone_with_what_it_started(tmp_path, context):
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    file = tmp_path / "pids"
    run = app.start(app.load_text(HANGS.replace("LIMIT", "60")), {"file": str(file)})
    waiting = threading.Event()
    while not file.exists() or len(file.read_text().split()) < 2:
        waiting.wait(0.01)
    started = [int(pid) for pid in file.read_text().split()]
    run.cancel()
    assert run.status == "cancelled"
    while any(map(alive, started)):  # killed, and gone as soon as the system is done with it
        waiting.wait(0.01)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except FileNotFoundError:
        return False


def test_what_it_prints_goes_to_the_log_and_not_into_the_result(tmp_path, context):
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    text = "- {id: it, type: compute, function: sums:total, inputs: {values: inputs.v}, outputs: [sum]}\n"
    done = asyncio.run(app.arun(app.load_text(text), {"v": [4, 5]}))
    assert done.result == {"sum": 9}
    assert sorted((done.folder / "nodes" / "it" / "log.txt").read_text().splitlines()) == ["adding 2", "from a child"]
