"""A sensitive variable never reaches the disk, an observer or an error, in whatever spelling."""

from __future__ import annotations

import base64
import urllib.parse

import pytest

from awp_core.app import App
from awp_core.channels.base import Envelope
from awp_core.errors import RunError
from awp_core.nodes.base import Lane, NodeConfig, NodeType
from awp_core.registry import Registry

SECRET = 's3cr3t/"käse" +1'  # noqa: S105 - made up
FLOW = """
awp: "1.0.0"
workflow:
  name: secretive
  version: "1.0.0"
  description: Tries to leak.
  env: [{name: TOKEN, required: true, sensitive: true}]
orchestration:
  graph:
    - {id: leak, type: agent, agent: leaker}
    - {id: told, type: answer, depends_on: [leak], text: "{{leak.plain}} {{env.TOKEN}}"}
    - {id: fail, type: agent, agent: failing, depends_on: [told], on_failure: continue}
    - {id: careless, type: careless, depends_on: [told], on_failure: continue}
"""


async def _careless(context, _config):
    await context.send(Envelope("notebook", "message", "owner", f"look: {SECRET}"))
    raise RuntimeError(f"it was {SECRET}")  # an error that is not ours keeps its traceback in error.txt


CARELESS = NodeType("careless", "Sends and raises the secret.", NodeConfig, _careless, lane=Lane.COMPUTE)


def spellings() -> list[bytes]:
    raw = SECRET.encode()
    quoted = [urllib.parse.quote(SECRET), urllib.parse.quote_plus(SECRET)]
    return [raw, base64.b64encode(raw).rstrip(b"="), *(text.encode() for text in quoted), b's3cr3t/\\"k']


@pytest.fixture
def app(tmp_path):
    app = App(environ={"TOKEN": SECRET}, runs_dir=tmp_path / "runs")
    app.__dict__["node_types"] = Registry("node type", [*app.node_types.values(), CARELESS])
    return app


@pytest.fixture
def run(app):
    seen: list[object] = []

    @app.functions.agent("leaker")
    async def leaker():
        encoded = base64.b64encode(SECRET.encode()).decode()
        return {"plain": f"a{SECRET}b", "nested": [{SECRET: urllib.parse.quote(SECRET)}], "encoded": encoded}

    @app.functions.agent("failing")
    async def failing():
        raise ValueError(f"cannot use {SECRET}")

    run = app.start(app.load_text(FLOW, "secretive"), observers=(seen.append,)).wait()
    return run, seen


def test_no_file_of_the_run_folder_holds_the_secret(run):
    run, seen = run
    assert run.status == "complete"
    assert run.result == "a[REDACTED]b "
    files = [file for file in run.folder.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {
        "events.jsonl",
        "run_completion.json",
        "RUN_SUMMARY.md",
        "told.json",
        "careless.json",
        "error.txt",
    }
    for file in files:
        data = file.read_bytes()
        for spelling in spellings():
            assert spelling not in data, f"{spelling!r} in {file.name}"
    assert SECRET not in repr(seen)


def test_an_error_does_not_tell_the_secret(app):
    @app.functions.agent("leaker")
    async def leaker():
        raise ValueError(SECRET)

    run = app.start(app.load_text(FLOW, "secretive")).wait()
    with pytest.raises(RunError) as caught:
        _ = run.result
    assert SECRET not in str(caught.value)
    assert "[REDACTED]" in str(caught.value)
