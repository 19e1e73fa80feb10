"""`notebook`: shown in the cell; the notebook face draws it from the record, so there is nothing to do here."""

from __future__ import annotations

from awp_core.channels.base import Channel, DeliveryContext, Envelope, Receipt


async def _show(_envelope: Envelope, _context: DeliveryContext) -> Receipt:
    return Receipt(True)


CHANNEL = Channel("notebook", "Shown in the notebook cell, and by the command line where there is none.", _show)
