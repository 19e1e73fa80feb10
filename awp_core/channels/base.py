"""What a channel is: where a workflow's messages go (spec 02, Channels).

The engine writes every envelope into the run's `outbox/` before a channel sees it. So a channel may be slow, fail or
be absent, and nothing is lost or sent twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["message", "answer", "question"]


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message to one chat.

    Attributes:
        channel: Name of the channel.
        kind: Whether it expects a reply (`question`) or not.
        chat_id: The chat it goes to.
        text: What a person reads, as Markdown.
        format: How `text` is written, as the manifest says (`markdown` or `text`).
        expect: For a question, what the answer must look like.
    """

    channel: str
    kind: Kind
    chat_id: str
    text: str
    format: str = "markdown"
    expect: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an envelope; `reason` says why it was not delivered."""

    delivered: bool
    reason: str = ""


Deliver = Callable[[Envelope], Awaitable[Receipt]]


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel type.

    Attributes:
        name: The value of `channel:`.
        summary: One sentence for documentation and `awp doctor`.
        deliver: Hand the envelope over; it is on disk already.
    """

    name: str
    summary: str
    deliver: Deliver
