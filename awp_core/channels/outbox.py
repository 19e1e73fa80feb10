"""Channels served by a bridge outside: the envelope in the run's `outbox/` is the delivery (spec 02, Channels)."""

from __future__ import annotations

from awp_core.channels.base import Channel, DeliveryContext, Envelope, Receipt


async def _leave(_envelope: Envelope, _context: DeliveryContext) -> Receipt:
    return Receipt(True, "left in outbox/ for a bridge to pick up")


def bridge(name: str, title: str) -> Channel:
    """Return the channel of an outside bridge."""
    return Channel(name, f"{title}: left in the run's outbox/ for a bridge to pick up.", _leave)
