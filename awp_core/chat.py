"""Conversations with a workflow of engine `chat`: a turn is a run, replies included (spec 02, Chat).

The runs are the record. The transcript beside them is derived from it, so a crash between the two costs nothing: what
is missing is added when the conversation is opened again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from awp_core.errors import NotFoundError, RunFolderError, UsageError
from awp_core.events.bus import Observer
from awp_core.events.model import Event
from awp_core.handle import Run
from awp_core.manifest.load import Workflow
from awp_core.runs.files import disk_errors
from awp_core.runs.layout import RunFolder
from awp_core.runs.lock import RunLock
from awp_core.runs.reader import RunStore
from awp_core.values import dump_json

if TYPE_CHECKING:
    from awp_core.app import App

CHATS: Final = "chats"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SECOND: Final = len("20261130T224701Z")  # ids of one second need not sort as the runs began
MOST_TURNS: Final = 200  # lines of the transcript that a run gets as `history`, the last ones


class Line(NamedTuple):
    """One line of a transcript.

    Attributes:
        ts: UTC time, ISO 8601.
        role: `user` or `workflow`.
        kind: `message`, `answer`, `question`, or `error` for a run that failed.
        text: What was said.
        run_id: The run it belongs to.
    """

    ts: str
    role: str
    kind: str
    text: str
    run_id: str


class Conversation:
    """A conversation; several may go on with one workflow. Use as a context manager, or call `close`.

    Args:
        app: Runs the workflow.
        workflow: Its engine is `chat`.
        name: Of the conversation, safe as a file name.

    Raises:
        UsageError: The workflow is no chat, or the name will not do.
        RunLockedError: Somebody else is in this conversation.
        RunFolderError: The transcript cannot be written.
    """

    def __init__(self, app: App, workflow: Workflow, name: str = "default") -> None:
        if not NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a conversation", hint="use letters, digits, _ . and -")
        if workflow.manifest is None or workflow.manifest.orchestration.engine != "chat":
            raise UsageError(f"{workflow.name} is no chat", hint="write `engine: chat` under orchestration")
        self.name = name
        self.workflow = workflow
        self._app = app
        self._store = RunStore(app.runs_root(workflow))
        self.path = self._store.roots[0] / CHATS / f"{name}.chat.jsonl"
        with disk_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(self.path.with_suffix(".lock"))
        try:
            self._lines = list(_read(self.path))
            for run_id in self._runs_since():
                self._keep(run_id)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others into the conversation; harmless when done twice."""
        self._lock.release()

    @property
    def lines(self) -> list[Line]:
        """The whole transcript, oldest first."""
        return list(self._lines)

    @property
    def run(self) -> Run | None:
        """The run of the latest turn."""
        return self._app.open(str(self._folder(self._lines[-1].run_id).root)) if self._lines else None

    def say(self, message: str, *, provider: str | None = None, observers: tuple[Observer, ...] = ()) -> list[Line]:
        """Say something and return what the workflow says to it.

        While the workflow waits for an answer, the message is the answer; else it starts a new turn.

        Raises:
            ReplyError: The message does not fit what was asked; it is not kept, and the question stays open.
            ManifestError, InputError, EngineUnavailableError: The workflow cannot run.
        """
        before = len(self._lines)
        run = self.run
        if run is not None and run.status == "interrupted":
            run = self._app.resume(run).wait()
            self._keep(run.id)
        if run is not None and run.status == "paused":
            self._app.reply(run, message, node=run.questions[0].node, observers=observers)
            run.wait()
        else:
            inputs = {self._message_input(): message} | self._history()
            run = self._app.start(
                self.workflow, inputs, provider=provider, chat_id=self.name, observers=observers
            ).wait()
        self._keep(run.id)
        return [line for line in self._lines[before:] if line.role == "workflow"]

    def _message_input(self) -> str:
        """The input that takes the message: `message`, else the first declared one that can hold text."""
        declared = self.workflow.manifest.inputs if self.workflow.manifest is not None else {}
        if "message" in declared or not declared:
            return "message"
        for name, spec in declared.items():
            if name != "history" and spec.type in (None, "string"):
                return name
        raise UsageError(
            f"{self.workflow.name} has no input for the message", hint="declare `message: {type: string}` under inputs"
        )

    def _history(self) -> dict[str, Any]:
        declared = self.workflow.manifest.inputs if self.workflow.manifest is not None else {}
        if declared and "history" not in declared:
            return {}
        return {"history": [{"role": line.role, "text": line.text} for line in self._lines[-MOST_TURNS:]]}

    # --- the transcript --------------------------------------------------------------------------------------------

    def _folder(self, run_id: str) -> RunFolder:
        return self._store.folder(run_id)

    def _runs_since(self) -> Iterator[str]:
        """The runs of this conversation that the transcript may lack something of: its last one, and later ones."""
        last = self._lines[-1].run_id if self._lines else ""
        for run_id in self._store.ids():
            if run_id[:_SECOND] < last[:_SECOND]:
                continue
            about = self._store.about(run_id)
            if about.get("workflow") == self.workflow.name and about.get("chat_id") == self.name:
                yield run_id

    def _keep(self, run_id: str) -> None:
        """Add what the transcript lacks of a run."""
        try:
            events = Run(self._app, self._folder(run_id)).events()
            told = list(_lines_of(run_id, self._message_input(), events))
        except NotFoundError:  # its record is gone
            return
        known = sum(1 for line in self._lines if line.run_id == run_id)
        fresh = told[known:]
        if fresh:
            with disk_errors(self.path), self.path.open("ab") as file:
                file.write(b"".join(dump_json(line._asdict()) + b"\n" for line in fresh))
            self._lines += fresh


def _lines_of(run_id: str, message: str, events: Iterable[Event]) -> Iterator[Line]:
    for event in events:
        data = event.data
        if event.type == "run.started":
            yield Line(event.ts, "user", "message", str(data["inputs"].get(message, "")), run_id)
        elif event.type == "human.replied":
            raw = data["raw"]
            yield Line(event.ts, "user", "message", raw if isinstance(raw, str) else dump_json(raw).decode(), run_id)
        elif event.type == "envelope.written":
            yield Line(event.ts, "workflow", data["kind"], data["text"], run_id)
        elif event.type == "human.asked" and "nested" in data:  # its envelope is in the record of the nested run
            yield Line(event.ts, "workflow", "question", data["prompt"], run_id)
        elif event.type == "run.finished" and data["status"] in {"failed", "cancelled"}:
            yield Line(event.ts, "workflow", "error", f"{data['status']}: {data['reason']}", run_id)


def _read(path: Path) -> Iterator[Line]:
    """Read a transcript; a torn last line, which a crash leaves, is cut off.

    Raises:
        RunFolderError: A line is damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    whole, newline, torn = data.rpartition(b"\n")
    if torn:
        with disk_errors(path), path.open("r+b") as file:
            file.truncate(len(data) - len(torn))
    for number, text in enumerate(whole.split(b"\n") if newline else [], start=1):
        try:
            yield Line(**json.loads(text))
        except (ValueError, TypeError) as exc:
            hint = "remove the file: it is made anew from the runs"
            raise RunFolderError(f"{path}:{number}: this line is damaged", hint=hint) from exc
