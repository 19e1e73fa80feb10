"""The facts of a run: frozen, numbered, already redacted (spec 08, One stream of facts).

Everything else about a run is derived from them: state (`fold`), widgets, summaries, resume.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple


class Event(NamedTuple):
    """One fact.

    Attributes:
        seq: Position in the run, from 1. Transient events, which are never recorded, have 0.
        ts: UTC time, ISO 8601 with milliseconds.
        t: Seconds the run has worked, by a monotonic clock that stands still while nobody works on it.
        type: A key of `EVENT_TYPES`.
        node: The node it is about, or None.
        data: What happened; JSON values only.
    """

    seq: int
    ts: str
    t: float
    type: str
    node: str | None
    data: Mapping[str, Any]


# What `data` must and may hold, by event type: name -> JSON Schema types. A trailing "?" means optional.
# `awp_core.events.schema` turns this table into JSON Schema; a test pins it.
EVENT_TYPES: Final[Mapping[str, Mapping[str, str]]] = {
    "run.started": {
        "workflow": "string",
        "version": "string",
        "digest": "string",
        "inputs": "object",
        "nodes": "array",
        "provider": "string",
        "chat_id?": "string",
        "parent?": "string",
        "origin?": "string",
        "replay?": "boolean",
    },
    "run.paused": {"questions": "array", "active_s": "number"},
    "run.resumed": {"active_s": "number", "accepted_digest?": "string"},
    "run.finished": {
        "status": "string",
        "reason": "string",
        "result": "any",
        "failures": "array",
        "active_s": "number",
    },
    "node.started": {"attempt?": "integer"},
    "node.finished": {
        "output": "any",
        "case?": "string",
        "expired?": "boolean",
        "backend?": "string",
        "tokens?": "integer",
        "reused?": "boolean",
    },
    "node.failed": {
        "error": "string",
        "kind": "string",
        "hint?": "string",
        "detail?": "string",
        "contained": "boolean",
    },
    "node.skipped": {"reason": "string", "cause": "string", "error?": "string"},
    "node.retrying": {"attempt": "integer", "delay_s": "number", "error": "string"},
    "node.nested": {"run_id": "string"},
    "human.asked": {
        "prompt": "string",
        "expect": "object",
        "channel": "string",
        "chat_id": "string",
        "approver": "string",
        "deadline?": "string",
        "on_timeout?": "string",
        "again?": "boolean",
        "nested?": "string",
    },
    "human.replied": {"value": "any", "raw": "any", "replier": "string", "recognised": "boolean"},
    "envelope.written": {
        "channel": "string",
        "kind": "string",
        "chat_id": "string",
        "text": "string",
        "file": "string",
    },
    "provider.called": {
        "provider": "string",
        "model": "string",
        "agent": "string",
        "prompt_tokens": "integer",
        "completion_tokens": "integer",
        "duration_s": "number",
        "request?": "string",
        "output?": "any",
    },
    "loop.iterated": {"iteration": "integer", "output": "any"},
    "tool.called": {"tool": "string", "ok": "boolean"},
    "selector.missing": {"selector": "string", "nearest": "string"},
}

# What the engine steers by, by event type. A password that is also the id of a node must not rename the node in the
# record. All of it comes from the manifest or from the engine, nothing from a value.
STRUCTURE: Final[Mapping[str, frozenset[str]]] = {
    "run.started": frozenset({"digest", "nodes", "parent", "origin", "chat_id"}),
    "run.paused": frozenset({"questions"}),
    "run.resumed": frozenset({"accepted_digest"}),
    "run.finished": frozenset({"status"}),
    "node.finished": frozenset({"case", "backend"}),
    "node.skipped": frozenset({"cause"}),
    "node.nested": frozenset({"run_id"}),
    "human.asked": frozenset({"expect", "deadline", "on_timeout", "nested"}),
    "envelope.written": frozenset({"kind", "file"}),
    "provider.called": frozenset({"request"}),
}

# Seen by observers, never recorded: text a node prints while it runs.
TRANSIENT: Final = frozenset({"node.log"})

# Events after which the record is synced to disk, not only flushed (spec 08, Durability points).
DURABLE: Final = frozenset({"run.paused", "run.finished", "envelope.written", "human.replied"})


class Stamp(NamedTuple):
    """A moment: UTC text and monotonic seconds."""

    ts: str
    t: float


Clock = Callable[[], Stamp]


def start_clock(offset: float = 0.0) -> Clock:
    """Return a clock whose monotonic seconds start at `offset`; a resumed run goes on from its last event.

    The wall clock is read once and then carried on by the monotonic one, so time never goes back within a run. The
    text of the current second is kept, because formatting it anew is most of the cost of an event.
    """
    monotonic = time.monotonic
    origin = monotonic() - offset
    epoch = time.time() - offset
    second, prefix = -1, ""

    def now() -> Stamp:
        nonlocal second, prefix
        t = monotonic() - origin
        wall = epoch + t
        whole = int(wall)
        if whole != second:
            second, prefix = whole, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
        return Stamp(f"{prefix}.{int((wall - whole) * 1000):03d}Z", int(t * 1_000_000) / 1_000_000)

    return now
