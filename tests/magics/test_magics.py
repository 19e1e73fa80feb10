"""The magics in a real shell without a front end: define, check, draw, run, answer, export."""

from __future__ import annotations

import pytest

from awp_core.errors import (
    CodeError,
    ManifestError,
    NotFoundError,
    ReplyError,
    RunError,
    RunPausedError,
    UsageError,
)
from awp_magics.display import render_error

ASK = """%%awp asking --quiet
inputs: {who: {type: string, default: you}, times: {type: integer, default: 1}}
graph:
  - {id: approve, type: ask_human, prompt: "May I, {{who}}?", expect: {field: ok, type: boolean}}
  - {id: told, type: answer, depends_on: [approve], text: "ok={{approve.ok}} {{times}}"}
"""
CODE = """%%awp coded --quiet
graph:
  - {id: double, type: code, inputs: {n: n}, outputs: [twice]}
  - {id: told, type: answer, depends_on: [double], text: "{{double.twice}}"}
inputs: {n: {type: integer}}
"""
DOUBLE = "%%awp_code double\ndef main(n):\n    return {'twice': n * 2}\n"


def test_a_cell_defines_a_workflow_and_draws_it(do, shown):
    do(ASK.replace(" --quiet", ""))
    assert "asking · 2 nodes" in shown()
    assert "asking: no findings" in shown()


def test_a_cell_without_a_name_takes_the_manifests_own(do, shell):
    do("%%awp --quiet\nworkflow: {name: mine}\ngraph:\n  - {id: a, type: static, value: {x: 1}}\n")
    assert list(shell.session.app.library.session) == ["mine"]


def test_as_binds_the_workflow(do, shell):
    do(ASK.replace("asking", "asking --as flow", 1))
    assert shell.user_ns["flow"].name == "asking"


def test_the_body_arrives_unchanged(do, shell):
    shell.user_ns["x"] = "expanded"
    body = "graph:\n  - {id: a, type: static, value: {text: '{x} $x {{x}} {\"a\": 1}'}}\n"
    do(f"%%awp raw --quiet\n{body}")
    assert shell.session.app.load("raw").document.text == body


def test_a_run_is_bound_and_its_result_is_text(do, shell, shown):
    do(ASK)
    run = do("%awp run asking who=Ada times=3 --reply approve=yes --set out")
    assert run.result == "ok=true 3"
    assert shell.user_ns["out"] is run
    assert shell.user_ns["_awp"] is run
    assert "asking: complete" in shown()


def test_a_variable_is_passed_as_it_is(do, shell):
    do("%%awp echo --quiet\ngraph:\n  - {id: a, type: answer, text: '{{value}}'}\n")
    shell.user_ns["value"] = "007"
    assert do("%awp run echo value=$value").result == "007"


def test_a_data_frame_becomes_records(do, shell):
    pandas = pytest.importorskip("pandas")
    shell.user_ns["table"] = pandas.DataFrame({"a": [1, 2]})
    do("%%awp echo --quiet\ngraph:\n  - {id: a, type: answer, text: '{{rows}}'}\n")
    assert do("%awp run echo rows=$table").snapshot.inputs == {"rows": [{"a": 1}, {"a": 2}]}


def test_a_parked_run_succeeds_and_says_how_to_answer(do, shown):
    do(ASK)
    run = do("%awp run asking")
    assert run.status == "paused"
    assert f"awp reply {run.id} VALUE" in shown()


def test_require_complete_refuses_a_parked_run(do, fail):
    do(ASK)
    assert isinstance(fail("%awp run asking --require-complete"), RunPausedError)


def test_a_reply_goes_on_by_workflow_name(do):
    do(ASK)
    run = do("%awp run asking")
    do("%awp reply asking yes")
    assert run.result == "ok=true 1"


def test_a_reply_to_a_run_that_is_over_is_refused(do, fail):
    do(ASK)
    run = do("%awp run asking --reply approve=yes")
    assert isinstance(fail(f"%awp reply {run.id} yes"), RunError)


def test_a_refused_reply_leaves_the_run_parked(do, fail):
    do(ASK.replace("boolean", "integer"))
    run = do("%awp run asking")
    assert isinstance(fail("%awp reply asking many"), ReplyError)
    assert run.status == "paused"


def test_resume_goes_on_and_parks_again(do):
    do(ASK)
    do("%awp run asking")
    assert do("%awp resume asking").status == "paused"


def test_cancel_ends_a_parked_run(do):
    do(ASK)
    run = do("%awp run asking")
    do("%awp cancel asking")
    assert run.status == "cancelled"


def test_replies_from_the_environment_answer_only_questions_of_the_workflow(do, shell):
    shell.session.app.environ = {"AWP_REPLIES": '{"approve": "yes", "elsewhere": 1}'}
    do(ASK)
    assert do("%awp run asking").result == "ok=true 1"


def test_a_typed_reply_to_an_unknown_question_is_an_error(do, fail):
    do(ASK)
    assert "did you mean 'approve'" in str(fail("%awp run asking --reply aprove=yes"))


@pytest.mark.parametrize("order", [(CODE, DOUBLE), (DOUBLE, CODE), (CODE, DOUBLE, CODE), (CODE, DOUBLE, DOUBLE)])
def test_code_and_manifest_cells_work_in_either_order(do, order):
    for cell in order:
        do(cell)
    assert do("%awp run coded n=21").result == "42"


def test_a_code_cell_is_checked_with_the_lines_of_the_cell(do, fail):
    do(CODE)
    error = fail("%%awp_code double\ndef main(n):\n    return {'twice': n *}\n")
    assert isinstance(error, CodeError)
    assert '  File "cell double", line 3' in render_error(error)


def test_a_failure_inside_a_code_cell_names_its_line(do, fail):
    do(CODE)
    do(DOUBLE.replace("n * 2", "n / 0"))
    error = fail("%awp run coded n=1")
    assert 'File "cell double", line 3' in str(error)
    assert len(render_error(error)) <= 8


def test_a_code_cell_can_be_tried_at_once(do, shown):
    do(CODE)
    do(DOUBLE.replace("double\n", "double --test n=4\n", 1))
    assert '"twice": 8' in shown()


def test_a_code_cell_for_an_unknown_node_names_the_nearest(do, fail):
    do(CODE)
    assert "did you mean 'double'" in str(fail(DOUBLE.replace("double", "duble")))


def test_a_code_cell_for_another_type_is_refused(do, fail):
    do(CODE)
    assert isinstance(fail(DOUBLE.replace("double", "told", 1)), UsageError)


def test_missing_code_is_no_error_yet(do, shown):
    do(CODE.replace(" --quiet", ""))
    assert "coded: no findings\ncode still to come: %%awp_code double" in shown()


def test_a_bad_cell_is_an_error_but_stays_known(do, fail, shown):
    error = fail("%%awp bad --quiet\ngraph:\n  - {id: a, type: cod}\n")
    assert isinstance(error, ManifestError)
    assert len(render_error(error)) <= 8
    findings = do("%awp validate bad")
    assert not findings.ok
    assert "cell bad:3:" in shown()


def test_an_unknown_workflow_names_the_nearest(do, fail):
    do(ASK)
    error = fail("%awp run askin")
    assert isinstance(error, NotFoundError)
    assert error.hint == "did you mean 'asking'?"


def test_runs_lists_and_shows(do, shown):
    do(ASK)
    run = do("%awp run asking")
    do("%awp runs --paused")
    assert f"{run.id}  asking  paused" in shown()


def test_runs_shows_the_nodes_of_one_run(do, shell):
    do(ASK)
    do("%awp run asking --reply approve=yes")
    do("%awp runs asking")
    lines = shell.shown[-1]["data"]["text/plain"].split("\n")
    assert [line.split()[:2] for line in lines] == [["approve", "finished"], ["told", "finished"]]


def test_two_runs_are_compared_and_what_is_derived_is_written_again(do, shell, shown):
    do(ASK)
    one = do("%awp run asking --reply approve=yes")
    two = do("%awp run asking --reply approve=no")
    do(f"%awp diff {one.id}")
    lines = shell.shown[-1]["data"]["text/plain"].splitlines()
    assert lines[0].startswith(f"runs {one.id} (-) and {two.id} (+) differ at ")
    assert "approve: finished" in lines
    (two.folder / "RUN_SUMMARY.md").unlink()
    do("%awp runs rebuild")
    assert f"written {two.folder / 'RUN_SUMMARY.md'}" in shown()
    assert (two.folder / "RUN_SUMMARY.md").exists()


def test_old_runs_are_pruned_and_a_run_named_by_mistake_is_not(do, fail, shell):
    do(ASK)
    one, two = (do("%awp run asking --reply approve=yes") for _ in range(2))
    assert isinstance(fail(f"%awp runs prune {two.id} --keep 0"), UsageError)
    assert isinstance(fail(f"%awp runs {one.id} {two.id}"), UsageError)
    do("%awp runs prune --keep 1")
    assert shell.shown[-1]["data"]["text/plain"].splitlines()[0] == "removed 1 run"
    assert (one.folder.exists(), two.folder.exists()) == (False, True)


def test_export_writes_a_directory_that_runs_the_same(do, shell, tmp_path):
    do(CODE)
    do(DOUBLE)
    do("%awp export coded")
    app = shell.session.app
    assert app.start(app.load(tmp_path / "coded"), {"n": 5}).wait().result == "10"


def test_debug_shows_the_python_traceback(shell, do, fail):
    error = fail("%awp run nowhere")
    assert len(error._render_traceback_()) <= 8
    do("%config AwpMagics.debug = True")
    error = fail("%awp run nowhere")
    assert any("Traceback" in line for line in error._render_traceback_())


def test_the_provider_setting_counts(do):
    do("%%awp told --quiet\ngraph:\n  - {id: a, type: agent, instructions: Hi}\n")
    do("%config AwpMagics.provider = 'stub'")
    assert do("%awp run told").snapshot.provider == "stub"


def test_the_runs_dir_setting_counts(do, tmp_path):
    do(f"%config AwpMagics.runs_dir = {str(tmp_path / 'elsewhere')!r}")
    run = do("%awp run hello")
    assert run.folder.parent == tmp_path / "elsewhere"
