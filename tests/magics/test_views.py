"""Views: what they show of facts, that they escape everything, and that a form sends once."""

from __future__ import annotations

import re
import threading

import pytest

from awp_core.browse import Row
from awp_core.diagnostics.model import Finding, Findings, Location, Severity
from awp_core.errors import AwpError, ManifestError, ReplyError
from awp_core.events.fold import NodeState, Question, RunState
from awp_core.graph.picture import Picture, PictureNode
from awp_magics.display import render_error
from awp_magics.views import findings, graph, html, progress, reply_form, runs

EVIL = '<script>alert("x")</script>\x1b[2J\u202e'


def question(kind="boolean", **more):
    expect = {"field": "ok", "type": kind, **more}
    return Question("approve", "**May** I?", expect, "notebook", "owner", "ada", "2026-01-01T00:00:00Z")


def running():
    nodes = {
        "load": NodeState("finished", started=0.0, ended=1.0),
        "clean": NodeState("running", started=1.0, attempts=2),
        "ask": NodeState("waiting"),
        "bad": NodeState("failed", error="no <b>"),
        "late": NodeState(),
    }
    return RunState(run_id="r1", workflow="flow", nodes=nodes, t=3.0)


def test_a_running_run_has_a_line_for_each_node_that_matters():
    model = progress.view_model(running(), 7.0)
    assert [(line.node, line.status, line.words) for line in model.lines] == [
        ("clean", "running", "6 s, attempt 2"),
        ("ask", "waiting", "for a reply"),
        ("bad", "failed", "no <b>"),
    ]
    assert model.counts == "1 pending, 1 running, 1 waiting, 1 finished, 1 failed"
    assert model.elapsed == 7.0
    assert model.result is None


def test_only_a_run_that_ended_has_a_result():
    state = RunState(run_id="r1", workflow="flow", status="complete", result={"a": 1}, active_s=2.0)
    assert progress.view_model(state, 9.0).result == '{\n  "a": 1\n}'
    assert progress.view_model(state, 9.0).elapsed == 2.0


def test_many_lines_are_cut():
    state = RunState(nodes={f"n{i}": NodeState("running", started=0.0) for i in range(40)})
    lines = progress.view_model(state, 1.0).lines
    assert len(lines) == 13
    assert lines[-1].words == "and 28 more"


def test_a_long_result_is_cut_with_a_way_to_see_all():
    state = RunState(status="complete", result="a" * 2500)
    shown = progress.to_html(progress.view_model(state, 0.0))
    assert "<summary>show all 2,500 characters</summary>" in shown
    assert progress.to_text(progress.view_model(state, 0.0)).endswith("… (2,500 characters in all)")


def every_view():
    state = running()
    state.workflow = state.run_id = state.reason = EVIL
    state.nodes = {EVIL: NodeState("failed", error=EVIL)}
    asked = Question(EVIL, EVIL, {"type": "choice", "options": [EVIL]}, EVIL, EVIL, EVIL, EVIL, EVIL)
    form = reply_form.view_model(asked, EVIL, several=True)
    found = findings.view_model([Finding("R1", Severity.ERROR, EVIL, Location(EVIL), EVIL, EVIL)], EVIL)
    rows = runs.view_model([Row(EVIL, EVIL, EVIL, EVIL, EVIL, EVIL)])
    done = RunState(status="complete", result=EVIL)
    yield "run", progress.to_html(progress.view_model(state, 0.0)), progress.to_text(progress.view_model(state, 0.0))
    yield "result", progress.to_html(progress.view_model(done, 0.0)), progress.to_text(progress.view_model(done, 0.0))
    yield "form", reply_form.to_html([form], [(EVIL, EVIL)]), reply_form.to_text([form], [(EVIL, EVIL)])
    yield "findings", findings.to_html(found), findings.to_text(found)
    yield "runs", runs.to_html(rows, ""), runs.to_text(rows, "")
    picture = Picture(EVIL, (PictureNode(EVIL, EVIL, EVIL),), ())
    yield "picture", html.image("<svg/>", graph.alternative(picture, {})), graph.alternative(picture, {})


@pytest.mark.parametrize(("name", "page", "text"), list(every_view()))
def test_text_from_outside_is_escaped_everywhere(name, page, text):
    assert "<script" not in page
    assert "<style" not in page
    assert "alert(&quot;x&quot;)" in page
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text)


def test_markdown_keeps_a_safe_subset():
    assert html.markdown("**a** *b* `c*d*` <i>") == (
        f'<p style="margin:4px 0"><strong>a</strong> <em>b</em> <code style="{html.MONO}">c*d*</code> &lt;i&gt;</p>'
    )
    assert "<li>x</li><li>y</li>" in html.markdown("- x\n- y")
    assert "<strong>Title</strong>" in html.markdown("# Title")
    assert "javascript" in html.markdown("[a](javascript:alert(1))")
    assert "<a" not in html.markdown("[a](javascript:alert(1)) http://x.y")


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("boolean", ["Button", "Button"]),
        ("text", ["Textarea", "Button"]),
        ("choice", ["Dropdown", "Button"]),
        ("number", ["Text", "Button"]),
        ("integer", ["Text", "Button"]),
        ("form", ["Textarea", "Button"]),
    ],
)
def test_the_form_fits_the_expected_type(kind, classes):
    more = {"options": ["a", "b"]} if kind == "choice" else {}
    form = reply_form.ReplyForm(reply_form.view_model(question(kind, **more), "r1"), lambda _: None)
    assert [type(control).__name__ for control in form.controls] == classes
    if kind != "boolean":
        assert form.controls[0].description == "Answer to approve"
    assert all(control.tooltip for control in form.controls if type(control).__name__ == "Button")


def test_two_clicks_on_two_threads_send_once():
    sent = []
    form = reply_form.ReplyForm(reply_form.view_model(question(), "r1"), sent.append)
    both = threading.Barrier(2)

    def click():
        both.wait(5)
        form.controls[0].click()

    threads = [threading.Thread(target=click) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    form.controls[1].click()
    assert sent == [True]
    assert all(control.disabled for control in form.controls)


def test_a_refused_reply_says_why_and_can_be_sent_again():
    sent = []

    def send(value):
        sent.append(value)
        if len(sent) == 1:
            raise ReplyError("not <one> of them", hint="try again")

    form = reply_form.ReplyForm(reply_form.view_model(question("text"), "r1"), send)
    field, submit = form.controls
    field.value = "x"
    submit.click()
    assert "not &lt;one&gt; of them" in form.status
    assert not submit.disabled
    field.value = "y"
    submit.click()
    assert sent == ["x", "y"]


@pytest.mark.parametrize("kind", ["number", "integer", "choice", "form"])
def test_nothing_is_sent_from_an_empty_field(kind):
    sent = []
    form = reply_form.ReplyForm(reply_form.view_model(question(kind, options=["a"]), "r1"), sent.append)
    form.controls[1].click()
    assert sent == []
    assert "is needed" in form.status


def test_a_question_says_who_is_asked_until_when_and_how_to_answer():
    asked = Question("a b", "Go?", {"type": "boolean"}, "notebook", "owner", "ada", "now", "2026-02-01T10:00:00+00:00")
    model = reply_form.view_model(asked, "r1", several=True)
    assert model.asked_of == "asked of ada, open until 2026-02-01T10:00:00+00:00"
    assert model.command == "awp reply r1 VALUE --node 'a b'"


def test_an_error_has_at_most_eight_lines_and_keeps_its_head_and_hint():
    error = AwpError("\n".join(f"line {number}" for number in range(30)), hint="do this")
    lines = render_error(error)
    assert len(lines) == 8
    assert lines[0] == "AwpError: line 0"
    assert lines[-2:] == ["line 29".rjust(7), "hint: do this"]


def test_a_manifest_error_shows_its_first_finding_with_a_caret():
    items = [
        Finding("N1", Severity.ERROR, "unknown", Location("cell a", line, 3), "mend it", "- {id: x}") for line in (4, 5)
    ]
    lines = render_error(ManifestError("a has 2 errors", Findings(items)))
    assert lines == [
        "ManifestError: a has 2 errors",
        "cell a:4:3: error N1: unknown",
        "   4 | - {id: x}",
        "     |   ^",
        "hint: mend it",
        "… and 1 more: %awp validate",
    ]


def test_control_characters_of_an_error_are_made_visible():
    assert render_error(AwpError("a\x1b[2Jb"))[0] == "AwpError: a␛[2Jb"


def test_the_card_says_that_a_stub_answered():
    model = progress.view_model(RunState(run_id="r", workflow="w", provider="callable, stub"), 0.0)
    assert "stub: canned answers, no model" in progress.to_html(model)
    assert "stub: canned answers, no model" in progress.to_text(model)
    honest = progress.view_model(RunState(run_id="r", workflow="w", provider="callable"), 0.0)
    assert "stub" not in progress.to_html(honest)


def test_a_conversation_is_escaped_and_bounded():
    from awp_core.chat import Line
    from awp_magics.views.chat import to_html, to_text

    said = [Line("", "user", "message", "<script>1</script>", "r"), Line("", "workflow", "answer", "**Hi** <b>", "r")]
    assert "<script" not in to_html(said)
    assert "<strong>Hi</strong> &lt;b&gt;" in to_html(said)
    assert to_text(said) == "you: <script>1</script>\nworkflow: **Hi** <b>"
    assert to_text([]) == "nothing was said yet"
    assert "50 earlier lines" in to_html(said * 75)
