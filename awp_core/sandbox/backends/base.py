"""What a backend is: a name, whether it works here, what it refuses, and one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from awp_core.sandbox.check import EntryPoint
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

MAX_PRINTS = 256 * 1024
PRINTS_CUT = "\n… the rest of the output was cut\n"


@dataclass(frozen=True, slots=True)
class BackendReport:
    """Whether a backend works on this machine; `reason` is its version, or why it does not."""

    name: str
    usable: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call gave: the checked result and what was printed, cut at `MAX_PRINTS` bytes."""

    value: dict[str, Any]
    prints: str


class Backend(Protocol):
    """One way to run code.

    Attributes:
        name: As recorded with every node that ran in it.
    """

    name: str

    def report(self) -> BackendReport:
        """Find out, once, by trying; blocks for some ten milliseconds at the first call."""

    def refusal(self, policy: SandboxPolicy) -> str:
        """Why this policy cannot be kept here, or an empty string."""

    async def run(self, job: CodeJob, policy: SandboxPolicy, entry: EntryPoint) -> Outcome:
        """Run one call; raises CodeError and SandboxError."""

    async def aclose(self) -> None:
        """End whatever was kept warm."""
