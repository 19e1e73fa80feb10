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


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """What a channel knows besides the envelope.

    Attributes:
        run_id, node: Whose message it is.
        key: The same for every attempt to deliver this envelope, also after a crash, and for no other.
        environ: Environment variables, for addresses and tokens.
    """

    run_id: str
    node: str
    key: str
    environ: Mapping[str, str]


Deliver = Callable[[Envelope, DeliveryContext], Awaitable[Receipt]]


def _nothing_missing(_environ: Mapping[str, str]) -> str:
    return ""


def _no_secrets(_environ: Mapping[str, str]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel type.

    Attributes:
        name: The value of `channel:`.
        summary: One sentence for documentation and `awp doctor`.
        deliver: Hand the envelope over; it is on disk already.
        confirms: Whether a receiver confirms and keeps keys. An envelope without a receipt is then delivered again
            after a crash; otherwise it counts as delivered once it is on disk.
        missing: Says what to set for it to work, "" if nothing is missing; asked before the first node.
        secrets: Settings that must never be seen, by name.
    """

    name: str
    summary: str
    deliver: Deliver
    confirms: bool = False
    missing: Callable[[Mapping[str, str]], str] = _nothing_missing
    secrets: Callable[[Mapping[str, str]], Mapping[str, str]] = _no_secrets
