"""`terminal`: printed to standard error, so that standard output stays the result."""

from __future__ import annotations

import sys

from awp_core.channels.base import Channel, Envelope, Receipt
from awp_core.diagnostics.render import visible


async def _print(envelope: Envelope) -> Receipt:
    text = "\n".join(visible(line) for line in envelope.text.splitlines())
    sys.stderr.write(f"[{visible(envelope.chat_id)}] {text}\n")
    return Receipt(True)


CHANNEL = Channel("terminal", "Printed to the terminal.", _print)
