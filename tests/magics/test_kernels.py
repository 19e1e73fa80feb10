"""The magics in real kernels: parked runs, clicks, interrupts, loading and unloading."""

from __future__ import annotations

import json
import time

import pytest

from awp_core.app import App

ASK = """%%awp asking --quiet
graph:
  - {id: approve, type: ask_human, prompt: "**May I?** <b>x</b>", expect: {field: ok, type: boolean}}
  - {id: told, type: answer, depends_on: [approve], text: "ok={{approve.ok}}"}
"""
WIDGET = "application/vnd.jupyter.widget-view+json"


def _says(words):
    def fits(message):
        if message["msg_type"] != "update_display_data":
            return False
        return words in message["content"]["data"]["text/plain"]

    return fits


def outputs(cell, kind):
    return [output for output in cell.outputs if output.output_type == kind]


def text(cell):
    return "\n".join(
        output.data.get("text/plain", "") if "data" in output else output.get("text", "") for output in cell.outputs
    )


def test_a_parked_run_leaves_its_form_in_the_saved_notebook_and_later_cells_run(notebook, tmp_path):
    done = notebook("%load_ext awp_magics", ASK, "%awp run asking", "print('later')")
    assert done.error is None
    card, form = done.cells[2].outputs
    assert "paused" in card.data["text/html"]
    assert '<img alt="Graph of asking with 2 nodes: approve (waiting), told (pending)"' in card.data["text/html"]
    assert WIDGET in form.data
    assert "<strong>May I?</strong> &lt;b&gt;x&lt;/b&gt;" in form.data["text/html"]
    run = App(directory=tmp_path).open("asking")
    assert f"awp reply {run.id} VALUE" in form.data["text/plain"]
    assert f"awp reply {run.id} VALUE" in form.data["text/html"]
    assert text(done.cells[3]) == "later\n"


def test_reading_the_result_of_a_parked_run_stops_the_notebook_with_a_short_error(notebook):
    done = notebook("%load_ext awp_magics", ASK, "%awp run asking --set out", "out.result", "print('never')")
    assert "waits for an answer to 'approve'" in str(done.error)
    (error,) = outputs(done.cells[3], "error")
    assert error.ename == "RunPausedError"
    assert len(error.traceback) <= 8
    assert done.cells[4].outputs == []


def test_require_complete_makes_the_cell_of_a_parked_run_fail(notebook):
    done = notebook("%load_ext awp_magics", ASK, "%awp run asking --require-complete", "print('never')")
    assert outputs(done.cells[2], "error")[0].ename == "RunPausedError"
    assert done.cells[3].outputs == []


def test_an_answer_in_a_later_cell_replaces_the_form_by_static_html(notebook):
    done = notebook(
        "%load_ext awp_magics", ASK, "%awp run asking --set out", "%awp reply asking yes", "print(out.result)"
    )
    assert done.error is None
    card, form = done.cells[2].outputs
    assert "complete" in card.data["text/html"]
    assert set(form.data) == {"text/html", "text/plain"}
    assert form.data["text/plain"] == "✓ approve answered: yes"
    assert text(done.cells[4]) == "ok=true\n"
    assert WIDGET not in json.dumps([cell.outputs for cell in done.cells])


def test_a_reply_in_advance_needs_nobody(notebook):
    done = notebook("%load_ext awp_magics", ASK, "%awp run asking --reply approve=no --set out", "print(out.result)")
    assert done.error is None
    assert text(done.cells[3]) == "ok=false\n"


def test_a_bad_cell_is_a_real_error_of_few_lines_that_points_into_the_cell(notebook):
    done = notebook("%load_ext awp_magics", "%%awp bad\ngraph:\n  - {id: a, type: cod}", "print('never')")
    (error,) = outputs(done.cells[1], "error")
    assert error.ename == "ManifestError"
    assert len(error.traceback) <= 8
    assert any(line.startswith("cell bad:3:") for line in error.traceback)
    assert done.cells[2].outputs == []


def test_loading_twice_reloading_and_unloading(notebook):
    done = notebook(
        "%load_ext awp_magics",
        ASK,
        "%awp run asking",
        "%load_ext awp_magics",
        "%reload_ext awp_magics",
        "%awp reply asking yes",
        "print(_awp.result, sum(type(c).__name__ == 'AwpMagics' for c in get_ipython().configurables))",
        "%unload_ext awp_magics",
        "magics = get_ipython().magics_manager.magics",
        "print('awp' in magics['line'], 'awp' in magics['cell'])",
    )
    assert done.error is None
    assert text(done.cells[6]) == "ok=true 1\n"
    assert text(done.cells[9]) == "False False\n"


@pytest.mark.parametrize("subshell", [False, True], ids=["main-shell", "subshell"])
def test_two_clicks_answer_once_and_the_run_goes_on_in_its_own_output(kernel, tmp_path, subshell):
    kernel.cell(ASK)
    kernel.cell("%awp run asking --set out")
    yes = next(comm for comm, state in kernel.widgets("ButtonModel") if state["description"] == "Yes")
    run = App(directory=tmp_path).open("asking")
    assert run.status == "paused"
    kernel.click(yes, times=2, subshell=subshell)
    messages = kernel.until(
        lambda m: (
            m["msg_type"] == "update_display_data"
            and m["content"]["transient"]["display_id"].endswith("-form")
            and "answered: yes" in m["content"]["data"]["text/plain"]
        )
    )
    assert not [m for m in messages if m["msg_type"] in {"display_data", "stream", "error"}]
    run = App(directory=tmp_path).open("asking")
    assert run.result == "ok=true"
    assert [event.type for event in run.events()].count("human.replied") == 1
    shown = kernel.cell("print(out.result)")
    assert [m["content"]["text"] for m in shown if m["msg_type"] == "stream"] == ["ok=true\n"]


SLOW = """import threading
import awp_core
started = threading.Event()
@awp_core.agent("sleeper")
def sleep():
    started.set()
    threading.Event().wait(30)
    return {"text": "late"}
"""
SLEEPY = "%%awp sleepy --quiet\ngraph:\n  - {id: doze, type: agent, agent: sleeper}\n"


def test_an_interrupt_cancels_the_run_within_a_second_and_the_folder_says_so(kernel, tmp_path):
    kernel.cell(SLOW)
    kernel.cell(SLEEPY)
    kernel.start("%awp run sleepy")
    kernel.until(
        lambda m: (
            m["msg_type"] in {"display_data", "update_display_data"}
            and "1 running" in m["content"]["data"].get("text/plain", "")
        )
    )
    began = time.monotonic()
    kernel.manager.interrupt_kernel()
    messages = kernel.until_idle()
    took = time.monotonic() - began
    assert took < 5, "the agent sleeps 30 s; without the bound the cell would wait for it"
    (error,) = [m["content"] for m in messages if m["msg_type"] == "error"]
    assert error["ename"] == "RunCancelledError"
    run = App(directory=tmp_path).open("sleepy")
    assert run.status == "cancelled"
    assert run.reason == "the kernel was interrupted"


GATE = """import threading
import awp_core
go = threading.Event()
@awp_core.agent("gate")
def gate():
    go.wait(30)
    return {"text": "through"}
"""


def test_a_background_run_returns_at_once_and_updates_the_cell_later(kernel, tmp_path):
    kernel.cell(GATE)
    kernel.cell("%%awp gated --quiet\ngraph:\n  - {id: pass, type: agent, agent: gate}\n")
    kernel.cell("%awp run gated --background --set out")
    shown = kernel.cell("print(out.status)\ngo.set()")
    assert [m["content"]["text"] for m in shown if m["msg_type"] == "stream"] == ["running\n"]
    if not any(map(_says("gated: complete"), kernel.messages)):
        kernel.until(_says("gated: complete"))
    assert App(directory=tmp_path).open("gated").result == {"text": "through"}


CHAIN = """%%awp chain --quiet
graph:
  - {id: first, type: ask_human, prompt: "One?", expect: {field: n, type: integer}}
  - {id: second, type: ask_human, depends_on: [first], prompt: "Two?", expect: {field: ok, type: boolean}}
  - {id: told, type: answer, depends_on: [second], text: "{{first.n}} {{second.ok}}"}
"""


def test_a_refused_reply_says_why_then_the_next_question_takes_the_place_of_the_form(kernel, tmp_path):
    kernel.cell(CHAIN)
    kernel.cell("%awp run chain --set out")
    ((field, _),) = kernel.widgets("TextModel")
    submit = next(comm for comm, state in kernel.widgets("ButtonModel") if state["description"] == "Submit")
    kernel.fill(field, "many")
    kernel.click(submit)
    kernel.until(lambda m: m["msg_type"] == "comm_msg" and "many" in str(m["content"]["data"]))
    assert App(directory=tmp_path).open("chain").status == "paused"
    kernel.fill(field, "7")
    kernel.click(submit)
    kernel.until(_says("first answered: 7\n? second"))
    yes = next(comm for comm, state in kernel.widgets("ButtonModel") if state["description"] == "Yes")
    kernel.click(yes)
    kernel.until(_says("first answered: 7\n✓ second answered: yes"))
    assert App(directory=tmp_path).open("chain").result == "7 true"


def test_a_new_kernel_shows_the_forms_of_parked_runs_again(kernel, start_kernel, tmp_path):
    kernel.cell(ASK)
    kernel.cell("%awp run asking")
    kernel.close()
    other = start_kernel()
    other.cell("%awp runs --paused")
    yes = next(comm for comm, state in other.widgets("ButtonModel") if state["description"] == "Yes")
    other.click(yes)
    other.until(_says("approve answered: yes"))
    assert App(directory=tmp_path).open("asking").result == "ok=true"


def test_two_questions_open_at_once_are_answered_in_any_order(kernel, tmp_path):
    kernel.cell(
        "%%awp both --quiet\ngraph:\n"
        "  - {id: a, type: ask_human, prompt: A?, expect: {field: ok, type: boolean}}\n"
        "  - {id: b, type: ask_human, prompt: B?, expect: {field: ok, type: boolean}}\n"
        "  - {id: told, type: answer, depends_on: [a, b], text: '{{a.ok}} {{b.ok}}'}\n"
    )
    kernel.cell("%awp run both")
    buttons = {state["tooltip"]: comm for comm, state in kernel.widgets("ButtonModel")}
    kernel.click(buttons["No, as the answer to b"])
    kernel.click(buttons["Yes, as the answer to a"])
    kernel.until(_says("b answered: no"))
    if not any(map(_says("both: complete"), kernel.messages)):
        kernel.until(_says("both: complete"))
    assert App(directory=tmp_path).open("both").result == "true false"
