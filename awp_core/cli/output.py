"""What the commands print: progress to stderr, results to stdout, never a control character from outside."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, TextIO

from awp_core.errors import AwpError
from awp_core.events.model import Event
from awp_core.handle import Run
from awp_core.runs.finish import completion

EXIT_CODES = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "paused": 4,
    "cancelled": 130,
    "running": 0,
    "interrupted": 1,
}
_MARKS = {
    "finished": "✓",
    "failed": "✗",
    "skipped": "–",
    "waiting": "?",
    "running": "…",
    "cancelled": "■",
    "pending": "·",
}


def clean(text: str) -> str:
    """Make control characters from outside visible, so that they cannot drive the terminal.

    >>> clean("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return "".join(c if c in "\n\t" or c.isprintable() else _visible(c) for c in text)


def _visible(char: str) -> str:
    code = ord(char)
    return chr(0x2400 + code) if code < 32 else f"\\u{code:04x}"


def mark(status: str) -> str:
    """Return the sign of a node status."""
    return _MARKS.get(status, " ")


def print_json(value: Any) -> None:
    """Print JSON for another program."""
    print(_json(value))


def _json(value: Any) -> str:
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    return json.dumps(value, ensure_ascii=not unicode, indent=2)


class Progress:
    """An observer that prints one line per thing that happens."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._began: dict[str, float] = {}
        self._last = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Print what an event says."""
        if self._quiet:
            return
        line = self._line(event)
        if line:
            self._stream.write(clean(line) + "\n")
            self._stream.flush()

    def _line(self, event: Event) -> str:
        node, data = event.node or "", event.data
        if event.type == "node.started":
            self._began[node] = event.t
            return ""
        if event.type == "node.finished":
            took = event.t - self._began.get(node, event.t)
            extra = f" -> {data['case']}" if data.get("case") else ""
            return f"{mark('finished')} {node}{extra} ({took:.2f} s)"
        if event.type == "node.failed":
            return f"{mark('failed')} {node}: {data['error']}" + (f"\n{data['detail']}" if data.get("detail") else "")
        if event.type == "node.skipped":
            return f"{mark('skipped')} {node}: {data['reason']}"
        if event.type == "node.retrying":
            return f"↻ {node}: attempt {data['attempt']} failed ({data['error']}); again in {data['delay_s']:g} s"
        if event.type == "node.log":
            return "\n".join(f"  {node} | {line}" for line in data["text"].splitlines())
        return ""


def finish(run: Run, *, as_json: bool) -> int:
    """Print how a run ended or where it waits; return the exit code."""
    status = run.status
    if as_json:
        print_json(completion(run.snapshot) | {"status": status, "questions": [_question(q) for q in run.questions]})
        return EXIT_CODES[status]
    if status == "paused":
        for question in run.questions:
            ask = clean(question.prompt).strip()
            whom = clean(question.chat_id) or "you"
            sys.stderr.write(f"\n? {question.node} asks {whom}: {ask}\n  expects {clean(describe(question.expect))}\n")
            sys.stderr.write(
                f"  answer it:  awp reply {run.name} VALUE"
                + (f" --node {question.node}\n" if len(run.questions) > 1 else "\n")
            )
        return EXIT_CODES[status]
    try:
        result = run.result
    except AwpError as error:
        sys.stderr.write(f"error: {clean(str(error))}\n")
        return EXIT_CODES[status]
    if run.snapshot.caveat:
        sys.stderr.write(f"note: {run.snapshot.caveat}\n")
    for failure in run.snapshot.failures:
        sys.stderr.write(clean(f"note: {failure['node']} failed: {failure['error']}\n"))
    print(clean(result) if isinstance(result, str) else _json(result))
    return EXIT_CODES[status]


def describe(expect: dict[str, Any]) -> str:
    """Say in words what an answer must look like.

    >>> describe({"field": "ok", "type": "boolean"})
    'yes or no'
    """
    kind = expect.get("type", "text")
    if kind == "choice":
        return "one of " + ", ".join(map(str, expect.get("options") or ()))
    return {
        "boolean": "yes or no",
        "number": "a number",
        "integer": "a whole number",
        "form": "a JSON object",
    }.get(kind, "text")


def _question(question: Any) -> dict[str, Any]:
    return {
        name: getattr(question, name)
        for name in ("node", "prompt", "expect", "channel", "chat_id", "approver", "deadline")
    }
