"""`callable`: Python functions of the session answer; an agent that is none cannot be called with it."""

from __future__ import annotations

from collections.abc import Mapping

from awp_core.errors import ProviderError
from awp_core.providers.base import Provider, ProviderType, Request, Response


class CallableProvider:
    """Refuses: agents that are functions are called directly, so whoever reaches this is none."""

    name = "callable"

    async def complete(self, request: Request) -> Response:
        """Refuse.

        Raises:
            ProviderError: Always; names the agent.
        """
        raise ProviderError(
            f"agent {request.agent!r} is no Python function of this session",
            hint=f'define it: @awp_core.agent("{request.agent}")',
        )

    async def aclose(self) -> None:
        """Nothing to give back."""


def _create(_environ: Mapping[str, str]) -> Provider:
    return CallableProvider()


PROVIDER = ProviderType("callable", 'Python functions marked with @agent("name").', _create)
