"""Conversations: a turn is a run, a reply belongs to its run, the transcript comes from the runs (spec 02, Chat)."""

from __future__ import annotations

import io
import json

import pytest

from awp_core.app import App
from awp_core.chat import Conversation
from awp_core.cli.main import main
from awp_core.errors import ReplyError, RunFolderError, RunLockedError, UsageError

FLOW = """
awp: "1.0.0"
workflow: {name: desk, version: "1.0.0", description: A help desk.}
inputs: {message: {type: string}, history: {type: array, default: []}}
orchestration:
  engine: chat
  graph:
    - {id: look, type: agent, agent: looks}
    - {id: sure, type: ask_human, prompt: "Open a ticket?", expect: {field: ok, type: integer}, depends_on: [look],
       when: state.look.urgent}
    - {id: told, type: answer, text: "{{look.text}} {{sure.ok}}", depends_on: [look, sure]}
"""


@pytest.fixture
def histories():
    return []


@pytest.fixture
def app(tmp_path, histories):
    (tmp_path / "desk.awp.yaml").write_text(FLOW)
    app = App(environ={}, directory=tmp_path)

    @app.functions.agent("looks")
    async def looks(message, history):
        histories.append(history)
        return {"text": f"On {message}:", "urgent": "!" in message}

    return app


@pytest.fixture
def flow(app):
    return app.load("desk")


def said(lines) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in lines]


def test_a_message_starts_a_run_and_the_next_one_knows_what_was_said(app, flow, histories):
    with Conversation(app, flow) as chat:
        assert said(chat.say("one")) == [("answer", "On one: ")]
        assert said(chat.say("two")) == [("answer", "On two: ")]
        assert len(app.runs()) == 2
    assert histories == [[], [{"role": "user", "text": "one"}, {"role": "workflow", "text": "On one: "}]]


def test_while_it_asks_a_message_is_the_reply(app, flow):
    with Conversation(app, flow) as chat:
        assert said(chat.say("fire!")) == [("question", "Open a ticket?")]
        with pytest.raises(ReplyError):
            chat.say("hm")
        assert chat.run.status == "paused"
        assert said(chat.say("7")) == [("answer", "On fire!: 7")]
        assert len(app.runs()) == 1
        assert [line.text for line in chat.lines] == ["fire!", "Open a ticket?", "7", "On fire!: 7"]


def test_the_transcript_is_a_file_beside_the_runs_and_another_process_goes_on_with_it(app, flow, tmp_path):
    with Conversation(app, flow, "ada") as chat:
        chat.say("fire!")
    file = tmp_path / "runs" / "chats" / "ada.chat.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["role"], line["kind"], line["text"]) for line in lines] == [
        ("user", "message", "fire!"),
        ("workflow", "question", "Open a ticket?"),
    ]
    other = App(environ={}, directory=tmp_path)
    other.functions.agent("looks")(lambda message, history: {})
    with Conversation(other, flow, "ada") as chat:
        assert said(chat.say("3")) == [("answer", "On fire!: 3")]
    assert len(file.read_text().splitlines()) == 4


def test_conversations_do_not_mix(app, flow, histories):
    with Conversation(app, flow, "ada") as ada, Conversation(app, flow, "bob") as bob:
        ada.say("one")
        bob.say("two")
        assert [line.text for line in ada.lines] == ["one", "On one: "]
    assert histories == [[], []]


def test_only_one_can_be_in_a_conversation(app, flow):
    with Conversation(app, flow), pytest.raises(RunLockedError):
        Conversation(app, flow)
    Conversation(app, flow).close()


@pytest.mark.parametrize("kept", [0, 1, 2])
@pytest.mark.parametrize("torn", [b"", b'{"ts": "2026'])
def test_what_a_crash_left_out_of_the_transcript_is_added_from_the_runs(app, flow, kept, torn):
    with Conversation(app, flow) as chat:
        chat.say("one")
        chat.say("two")
        whole = chat.lines
    lines = chat.path.read_bytes().splitlines(keepends=True)
    chat.path.write_bytes(b"".join(lines[:kept]) + torn)
    with Conversation(app, flow) as again:
        assert again.lines == whole
    assert chat.path.read_bytes() == b"".join(lines)


def test_a_damaged_transcript_is_refused_and_nobody_is_locked_out_after_it(app, flow):
    with Conversation(app, flow) as chat:
        chat.say("one")
    chat.path.write_bytes(b"no json\n" + chat.path.read_bytes())
    with pytest.raises(RunFolderError, match=r"default\.chat\.jsonl:1: this line is damaged"):
        Conversation(app, flow)
    chat.path.unlink()
    with Conversation(app, flow) as again:
        assert [line.text for line in again.lines] == ["one", "On one: "]


def test_a_turn_that_failed_says_so_and_the_conversation_goes_on(app, flow):
    broken = app.load_text(
        FLOW.replace("{{look.text}} {{sure.ok}}", "{{look.text}}").replace("agent: looks", "agent: no")
    )

    @app.functions.agent("no")
    async def no():
        raise ValueError("down")

    with Conversation(app, broken) as chat:
        (line,) = chat.say("one")
        assert line.kind == "error"
        assert line.text.startswith("failed: look: ")
    with Conversation(app, flow) as chat:
        assert said(chat.say("two")) == [("answer", "On two: ")]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a b"])
def test_a_name_that_is_no_file_name_is_refused(app, flow, name):
    with pytest.raises(UsageError, match="is no name for a conversation"):
        Conversation(app, flow, name)


def test_a_workflow_that_is_no_chat_is_refused(app):
    with pytest.raises(UsageError, match="is no chat"):
        Conversation(app, app.load_text(FLOW.replace("engine: chat", "engine: dag")))


PLAIN = """
awp: "1.0.0"
workflow: {name: echo, version: "1.0.0", description: Echo.}
inputs: {INPUT: {type: string}}
orchestration: {engine: chat, graph: [{id: told, type: answer, text: "You said {{INPUT}}"}]}
"""


@pytest.mark.parametrize("name", ["message", "question"])
def test_the_message_goes_into_the_first_input_that_holds_text(app, name):
    with Conversation(app, app.load_text(PLAIN.replace("INPUT", name))) as chat:
        assert said(chat.say("hi")) == [("answer", "You said hi")]


def test_the_command_talks_line_by_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "echo.awp.yaml").write_text(PLAIN.replace("INPUT", "message"))
    monkeypatch.chdir(tmp_path)
    assert main(["chat", "echo", "hello", "there"]) == 0
    assert capsys.readouterr().out == "You said hello there\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("one\n\ntwo\x1b[2J\n"))
    assert main(["chat", "echo"]) == 0
    assert capsys.readouterr().out == "You said one\nYou said two␛[2J\n"
    assert main(["chat", "echo", "--show"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["user: hello there", "workflow: You said hello there"]
