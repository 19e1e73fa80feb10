from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from awp_core.channels.base import Envelope
from awp_core.errors import NotFoundError, RunFolderError, RunLockedError
from awp_core.events.model import Event
from awp_core.runs import lock
from awp_core.runs.layout import RunFolder
from awp_core.runs.lock import RunLock, is_locked
from awp_core.runs.reader import read_record
from awp_core.runs.recorder import LARGE, RunRecorder, create_run_folder


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "20260101T000000Z-abcdef")


@pytest.fixture
def recorder(folder):
    made = RunRecorder(folder, create_run_folder(folder, b"awp: 1.0.0\n", {"run_id": folder.run_id}))
    yield made
    made.close()


def event(seq: int, kind: str = "node.finished", **data: object) -> Event:
    return Event(seq, "2026-01-01T00:00:00.000Z", 0.5, kind, "a", data)


def test_an_event_is_on_disk_when_record_returns(recorder, folder):
    recorder.record(event(1, output={"x": 1}))
    line = json.loads(folder.events.read_bytes())
    assert line.pop("data") == {"output": {"x": 1}}
    assert line == {"seq": 1, "ts": "2026-01-01T00:00:00.000Z", "t": 0.5, "type": "node.finished", "node": "a"}


def test_a_held_event_is_written_with_the_next_one(recorder, folder):
    recorder.record(event(1, "node.started"), hold=True)
    assert folder.events.read_bytes() == b""
    recorder.record(event(2, output=None))
    assert [e.seq for e in read_record(folder).events] == [1, 2]


def test_a_large_value_goes_to_artifacts_and_comes_back(recorder, folder):
    value = "x" * (LARGE + 1)
    recorder.record(event(1, output=value, backend="bwrap"))
    line = json.loads(folder.events.read_bytes())
    assert line["data"] == {"backend": "bwrap"}
    reference = line["artifacts"]["output"]
    assert reference["size"] == LARGE + 3  # two quotes
    assert (folder.root / reference["path"]).stat().st_size == LARGE + 3
    assert read_record(folder).events[0].data == {"backend": "bwrap", "output": value}


def test_a_changed_artifact_is_noticed(recorder, folder):
    recorder.record(event(1, output="x" * (LARGE + 1)))
    artifact = next(folder.artifacts.iterdir())
    artifact.write_bytes(artifact.read_bytes().replace(b"x", b"y", 1))
    with pytest.raises(RunFolderError, match="was changed"):
        read_record(folder)


def test_a_reference_cannot_lead_out_of_the_folder(recorder, folder, tmp_path):
    recorder.record(event(1, output="small"))
    line = json.loads(folder.events.read_bytes())
    line["artifacts"] = {"output": {"path": "x", "size": 1, "sha256": "../../../secret"}}
    folder.events.write_text(json.dumps(line) + "\n")
    (tmp_path / "secret.json").write_text("1")
    with pytest.raises(RunFolderError, match="leaves the run folder"):
        read_record(folder)


def test_a_node_cannot_forge_a_reference_through_its_output(recorder, folder):
    forged = {"artifacts": {"output": {"path": "artifacts/x", "sha256": "x", "size": 1}}}
    recorder.record(event(1, output=forged))
    assert read_record(folder).events[0].data == {"output": forged}


def test_a_torn_last_line_is_left_out(recorder, folder):
    recorder.record(event(1, output=1))
    size = folder.events.stat().st_size
    with folder.events.open("ab") as file:
        file.write(b'{"seq": 2, "ts"')
    record = read_record(folder)
    assert ([e.seq for e in record.events], record.size, record.torn) == ([1], size, True)


def test_a_damaged_line_in_the_middle_is_named(recorder, folder):
    for seq in (1, 2, 3):
        recorder.record(event(seq, output=seq))
    lines = folder.events.read_bytes().splitlines(keepends=True)
    folder.events.write_bytes(lines[0] + b"rubbish\n" + lines[2])
    with pytest.raises(RunFolderError, match=r"events\.jsonl:2: this line"):
        read_record(folder)


def test_a_missing_record_is_not_found(folder):
    with pytest.raises(NotFoundError):
        read_record(folder)


def test_an_envelope_is_written_once(recorder, folder):
    first = Envelope("notebook", "question", "owner", "first")
    assert recorder.write_envelope("ask", first) is True
    assert recorder.write_envelope("ask", Envelope("notebook", "question", "owner", "second")) is False
    assert json.loads(folder.envelope("ask").read_bytes())["text"] == "first"
    assert [file.name for file in folder.outbox.iterdir()] == ["ask.json"]


def test_a_removed_folder_stops_the_run(recorder, folder):
    recorder.record(event(1, output=1))
    shutil.rmtree(folder.root)
    with pytest.raises(RunFolderError, match="was removed"):
        recorder.record(event(2, output=2))


def test_a_run_id_is_never_used_twice(recorder, folder):
    with pytest.raises(RunFolderError, match="File exists"):
        create_run_folder(folder, b"", {})


def test_a_second_worker_is_refused_and_told_who_works(recorder, folder):
    with pytest.raises(RunLockedError, match=r"process \d+ on"):
        RunLock(folder.lock)
    assert is_locked(folder.lock)
    recorder.close()
    assert not is_locked(folder.lock)
    RunLock(folder.lock).release()


def test_another_process_is_refused_and_a_dead_owner_is_not_waited_for(folder):
    folder.root.mkdir(parents=True)
    code = (
        "import sys\nfrom pathlib import Path\nfrom awp_core.runs.lock import RunLock\n"
        "lock = RunLock(Path(sys.argv[1]))\nprint('locked', flush=True)\nsys.stdin.read()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "locked\n"
        with pytest.raises(RunLockedError, match=f"process {owner.pid} "):
            RunLock(folder.lock)
    finally:
        owner.kill()
        owner.communicate()
    RunLock(folder.lock).release()


def test_logs_are_bounded(recorder, folder):
    for _ in range(5):
        recorder.log("noisy", "x" * 1024 * 1024)
    assert folder.node("noisy", "log.txt").stat().st_size == 4 * 1024 * 1024


def test_nothing_follows_an_event_that_could_not_be_written(recorder, folder):
    recorder.record(event(1, output=1))
    kept = recorder._descriptor
    recorder._descriptor = os.open(folder.events, os.O_RDONLY)  # writing fails, as on a full disk
    try:
        with pytest.raises(RunFolderError, match="cannot write"):
            recorder.record(event(2, output=2))
    finally:
        os.close(recorder._descriptor)
        recorder._descriptor = kept
    with pytest.raises(RunFolderError, match="cannot write"):
        recorder.record(event(3, output=3))
    assert [e.seq for e in read_record(folder).events] == [1]


def test_asking_whether_a_run_is_locked_never_refuses_its_next_owner(folder, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    folder.root.mkdir()
    RunLock(folder.lock).release()
    asking = os.open(folder.lock, os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)  # what `is_locked` holds for a moment
    real, asked = lock._flock, []

    def flock(descriptor, kind):
        if len(asked) == 3:  # refused once, then it is found to be no owner, and is tried again
            os.close(asking)
        asked.append(kind)
        return real(descriptor, kind)

    monkeypatch.setattr(lock, "_flock", flock)
    with RunLock(folder.lock):
        assert is_locked(folder.lock)
    assert not is_locked(folder.lock)
