"""Cut a run off after every single event: the resumed run ends as the uninterrupted one, and repeats nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from awp_core.app import App

FLOW = """
awp: "1.0.0"
workflow: {name: everywhere, version: "1.0.0", description: A run to be cut off.}
orchestration:
  engine: dag
  graph:
    - {id: first, type: agent, agent: counted}
    - id: choose
      type: route
      depends_on: [first]
      mode: condition
      cases:
        - {id: ask, when: {selector: first.n, op: "==", value: 1}}
        - {id: rest, default: true}
    - id: approve
      type: ask_human
      depends_on: [choose]
      branch: ask
      prompt: Go on?
      expect: {field: ok, type: boolean}
    - {id: never, type: agent, agent: counted, depends_on: [choose], branch: rest}
    - {id: side, type: agent, agent: counted, depends_on: [first]}
    - id: joined
      type: merge
      strategy: dict_union
      depends_on: [approve, never, side]
      inputs: [approve, side]
      output: all
    - {id: told, type: answer, depends_on: [joined], text: "ok={{approve.ok}}"}
"""


class Counter:
    """An app whose agent counts how often each node called it."""

    def __init__(self, runs: Path) -> None:
        self.app = App(runs_dir=runs, environ={})
        self.calls: dict[str, int] = {}

        @self.app.functions.agent("counted")
        async def counted(state):
            name = ",".join(sorted(state)) or "root"
            self.calls[name] = self.calls.get(name, 0) + 1
            return {"n": 1}


@pytest.fixture
def finished(tmp_path):
    """An uninterrupted run, answered in advance."""
    counter = Counter(tmp_path / "whole")
    (tmp_path / "flow.awp.yaml").write_text(FLOW)
    flow = counter.app.load(tmp_path / "flow.awp.yaml")
    run = asyncio.run(counter.app.arun(flow, replies={"approve": "yes"}))
    assert (run.status, run.result) == ("complete", "ok=true")
    return run


def outcome(run) -> dict[str, object]:
    return {
        "status": run.status,
        "result": run.result,
        "nodes": {name: (node.status, node.output) for name, node in run.nodes.items()},
    }


def cut(run, target: Path, lines: int, *, torn: bool) -> None:
    shutil.copytree(run.folder, target)
    whole = (run.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    tail = whole[lines][: len(whole[lines]) // 2] if torn and lines < len(whole) else b""
    (target / "events.jsonl").write_bytes(b"".join(whole[:lines]) + tail)
    for name in ("run_completion.json", "RUN_SUMMARY.md", "graph.svg"):
        (target / name).unlink(missing_ok=True)
    kept = {json.loads(line)["node"] for line in whole[:lines] if b'"envelope.written"' in line}
    # A crash may come just after the envelope reached the disk and before the record says so: leave those in place for
    # the event that follows, and remove the later ones, which would not exist yet.
    for file in (target / "outbox").glob("*.json"):
        following = json.loads(whole[lines])["node"] if lines < len(whole) else None
        if file.stem not in kept and file.stem != following:
            file.unlink()


@pytest.mark.parametrize("torn", [False, True])
def test_a_run_cut_off_anywhere_ends_the_same_and_repeats_no_finished_node(finished, tmp_path, torn):
    total = len((finished.folder / "events.jsonl").read_bytes().splitlines())
    expected = outcome(finished)
    assert total > 15
    for lines in range(1, total):
        counter = Counter(tmp_path / f"cut-{lines}-{torn}")
        folder = counter.app.runs_root() / finished.id
        folder.parent.mkdir()
        cut(finished, folder, lines, torn=torn)
        before = {
            json.loads(line)["node"]
            for line in (folder / "events.jsonl").read_bytes().splitlines()[:lines]
            if b'"node.finished"' in line
        }
        envelopes = {file: file.read_bytes() for file in (folder / "outbox").glob("*.json")}
        asked = json.loads(b"[" + b",".join((folder / "events.jsonl").read_bytes().splitlines()[:lines]) + b"]")
        replied = any(event["type"] == "human.replied" for event in asked)
        run = counter.app.open(finished.id)
        run = counter.app.resume(run).wait()
        if run.status == "paused":
            assert not replied, "an accepted reply was lost"
            run.reply("yes").wait()
        assert outcome(run) == expected, f"cut after event {lines}"
        for file, data in envelopes.items():
            assert file.read_bytes() == data
        started_again = [
            event.node
            for event in run.events()
            if event.seq > lines and event.type == "node.started" and event.node in before
        ]
        assert started_again == [], f"cut after event {lines}: {started_again} ran again"
