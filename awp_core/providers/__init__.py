"""Providers: what answers an LLM call. One file per provider in `builtin/`; entry point `awp.providers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awp_core.providers.base import ProviderType
    from awp_core.registry import Registry


def load_providers() -> Registry[ProviderType]:
    """Find every provider.

    Raises:
        AwpError: A provider is broken, or two have one name.
    """
    from awp_core.providers.base import ProviderType
    from awp_core.registry import collect

    return collect("provider", "awp_core.providers.builtin", "PROVIDER", ProviderType, group="awp.providers")
