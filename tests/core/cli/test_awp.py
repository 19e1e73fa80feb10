"""The `awp` command as a person types it, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ASK = """
awp: "1.0.0"
workflow: {name: asking, version: "1.0.0", description: Asks.}
inputs: {who: {type: string, default: you}}
orchestration:
  graph:
    - {id: approve, type: ask_human, prompt: "May I, {{who}}?", expect: {field: ok, type: boolean}}
    - {id: told, type: answer, depends_on: [approve], text: "ok={{approve.ok}}"}
"""
SLOW = """
awp: "1.0.0"
workflow: {name: slow, version: "1.0.0", description: Never ends by itself.}
orchestration:
  graph:
    - id: slow
      type: code
      outputs: [x]
      source: |
        def main():
            while True:
                pass
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "asking.awp.yaml").write_text(ASK)
    return tmp_path


def environment() -> dict[str, str]:
    root = Path(__file__).parents[3]
    return {**os.environ, "PYTHONPATH": str(root)}


def awp(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "awp_core", *words],
        cwd=place,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_run_prints_only_the_result_to_stdout(place):
    done = awp(place, "run", "asking", "--reply", "approve=yes")
    assert (done.returncode, done.stdout) == (0, "ok=true\n")
    assert "✓ approve" in done.stderr


def test_a_question_ends_with_exit_code_4_and_says_how_to_answer(place):
    done = awp(place, "run", "asking.awp.yaml", "who=Ada")
    assert (done.returncode, done.stdout) == (4, "")
    run_id = next((place / "runs").iterdir()).name
    assert "? approve asks owner: May I, Ada?" in done.stderr
    assert f"awp reply {run_id} VALUE" in done.stderr
    answered = awp(place, "reply", run_id[:14], "no")
    assert (answered.returncode, answered.stdout) == (0, "ok=false\n")


def test_runs_lists_and_shows(place):
    assert awp(place, "runs").stdout == f"no runs in {place / 'runs'}\n"
    awp(place, "run", "asking")
    listed = awp(place, "runs", "--paused").stdout
    assert "paused" in listed
    assert "? approve: May I, you?" in listed
    shown = json.loads(awp(place, "runs", "asking", "--json").stdout)
    assert (shown["status"], shown["nodes"]["told"]["status"]) == ("paused", "pending")


def test_json_is_the_whole_completion(place):
    done = awp(place, "run", "asking", "--reply", "approve=yes", "--json", "--quiet")
    completion = json.loads(done.stdout)
    assert (completion["status"], completion["result"], done.stderr) == ("complete", "ok=true", "")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", "nope"], 5, "there is no workflow 'nope'"),
        (["run", "asking", "who"], 2, "'who' is no input"),
        (["run", "asking", "--reply", "approv=yes"], 5, "did you mean 'approve'?"),
        (["rum"], 2, "did you mean 'run'?"),
        (["reply", "20260101T000000Z-aaaaaa", "x"], 5, "there is no run"),
        (["run", "asking", "who=@missing.txt"], 2, "cannot read 'missing.txt'"),
        ([], 2, "usage: awp"),
    ],
)
def test_a_mistake_gets_one_clear_error_and_its_exit_code(place, words, code, says):
    done = awp(place, *words)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_findings_point_at_the_line(place):
    (place / "bad.awp.yaml").write_text(ASK.replace("ask_human", "ask_humna"))
    done = awp(place, "run", "bad.awp.yaml")
    assert done.returncode == 1
    assert "bad.awp.yaml:7:27: error N1" in done.stderr
    assert "did you mean 'ask_human'?" in done.stderr
    assert not (place / "runs").exists()


def test_control_characters_from_outside_never_reach_the_terminal(place):
    done = awp(place, "run", "asking", "who=\x1b[2J\x07")
    assert "\x1b" not in done.stderr
    assert "␛[2J␇" in done.stderr


def wait_for(condition, what: str) -> None:
    end = time.monotonic() + 30
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within 30 s"
        pause.wait(0.02)


@pytest.fixture
def slow(place):
    (place / "slow.awp.yaml").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "awp_core", "run", "slow.awp.yaml"],
        cwd=place, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    events = place / "runs"
    wait_for(lambda: any(b"node.started" in f.read_bytes() for f in events.glob("*/events.jsonl")), "the node")
    yield process
    process.kill()
    process.communicate()  # harmless when the test did it


def test_ctrl_c_cancels_and_leaves_a_readable_folder(place, slow):
    slow.send_signal(signal.SIGINT)
    _, errors = slow.communicate(timeout=30)
    assert slow.returncode == 130, errors
    assert "is cancelled; folder" in errors
    assert json.loads(awp(place, "runs", "slow", "--json").stdout)["status"] == "cancelled"


def test_another_terminal_cancels_a_working_run(place, slow):
    done = awp(place, "cancel", "slow")
    assert done.stdout.endswith("is cancelled\n"), done.stderr
    assert slow.wait(30) == 130


def test_a_second_worker_is_refused_while_one_works(place, slow):
    done = awp(place, "resume", "slow")
    assert done.returncode == 1
    assert f"is being worked on by process {slow.pid}" in done.stderr


def test_a_killed_run_is_interrupted_and_resumable(place, slow):
    slow.kill()
    slow.communicate()
    assert json.loads(awp(place, "runs", "slow", "--json").stdout)["status"] == "interrupted"
    done = awp(place, "cancel", "slow")
    assert "is cancelled" in done.stdout


def test_a_terminal_without_a_character_still_gets_the_result(place):
    (place / "uni.awp.yaml").write_text(
        'awp: "1.0.0"\nworkflow: {name: uni, version: "1.0.0", description: d}\norchestration:\n  graph:\n'
        '    - {id: told, type: answer, text: "caf\\u00e9"}\n'
    )
    ascii_only = {**environment(), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "awp_core", "run", "uni.awp.yaml", "--quiet"]
    plain = subprocess.run(command, cwd=place, env=ascii_only, capture_output=True, check=True)
    assert plain.stdout == b"caf\\xe9\n"
    as_json = subprocess.run([*command, "--json"], cwd=place, env=ascii_only, capture_output=True, check=True)
    assert json.loads(as_json.stdout)["result"] == "caf\u00e9"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse a name that is not Unicode")
def test_a_run_works_in_a_folder_whose_name_is_not_unicode(place):
    odd = place / os.fsdecode(b"odd \xff\nname")
    odd.mkdir()
    (odd / "uni.awp.yaml").write_text(
        'awp: "1.0.0"\nworkflow: {name: uni, version: "1.0.0", description: d}\norchestration:\n  graph:\n'
        "    - {id: told, type: answer, text: here}\n"
    )
    assert awp(odd, "run", "uni.awp.yaml", "--quiet").stdout == "here\n"
    assert "complete" in awp(odd, "runs").stdout


@pytest.mark.parametrize("value", ["[" * 100_000, '{"a": 1, "a": 2}', "9" * 5000])
def test_an_input_that_json_would_lose_stays_the_text_it_is(place, value):
    (place / "echo.awp.yaml").write_text(
        'awp: "1.0.0"\nworkflow: {name: echo, version: "1.0.0", description: d}\norchestration:\n  graph:\n'
        '    - {id: told, type: answer, text: "{{inputs.x}}"}\n'
    )
    assert awp(place, "run", "echo.awp.yaml", f"x={value}", "--quiet").stdout == value + "\n"


def test_nobody_takes_the_stub_for_a_model(place):
    (place / "agents.awp.yaml").write_text(
        ASK.replace("ask_human, prompt", "agent, instructions").replace("asking", "agents")
    )
    done = awp(place, "run", "agents.awp.yaml", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    done = awp(place, "run", "agents.awp.yaml", "--quiet")
    assert done.stderr == "note: stub: canned answers, no model\n"
    summaries = [file.read_text() for file in (place / "runs").glob("*/RUN_SUMMARY.md")]
    assert all("Provider: stub (stub: canned answers, no model)" in text for text in summaries)
