"""Channels: where a workflow's messages go. One file per channel in `builtin/`; entry point `awp.channels`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awp_core.channels.base import Channel
    from awp_core.registry import Registry


def load_channels() -> Registry[Channel]:
    """Find every channel.

    Raises:
        AwpError: A channel is broken, or two have one name.
    """
    from awp_core.channels.base import Channel
    from awp_core.registry import collect

    return collect("channel", "awp_core.channels.builtin", "CHANNEL", Channel, group="awp.channels")


def channel_names() -> frozenset[str]:
    """Return the names a `channel:` may have."""
    return frozenset(load_channels())
