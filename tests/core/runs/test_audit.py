"""The audit chain: what it says, how it is bound together, and what a verifier finds (spec 08, Audit chain)."""

from __future__ import annotations

import hashlib
import json

import pytest

from awp_core.app import App
from awp_core.cli.main import main
from awp_core.errors import AuditError
from awp_core.events.model import Event
from awp_core.runs.audit import ZEROS, AuditTrail, Chain, claimed_by, verify
from awp_core.runs.layout import RunFolder

FLOW = """
awp: "1.0.0"
workflow: {name: audited, version: "1.0.0", description: Audited.}
inputs: {who: {type: string, default: top-secret-name}}
orchestration:
  graph:
    - {id: draft, type: agent, agent: writer}
    - {id: bad, type: agent, agent: broken, on_failure: continue}
    - {id: ask, type: ask_human, prompt: "Fine?", expect: {field: ok, type: boolean}, depends_on: [draft]}
    - {id: end, type: static, value: {b: top-secret-value, a: 1}, depends_on: [ask]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "20260101T000000Z-abcdef").mkdir()
    return RunFolder(tmp_path / "20260101T000000Z-abcdef")


def test_each_line_is_bound_to_the_one_before_it(folder):
    """Both lines written out by hand, with their canonical spelling and its hash."""
    trail = AuditTrail(folder, {"n"})
    trail.add(Event(2, "2026-01-01T00:00:00.000Z", 0.0, "node.started", "n", {}))
    trail.add(Event(3, "2026-01-01T00:00:01.000Z", 1.0, "node.failed", "n", {"kind": "CodeError", "contained": True,
                                                                             "error": "secret"}))  # fmt: skip
    trail.close()
    first = (
        '{"data":{"attempt":1},"event":2,"node":"n","prev_hash":"' + "0" * 64 + '","run_id":"20260101T000000Z-abcdef",'
        '"seq":1,"ts":"2026-01-01T00:00:00.000Z","type":"agent.start"}'
    )
    one = hashlib.sha256(("0" * 64 + first).encode()).hexdigest()
    second = (
        '{"data":{"contained":true,"kind":"CodeError"},"event":3,"node":"n","prev_hash":"' + one + '",'
        '"run_id":"20260101T000000Z-abcdef","seq":2,"ts":"2026-01-01T00:00:01.000Z","type":"agent.error"}'
    )
    two = hashlib.sha256((one + second).encode()).hexdigest()
    lines = [json.loads(line) for line in folder.audit.read_text().splitlines()]
    assert lines == [json.loads(first) | {"hash": one}, json.loads(second) | {"hash": two}]
    assert trail.chain == verify(folder.audit) == Chain(2, two)


def test_an_empty_chain_starts_from_zeros():
    assert Chain() == (0, "0" * 64)
    assert ZEROS == "0" * 64


def make(tmp_path) -> App:
    (tmp_path / "audited.awp.yaml").write_text(FLOW)
    app = App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)

    @app.functions.agent("writer")
    async def writer():
        return {"text": "top-secret-text"}

    @app.functions.agent("broken")
    async def broken():
        raise ValueError("top-secret-error")

    return app


@pytest.fixture
def run(tmp_path):
    app = make(tmp_path)
    run = app.start(app.load("audited")).wait().reply("yes").wait()
    assert run.status == "complete"
    return run


def entries(run) -> list[dict]:
    return [json.loads(line) for line in run.run_folder.audit.read_text().splitlines()]


def test_it_tells_who_did_what_and_never_a_value(run):
    told = [(entry["type"], entry["node"]) for entry in entries(run)]
    assert told[0] == ("workflow.start", None)
    assert told[-1] == ("workflow.complete", None)
    assert [kind for kind, node in told if node == "draft"] == [
        "agent.start", "agent.complete", "state.change",
    ]  # fmt: skip
    assert [kind for kind, node in told if node == "bad"] == ["agent.start", "agent.error"]
    assert [kind for kind, node in told if node == "ask"] == ["human.asked", "human.replied", "state.change"]
    assert [kind for kind, node in told if node == "end"] == ["state.change"]
    by_node = {entry["node"]: entry["data"] for entry in entries(run)}
    assert by_node["end"] == {"fields": ["a", "b"]}
    assert by_node["bad"] == {"kind": "CodeError", "contained": True}
    assert entries(run)[0]["data"]["inputs"] == ["who"]
    assert "top-secret" not in run.run_folder.audit.read_text()


def test_the_completion_says_where_the_chain_ends(run):
    claimed = claimed_by(run.run_folder)
    assert claimed == verify(run.run_folder.audit)
    assert claimed.length == len(entries(run))
    assert claimed.head == entries(run)[-1]["hash"]


def change(lines: list[bytes]) -> list[bytes]:
    return [lines[0].replace(b"1.0.0", b"6.6.6"), *lines[1:]]


def change_with_its_hash(lines: list[bytes]) -> list[bytes]:
    entry = json.loads(lines[2])
    entry["type"] = "agent.complete"
    body = {name: value for name, value in entry.items() if name != "hash"}
    spelled = json.dumps(body, sort_keys=True, separators=(",", ":"))
    entry["hash"] = hashlib.sha256((entry["prev_hash"] + spelled).encode()).hexdigest()
    return [*lines[:2], json.dumps(entry).encode() + b"\n", *lines[3:]]


@pytest.mark.parametrize(
    ("tamper", "line", "reason"),
    [
        (change, 1, "it was changed"),
        (change_with_its_hash, 4, "it does not follow the line before it"),
        (lambda lines: lines[:3] + lines[4:], 4, "entry 4 is missing"),
        (lambda lines: lines[1:], 1, "entry 1 is missing"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], 4, "entry 3 stands twice"),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], 4, "entry 4 is missing"),
        (lambda lines: [*lines[:3], b"{}\n", *lines[4:]], 4, "this line is damaged"),
        (lambda lines: [*lines[:3], b"\xff\n", *lines[4:]], 4, "this line is damaged"),
        (lambda lines: lines[:-2], -1, "the last 2 of "),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], -1, "this line is cut off"),
    ],
)
def test_a_verifier_names_the_first_line_that_is_wrong(run, tamper, line, reason):
    file = run.run_folder.audit
    lines = file.read_bytes().splitlines(keepends=True)
    changed = tamper(lines)
    file.write_bytes(b"".join(changed))
    with pytest.raises(AuditError) as caught:
        verify(file, claimed_by(run.run_folder))
    number = line if line > 0 else len(changed) if reason.startswith("this") else len(changed) + 1
    assert f"audit.jsonl:{number}: {reason}" in caught.value.message


def test_a_chain_made_anew_from_its_middle_is_found_by_its_end(run):
    """Whoever writes the whole rest anew gets another last hash than the completion says."""
    file = run.run_folder.audit
    head, lines = ZEROS, []
    for entry in entries(run):
        entry["prev_hash"] = head
        entry["run_id"] = "20260101T000000Z-000000"
        body = {name: value for name, value in entry.items() if name != "hash"}
        spelled = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        head = entry["hash"] = hashlib.sha256((head + spelled).encode()).hexdigest()
        lines.append(json.dumps(entry))
    file.write_text("\n".join(lines) + "\n")
    verify(file)
    with pytest.raises(AuditError, match=r"its end is another one than run_completion\.json says"):
        verify(file, claimed_by(run.run_folder))


@pytest.mark.parametrize("torn", [False, True])
def test_what_a_crash_left_out_is_added_when_the_run_goes_on(tmp_path, torn):
    app = make(tmp_path)
    run = app.start(app.load("audited")).wait()
    file = run.run_folder.audit
    whole = file.read_bytes().splitlines(keepends=True)
    for kept in range(len(whole) + 1):
        tail = whole[kept][:7] if torn and kept < len(whole) else b""
        file.write_bytes(b"".join(whole[:kept]) + tail)
        trail = AuditTrail.resume(run.run_folder, list(run.events()), {"draft", "bad"})
        trail.close()
        assert file.read_bytes() == b"".join(whole), kept
    run.reply("yes").wait()
    assert verify(file, claimed_by(run.run_folder)).length == len(entries(run))


def test_a_broken_chain_stops_a_resume_until_it_is_moved_away(tmp_path):
    app = make(tmp_path)
    run = app.start(app.load("audited")).wait()
    file = run.run_folder.audit
    file.write_bytes(file.read_bytes().replace(b"1.0.0", b"6.6.6"))
    record = run.run_folder.events.read_bytes()
    with pytest.raises(AuditError, match="it was changed"):
        run.reply("yes")
    assert run.run_folder.events.read_bytes() == record
    file.rename(file.with_suffix(".broken"))
    assert run.reply("yes").wait().status == "complete"
    assert verify(file, claimed_by(run.run_folder)).length == len(entries(run))


def test_events_that_a_power_cut_took_leave_a_trace(tmp_path):
    app = make(tmp_path)
    run = app.start(app.load("audited")).wait()
    events = list(run.events())
    trail = AuditTrail.resume(run.run_folder, events[:-3], {"draft", "bad"})
    trail.close()
    last = entries(run)[-1]
    assert (last["type"], last["data"]["kind"]) == ("security.event", "record.shorter")
    assert last["data"]["recorded"] == len(events) - 3
    verify(run.run_folder.audit)


def test_the_command_says_that_it_is_intact_or_which_line_is_not(run, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "verify", run.id]) == 0
    out = capsys.readouterr().out
    assert out == f"{run.id}: intact, {len(entries(run))} entries, head {entries(run)[-1]['hash']}\n"
    assert main(["audit", "verify", str(run.run_folder.audit)]) == 0
    file = run.run_folder.audit
    file.write_bytes(file.read_bytes().replace(b"1.0.0", b"6.6.6"))
    assert main(["audit", "verify", run.id]) == 1
    assert "audit.jsonl:1: it was changed" in capsys.readouterr().err
    assert main(["audit", "verify", "nothing"]) == 5
