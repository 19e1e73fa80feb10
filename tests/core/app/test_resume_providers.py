"""A resumed run keeps the provider it was started with, and no stub ever stands in for somebody's function."""

from __future__ import annotations

import pytest

from awp_core.app import App
from awp_core.errors import EngineUnavailableError, RunError
from awp_core.runs.files import create_once

FLOW = """
awp: "1.0.0"
workflow: {name: writing, version: "1.0.0", description: Asks before it writes., SETTINGS}
orchestration:
  graph:
    - {id: ask, type: ask_human, prompt: Go on?, expect: {field: ok, type: boolean}}
    - {id: write, type: agent, agent: writer, instructions: Write., depends_on: [ask]}
"""


def parked(tmp_path, settings: str = "author: somebody", *, function: bool = False, **options):
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)
    if function:
        app.functions.agent("writer")(lambda: {"text": "written"})
    (tmp_path / "writing.awp.yaml").write_text(FLOW.replace("SETTINGS", settings))
    return app.start(app.load("writing"), **options).wait()


def elsewhere(tmp_path) -> App:
    return App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)


def test_a_run_started_with_the_stub_never_turns_to_a_model(tmp_path):
    model = "settings: {llm: {default_model: claude-sonnet-4}}"
    run = parked(tmp_path, model, provider="stub")
    finished = elsewhere(tmp_path).resume(run.id, "yes").wait()
    assert finished.status == "complete"
    assert "[stub]" in finished.nodes["write"].output["text"]


def test_a_model_that_cannot_be_used_stops_the_run_before_the_question(tmp_path):
    with pytest.raises(EngineUnavailableError, match="engine_unavailable: 'anthropic' is needed by write"):
        parked(tmp_path, "settings: {llm: {default_model: claude-sonnet-4}}")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("damaged", [False, True])
def test_a_function_of_another_session_is_missed_by_name(tmp_path, damaged):
    run = parked(tmp_path, function=True)
    if damaged:
        (run.folder / "run_manifest.json").write_text("{")
    other = elsewhere(tmp_path)
    with pytest.raises(EngineUnavailableError, match="the run calls writer, Python functions of the session"):
        other.resume(run.id, "yes")
    other.functions.agent("writer")(lambda: {"text": "again"})
    assert other.resume(run.id, "yes").wait().result == {"text": "again"}


def test_an_answer_to_a_run_that_was_cut_off_before_it_asked_says_what_to_do(tmp_path):
    run = parked(tmp_path)
    events = run.folder / "events.jsonl"
    events.write_bytes(events.read_bytes().partition(b"\n")[0] + b"\n")
    (run.folder / "checkpoint.json").unlink()
    with pytest.raises(RunError, match="was cut off before it asked") as caught:
        elsewhere(tmp_path).resume(run.id, "yes")
    assert f"awp resume {run.id}" in caught.value.hint


def test_an_envelope_is_written_once_also_without_hard_links(tmp_path, monkeypatch):
    """No file system without hard links can be mounted everywhere, so the refusal is played here."""

    def refuse(_source, _target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    path = tmp_path / "outbox" / "ask.json"
    assert create_once(path, b"first") is True
    assert create_once(path, b"second") is False
    assert path.read_bytes() == b"first"
