"""What answers an LLM call. A provider gets a request and gives text; everything about JSON is the agent's business."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

JSON = Any


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call.

    Attributes:
        agent: Id of the agent that calls.
        system: System prompt.
        messages: The conversation.
        schema: JSON Schema of the wanted object; None for free text.
        model, temperature, max_tokens: As the agent or the workflow sets them.
        inputs: The workflow's inputs.
        visible: What the agent may see of other nodes.
    """

    agent: str
    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, JSON] | None = None
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    inputs: Mapping[str, JSON] = field(default_factory=dict)
    visible: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: the text, or for a provider that has no need of text the value itself."""

    text: str
    model: str
    value: JSON = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Provider(Protocol):
    """A provider in use."""

    @property
    def name(self) -> str:
        """Its name, such as `stub`."""

    async def complete(self, request: Request) -> Response:
        """Answer a request.

        Raises:
            ProviderError: It answered with an error, or not at all.
        """

    async def aclose(self) -> None:
        """Give back connections."""


@dataclass(frozen=True, slots=True)
class ProviderType:
    """A kind of provider.

    Attributes:
        name: What `--provider` takes.
        summary: One sentence for `awp doctor`.
        create: Makes a provider; gets the environment.
        missing: Says what to set for it to work, "" if nothing is missing.
    """

    name: str
    summary: str
    create: Callable[[Mapping[str, str]], Provider]
    missing: Callable[[Mapping[str, str]], str] = lambda _environ: ""
