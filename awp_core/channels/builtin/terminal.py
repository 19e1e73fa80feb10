"""`terminal`: printed to standard error, so that standard output stays the result."""

from __future__ import annotations

import sys

from awp_core.channels.base import Channel, DeliveryContext, Envelope, Receipt
from awp_core.diagnostics.render import visible
from awp_core.values import shorten

_MAX_TEXT = 20_000  # characters of one message; all of it is in outbox/


async def _print(envelope: Envelope, _context: DeliveryContext) -> Receipt:
    text = "\n".join(visible(line) for line in shorten(envelope.text, _MAX_TEXT).splitlines())
    try:
        sys.stderr.write(f"[{visible(envelope.chat_id)}] {text}\n")
    except (OSError, ValueError) as exc:  # the terminal is gone, or the stream is closed
        return Receipt(False, f"standard error cannot be written: {exc}")
    return Receipt(True)


CHANNEL = Channel("terminal", "Printed to the terminal.", _print)
