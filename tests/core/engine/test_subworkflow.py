"""`subworkflow`: another workflow as one node, with a run of its own (spec 02)."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from awp_core.app import App
from awp_core.errors import ManifestChangedError, ManifestError, ReplyError
from awp_core.runs.layout import RunFolder
from awp_core.runs.reader import read_record, read_state

CHILD = """
awp: "1.0.0"
workflow: {name: child, version: "1.0.0", description: Asks and answers.}
inputs: {who: {type: string}, mood: {type: string, default: well}}
orchestration:
  graph:
    - {id: greet, type: agent, agent: greeter}
    - {id: ask, type: ask_human, prompt: "Greet {{who}}?", expect: {field: ok, type: boolean}, depends_on: [greet]}
    - {id: all, type: static, value: {a: 1, b: {c: 2}}, depends_on: [ask]}
  result: all
"""
PARENT = """
awp: "1.0.0"
workflow: {name: parent, version: "1.0.0", description: Runs another one.}
inputs: {mood: {type: string, default: fine}}
orchestration:
  graph:
    - {id: intake, type: static, value: {who: Ada, name: Bob}}
    - {id: sub, type: subworkflow, subworkflow: child.awp.yaml, depends_on: [intake]SHARE}
    - {id: told, type: answer, text: "{{sub}}", depends_on: [sub]}
"""


@pytest.fixture
def calls(app):
    return with_greeter(app)


def with_greeter(app: App) -> list[dict[str, object]]:
    seen: list[dict[str, object]] = []

    @app.functions.agent("greeter")
    async def greeter(inputs):
        seen.append(inputs)
        return {"text": "Hello"}

    return seen


@pytest.fixture
def parent(app, tmp_path):
    (tmp_path / "child.awp.yaml").write_text(CHILD)

    def write(share: str = ""):
        (tmp_path / "parent.awp.yaml").write_text(PARENT.replace("SHARE", share))
        return app.load("parent")

    return write


def nested(run) -> RunFolder:
    (folder,) = (run.folder / "nodes" / "sub" / "runs").iterdir()
    return RunFolder(folder)


def test_its_question_is_the_question_of_the_parent(app, parent, calls):
    run = app.start(parent()).wait()
    assert [(q.node, q.prompt, q.expect) for q in run.questions] == [
        ("sub", "Greet Ada?", {"field": "ok", "type": "boolean"})
    ]
    run.reply("yes").wait()
    assert (run.status, run.result) == ("complete", '{"a": 1, "b": {"c": 2}}')
    inner = read_state(nested(run))
    assert (inner.status, inner.result) == ("complete", {"a": 1, "b": {"c": 2}})
    assert read_record(nested(run)).events[0].data["parent"] == run.id
    assert json.loads((nested(run).about).read_bytes())["parent"] == run.id
    assert len(calls) == 1
    assert [file.name for file in nested(run).outbox.iterdir()] == ["ask.json"]
    assert [file.name for file in (run.folder / "outbox").iterdir()] == ["told.json"]


@pytest.mark.parametrize(
    ("share", "inputs"),
    [
        ("", {"who": "Ada", "mood": "fine"}),  # by name: fields above, then the parent's inputs
        (", share_input: [intake.who]", {"who": "Ada", "mood": "well"}),
        (", share_input: {who: intake.name, mood: inputs.mood}", {"who": "Bob", "mood": "fine"}),
        (", share_input: {intake: [who]}", {"who": "Ada", "mood": "well"}),
    ],
)
def test_share_input_says_what_goes_in(app, parent, calls, share, inputs):
    app.start(parent(share)).wait()
    assert calls == [inputs]


@pytest.mark.parametrize(
    ("share", "output"),
    [
        ("", {"a": 1, "b": {"c": 2}}),
        (", share_output: [a]", {"a": 1}),
        (", share_output: [greet.text, b]", {"text": "Hello", "b": {"c": 2}}),
        (", share_output: [nothing]", {"nothing": None}),
    ],
)
def test_share_output_says_what_comes_out(app, parent, calls, share, output):
    run = app.start(parent(share), replies={"sub": "yes"}).wait()
    assert run.nodes["sub"].output == output


def test_a_reply_that_does_not_fit_or_is_not_of_the_approver_leaves_both_runs_waiting(app, parent, calls, tmp_path):
    (tmp_path / "child.awp.yaml").write_text(CHILD.replace("type: boolean}", "type: integer}, approver: ada"))
    run = app.start(parent()).wait()
    for value, replier in (("many", None), ("7", "eve")):
        with pytest.raises(ReplyError):
            run.reply(value, replier=replier)
    assert run.status == "paused"
    run.reply("7", replier="ada").wait()
    assert run.status == "complete"
    replied = [event.data for event in read_record(nested(run)).events if event.type == "human.replied"]
    assert [(data["value"], data["replier"]) for data in replied] == [(7, "ada")]


def test_a_run_cut_off_anywhere_goes_on_with_the_nested_run_it_has(app, parent, calls, tmp_path):
    whole = app.start(parent(), replies={"sub": "yes"}).wait()
    assert whole.status == "complete"
    lines = (whole.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    inner_lines = nested(whole).events.read_bytes().splitlines(keepends=True)
    own = [json.loads(line)["type"] for line in lines]
    last = own.index("node.finished", own.index("node.nested"))  # of `sub`
    paused = [json.loads(line)["type"] for line in inner_lines].index("run.paused") + 1
    for kept in range(own.index("node.nested") + 1, last + 1):
        # What a crash can leave: the nested run parks before the parent asks, and goes on after the reply.
        least = paused if "human.asked" in own[:kept] else 0
        most = len(inner_lines) if "human.replied" in own[:kept] else paused
        for inner_kept in range(least, most + 1):
            other = App(environ={}, runs_dir=tmp_path / f"runs-{kept}-{inner_kept}", directory=tmp_path)
            again = with_greeter(other)
            folder = other.runs_root() / whole.id
            shutil.copytree(whole.folder, folder)
            cut(folder, lines[:kept])
            inner = folder / "nodes" / "sub" / "runs" / nested(whole).run_id
            if inner_kept:
                cut(inner, inner_lines[:inner_kept])
            else:
                shutil.rmtree(inner)
            run = other.resume(whole.id).wait()
            if run.status == "paused":
                run.reply("yes").wait()
            assert (run.status, run.result) == (whole.status, whole.result), (kept, inner_kept)
            assert len(list(inner.parent.iterdir())) == 1
            greeted = any(b'"node.finished","node":"greet"' in line for line in inner_lines[:inner_kept])
            assert len(again) == (0 if greeted else 1), (kept, inner_kept)


def cut(folder, lines: list[bytes]) -> None:
    (folder / "events.jsonl").write_bytes(b"".join(lines))
    (folder / "run_completion.json").unlink(missing_ok=True)
    written = {json.loads(line)["data"]["file"] for line in lines if b'"envelope.written"' in line}
    for file in (folder / "outbox").glob("*.json"):
        if f"outbox/{file.name}" not in written:
            file.unlink()


def test_a_nested_run_that_fails_fails_its_node_and_is_tried_again_as_a_new_run(app, tmp_path):
    fails = []

    @app.functions.agent("fails")
    async def fail_once():
        fails.append(1)
        if len(fails) == 1:
            raise ValueError("once")
        return {"n": 2}

    (tmp_path / "bad.awp.yaml").write_text(
        'awp: "1.0.0"\nworkflow: {name: bad, version: "1.0.0", description: Fails.}\n'
        "orchestration: {graph: [{id: it, type: agent, agent: fails}]}\n"
    )
    text = "- {id: sub, type: subworkflow, subworkflow: bad.awp.yaml, retry: {max_retries: RETRIES}}"
    failed = asyncio.run(app.arun(app.load_text(text.replace("RETRIES", "0"))))
    assert failed.status == "failed"
    assert failed.reason.startswith("sub: run ")
    assert "of bad failed: it: " in failed.reason
    fails.clear()
    done = asyncio.run(app.arun(app.load_text(text.replace("RETRIES", "1"))))
    assert done.nodes["sub"].output == {"n": 2}
    assert len(list((done.folder / "nodes" / "sub" / "runs").iterdir())) == 2


def test_a_cancelled_parent_leaves_no_nested_run_waiting(app, parent, calls):
    run = app.start(parent()).wait()
    run.cancel().wait()
    assert run.status == "cancelled"
    assert read_state(nested(run)).status == "cancelled"
    assert nested(run).completion.exists()


def test_a_changed_nested_workflow_is_noticed_before_anything_goes_on(app, parent, calls, tmp_path):
    run = app.start(parent()).wait()
    (tmp_path / "child.awp.yaml").write_text(CHILD.replace("a: 1", "a: 9"))
    before = (run.folder / "events.jsonl").read_bytes()
    with pytest.raises(ManifestChangedError, match="child, which 'sub' runs, was changed"):
        run.reply("yes")
    assert (run.folder / "events.jsonl").read_bytes() == before
    app.resume(run, "yes", accept_changes=True).wait()
    assert run.nodes["sub"].output["a"] == 9


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("missing.awp.yaml", "there is no workflow 'missing.awp.yaml'"),
        ("../outside.awp.yaml", "lies outside of"),
        ("/etc/passwd", "lies outside of"),
        ("me.awp.yaml", "would run inside of itself"),
        ("broken.awp.yaml", "broken cannot run: 1 error"),
    ],
)
def test_what_cannot_be_run_is_refused_before_the_first_node(app, tmp_path, reference, said):
    here = tmp_path / "here"
    here.mkdir()
    head = 'awp: "1.0.0"\nworkflow: {name: NAME, version: "1.0.0", description: x}\norchestration: {graph: [NODE]}\n'
    node = f"{{id: sub, type: subworkflow, subworkflow: {reference}}}"
    (here / "me.awp.yaml").write_text(head.replace("NAME", "me").replace("NODE", node))
    (here / "broken.awp.yaml").write_text(head.replace("NAME", "broken").replace("NODE", "{id: it, type: nothing}"))
    (tmp_path / "outside.awp.yaml").write_text(CHILD)
    with pytest.raises(ManifestError) as caught:
        app.start(app.load(here / "me.awp.yaml"))
    assert said in "\n".join([caught.value.message, *(f.message for f in caught.value.findings)])
    assert not app.runs_root().exists()


def test_a_circle_of_three_is_a_circle(app, tmp_path):
    head = 'awp: "1.0.0"\nworkflow: {name: NAME, version: "1.0.0", description: x}\norchestration: {graph: [NODE]}\n'
    for name, other in (("one", "two"), ("two", "three"), ("three", "one")):
        node = f"{{id: sub, type: subworkflow, subworkflow: {other}.awp.yaml}}"
        (tmp_path / f"{name}.awp.yaml").write_text(head.replace("NAME", name).replace("NODE", node))
    with pytest.raises(ManifestError) as caught:
        app.start(app.load("one"))
    assert [f.message for f in caught.value.findings] == ["'one.awp.yaml' would run inside of itself"]
