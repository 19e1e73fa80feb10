"""`awp runs prune` and `awp runs rebuild` (spec 08): old runs go, never a live one; derived files come back."""

from __future__ import annotations

import datetime as dt
import json
import shutil

import pytest

from awp_core.app import App
from awp_core.browse import verify_audit
from awp_core.cli.main import main
from awp_core.errors import AuditError, RunError, RunFolderError, RunLockedError, UsageError
from awp_core.runs.lock import RunLock
from awp_core.upkeep import prune, rebuild

DONE = """
awp: "1.0.0"
workflow: {name: done, version: "1.0.0", description: Ends at once.}
orchestration: {graph: [{id: a, type: static, value: {x: 1}}]}
"""
ASKS = """
awp: "1.0.0"
workflow: {name: asks, version: "1.0.0", description: Waits for a person.}
orchestration:
  graph:
    - {id: q, type: ask_human, prompt: "Fine?", expect: {field: ok, type: boolean}}
    - {id: p, type: ask_human, prompt: "Sure?", expect: {field: sure, type: text}, timeout_minutes: 9999}
"""


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return App(environ={}, directory=tmp_path)


def run(app, text=DONE):
    return app.start(app.load_text(text)).wait()


def ids(app):
    return sorted(folder.name for folder in app.runs_root().iterdir())


def aged(run, days):
    """Have the record say that the run ended some days ago."""
    stamp = (dt.datetime.now(dt.UTC) - dt.timedelta(days=days)).isoformat(timespec="milliseconds")
    lines = run.run_folder.events.read_text().splitlines()
    last = json.loads(lines[-1]) | {"ts": stamp.replace("+00:00", "Z")}
    run.run_folder.events.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    return run


# --- prune ---------------------------------------------------------------------------------------------------------


def test_the_newest_are_kept_and_the_oldest_go_first(app):
    one, two, three, four = (run(app).id for _ in range(4))
    assert [gone.id for gone in prune(app, keep=2)] == [one, two]
    assert ids(app) == [three, four]


def test_only_what_ended_long_enough_ago_goes(app):
    old, young = aged(run(app), 40), aged(run(app), 20)
    assert [gone.id for gone in prune(app, older=30)] == [old.id]
    assert ids(app) == [young.id]


def test_both_limits_count(app):
    runs = [aged(run(app), 40) for _ in range(3)]
    assert [gone.id for gone in prune(app, keep=2, older=30)] == [runs[0].id]
    assert prune(app, keep=2, older=30) == []


def test_what_waits_works_was_cut_off_or_is_damaged_stays(app):
    waits, cut, damaged, ended = run(app, ASKS), run(app), run(app), run(app)
    lines = cut.run_folder.events.read_text().splitlines(keepends=True)
    cut.run_folder.events.write_text("".join(lines[:-1]))
    damaged.run_folder.events.write_text("not JSON\n")
    assert [gone.id for gone in prune(app, keep=0)] == [ended.id]
    assert ids(app) == sorted([waits.id, cut.id, damaged.id])


def test_a_run_whose_last_files_are_being_written_stays(app):
    ended = run(app)
    with RunLock(ended.run_folder.lock):
        assert prune(app, keep=0) == prune(app, keep=0, dry_run=True) == []
    assert ids(app) == [ended.id]


def test_a_link_is_not_followed(app, tmp_path):
    ended = run(app)
    elsewhere = tmp_path / ended.id
    ended.folder.rename(elsewhere)
    (app.runs_root() / ended.id).symlink_to(elsewhere)
    assert prune(app, keep=0) == []
    assert (elsewhere / "events.jsonl").exists()


def test_a_link_inside_a_run_leads_nobody_out(app, tmp_path):
    ended = run(app)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("mine")
    (ended.folder / "link").symlink_to(tmp_path / "precious")
    assert len(prune(app, keep=0)) == 1
    assert (tmp_path / "precious" / "file").read_text() == "mine"


def test_a_dry_run_removes_nothing(app, capsys):
    ended = run(app)
    assert main(["runs", "prune", "--keep", "0", "--dry-run"]) == 0
    assert capsys.readouterr().out == f"would remove 1 run\n  {ended.id}  complete  done\n"
    assert ids(app) == [ended.id]
    assert main(["runs", "prune", "--keep", "0"]) == 0
    assert capsys.readouterr().out == f"removed 1 run\n  {ended.id}  complete  done\n"
    assert ids(app) == []


def test_a_time_that_is_none_is_a_damaged_run_which_stays(app):
    ended = run(app)
    text = ended.run_folder.events.read_text()
    *rest, last = text.splitlines()
    ended.run_folder.events.write_text("\n".join([*rest, json.dumps(json.loads(last) | {"ts": "soon"})]) + "\n")
    assert prune(app, keep=0) == []
    assert ids(app) == [ended.id]


def test_more_days_than_a_calendar_has_remove_nothing(app):
    run(app)
    assert prune(app, older=1e300) == []


def test_what_a_killed_prune_left_goes_and_nothing_else_of_that_name(app):
    left = app.runs_root() / f".pruned-{run(app).id}"
    (app.runs_root() / left.name.removeprefix(".pruned-")).rename(left)
    mine = app.runs_root() / ".pruned-by-hand"
    mine.mkdir()
    assert prune(app, keep=0, dry_run=True) == []
    assert left.exists()
    assert prune(app, keep=0) == []
    assert [path.name for path in app.runs_root().iterdir()] == [mine.name]


@pytest.mark.parametrize("limits", [{}, {"keep": -1}, {"older": -0.5}, {"older": float("nan")}])
def test_limits_that_say_nothing_are_refused(limits, app):
    ended = run(app)
    with pytest.raises(UsageError):
        prune(app, **limits)
    assert ids(app) == [ended.id]


# --- rebuild -------------------------------------------------------------------------------------------------------


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without(folder, *names):
    for name in names:
        (folder / name).unlink()


def test_the_files_of_a_run_that_is_over_come_back_byte_for_byte(app):
    ended = run(app)
    before = contents(ended.folder)
    without(ended.folder, "run_completion.json", "RUN_SUMMARY.md", "graph.svg")
    written = rebuild(app, ended)
    assert [file.name for file in written] == ["run_completion.json", "RUN_SUMMARY.md", "graph.svg"]
    assert contents(ended.folder) == before


def test_the_checkpoint_of_a_paused_run_comes_back_byte_for_byte(app):
    waits = run(app, ASKS)
    before = contents(waits.folder)
    assert [q["node"] for q in json.loads((waits.folder / "checkpoint.json").read_bytes())["questions"]] == ["q", "p"]
    without(waits.folder, "checkpoint.json")
    assert [file.name for file in rebuild(app, waits)] == ["checkpoint.json"]
    assert contents(waits.folder) == before


def test_nested_runs_are_rebuilt_too(app, tmp_path):
    (tmp_path / "done.awp.yaml").write_text(DONE)
    nesting = DONE.replace("name: done", "name: outer")
    outer = run(app, nesting.replace("type: static, value: {x: 1}", "type: subworkflow, subworkflow: done"))
    before = contents(outer.folder)
    for file in outer.folder.rglob("run_completion.json"):
        file.unlink()
    assert [file.name for file in rebuild(app, outer)].count("run_completion.json") == 2
    assert contents(outer.folder) == before


def test_a_link_among_nested_runs_leads_nobody_out(app):
    ended, other = run(app), run(app)
    (ended.folder / "nodes" / "a" / "runs").mkdir(parents=True)
    (ended.folder / "nodes" / "a" / "runs" / other.id).symlink_to(other.folder)
    without(other.folder, "run_completion.json")
    assert len(rebuild(app, ended)) == 3
    assert not (other.folder / "run_completion.json").exists()
    assert verify_audit(app, ended.id).count("intact") == 1


def test_a_run_that_was_cut_off_is_to_be_resumed(app):
    cut = run(app)
    lines = cut.run_folder.events.read_text().splitlines(keepends=True)
    cut.run_folder.events.write_text("".join(lines[:-1]))
    with pytest.raises(RunError, match="cut off") as caught:
        rebuild(app, App(environ={}).open(cut.id))
    assert "awp resume" in caught.value.hint


def test_a_run_somebody_works_on_and_a_damaged_one_are_refused(app):
    ended = run(app)
    with RunLock(ended.run_folder.lock), pytest.raises(RunLockedError):
        rebuild(app, ended)
    audit = ended.run_folder.audit
    audit.write_text(audit.read_text().replace("workflow.start", "workflow.stort"))
    with pytest.raises(AuditError):
        rebuild(app, ended)
    ended.run_folder.events.write_text("not JSON\n")
    with pytest.raises(RunFolderError):
        rebuild(app, ended)


def test_the_command_says_what_it_wrote(app, capsys):
    ended = run(app)
    shutil.move(ended.folder / "graph.svg", ended.folder / "was.svg")
    assert main(["runs", "rebuild", ended.id]) == 0
    assert f"written {ended.folder / 'graph.svg'}" in capsys.readouterr().out
    assert (ended.folder / "graph.svg").read_bytes() == (ended.folder / "was.svg").read_bytes()
    assert main(["runs", "rebuild"]) == 2
    assert main(["runs", ended.id, ended.id]) == 2
    assert main(["runs", "prune", ended.id, "--keep", "0"]) == 2
    assert ended.folder.exists()
