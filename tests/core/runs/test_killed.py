"""SIGKILL at every event of a run, in a process of its own: nothing finished is repeated, nothing is sent twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from awp_core.app import App

ROOT = Path(__file__).parents[3]
FLOW = """
awp: "1.0.0"
workflow: {name: killed, version: "1.0.0", description: Killed again and again.}
orchestration:
  graph:
    - {id: one, type: agent, agent: tally}
    - {id: two, type: agent, agent: tally, depends_on: [one]}
    - {id: tell, type: answer, text: Half way, depends_on: [two]}
    - {id: ask, type: ask_human, prompt: Go on?, expect: {field: ok, type: boolean}, depends_on: [two]}
    - {id: three, type: agent, agent: tally, depends_on: [ask, tell]}
    - {id: done, type: answer, text: "ok={{ask.ok}}", depends_on: [three]}
"""
CHILD = """
import os, signal, sys
from pathlib import Path
from awp_core.app import App

folder, deadly, run_id = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
app = App(environ={}, runs_dir=folder / "runs", directory=folder)

@app.functions.agent("tally")
async def tally(state):
    with (folder / "calls").open("a") as file:
        file.write(",".join(sorted(state)) + "\\n")
    return {"n": 1}

def kill(event):
    if event.seq == deadly:
        os.kill(os.getpid(), signal.SIGKILL)

if run_id == "new":
    app.start(app.load("killed"), replies={"ask": "yes"}, observers=(kill,)).wait()
else:
    run = app.open(run_id)
    waits = "ask" in {question.node for question in run.questions}
    run = app.resume(run, "yes" if waits else None, observers=(kill,)).wait()
    if run.status == "paused":
        run.reply("yes").wait()
"""


def child(folder: Path, deadly: int, run_id: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(deadly), run_id],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_run_that_is_killed_at_every_event_ends_as_if_it_had_not_been(tmp_path):
    (tmp_path / "killed.awp.yaml").write_text(FLOW)
    deadly, run_id = 1, "new"
    kills = 0
    while child(tmp_path, deadly, run_id) != 0:
        kills += 1
        (folder,) = (tmp_path / "runs").iterdir()
        run_id = folder.name
        recorded = len((folder / "events.jsonl").read_bytes().splitlines())
        deadly = recorded + 1 + kills % 4  # at its own run.resumed, or up to three events later
        assert kills < 60
    assert kills > 8

    run = App(environ={}, runs_dir=tmp_path / "runs").open(run_id)
    assert (run.status, run.result) == ("complete", "ok=true")
    events = list(run.events())
    ended = Counter(event.node for event in events if event.type == "node.finished")
    assert ended == dict.fromkeys(["one", "two", "tell", "ask", "three", "done"], 1)
    envelopes = Counter(event.node for event in events if event.type == "envelope.written")
    assert envelopes == {"tell": 1, "ask": 1, "done": 1}
    assert Counter(event.type for event in events)["human.replied"] == 1
    assert json.loads((run.folder / "run_completion.json").read_bytes())["status"] == "complete"
    # A node that was cut off runs again, a finished one never: each was called at most once after its last start.
    calls = Counter((tmp_path / "calls").read_text().splitlines())
    starts = Counter(event.node for event in events if event.type == "node.started")
    assert calls[""] <= starts["one"]
    assert calls["one"] <= starts["two"]
    assert calls["ask,tell"] <= starts["three"]
