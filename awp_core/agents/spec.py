"""Who a node calls: everything known of one agent before it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent.

    Attributes:
        id: Its name.
        system: Its system prompt, "" for none.
        schema: JSON Schema of its output object; None for whatever it says.
        provider, model, temperature, max_tokens: As its file sets them; None to leave it to the workflow.
        function: The Python function it is, if it is one.
        process: Whether that function runs in a process of its own, which a time-out can kill.
    """

    id: str
    system: str = ""
    schema: Mapping[str, Any] | None = None
    provider: str | None = None
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    function: Callable[..., Any] | None = None
    process: bool = False
