"""Every error this library raises, so that a caller can catch one base class.

AwpError                          1   the base: a message, a hint, an exit code
├── UsageError                    2   the command or call is wrong, nothing was tried
├── NotFoundError                 5   a workflow, run, node or name that does not exist
├── ManifestError                 1   the workflow is not valid; carries every finding
├── InputError                    1   run inputs are missing or of the wrong type
├── SandboxError                  1   the sandbox stopped the code, or none is available
│   └── SandboxUnavailableError   1   fails closed: no backend works here
├── CodeError                     1   the user's own Python raised; carries the user's lines
├── ProviderError                 1   an LLM provider answered with an error, or not at all
│   └── EngineUnavailableError    1   a provider that the graph needs cannot be used here
└── RunError                      1   a run could not go on
    ├── NodeError                 1   one node failed; carries its id
    ├── ReplyError                1   a reply does not fit its question; the run stays paused
    ├── RunPausedError            4   the result of a run that waits for a person was read
    ├── RunCancelledError       130   the result of a cancelled run was read
    ├── RunLockedError            1   another live process works on the run
    ├── RunFolderError            1   the run folder cannot be written or read
    └── ManifestChangedError      1   the manifest is not the one the run was started with

The number is the exit code of the `awp` command (spec 05, "Exit codes").
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from awp_core.diagnostics.model import Findings


_LONGEST = 10_000  # characters of an error that are kept


class AwpError(Exception):
    """The base of all errors raised by awp_core and awp_magics.

    Args:
        message: What is wrong and where, in one or two sentences. Never a secret.
        hint: What to do about it; empty if there is nothing to add.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class UsageError(AwpError):
    """The command line or the call is wrong; nothing was tried."""

    exit_code = 2


class NotFoundError(AwpError):
    """A name that does not exist, with the nearest names as hint."""

    exit_code = 5

    @classmethod
    def for_name(cls, kind: str, name: str, known: Iterable[str]) -> NotFoundError:
        """Build the error for an unknown `name` of a `kind` ("run", "workflow", …).

        >>> print(NotFoundError.for_name("node", "clen", ["clean", "load"]))
        there is no node 'clen'
        hint: did you mean 'clean'?
        """
        names = sorted(known)
        close = nearest(name, names)
        if close:
            hint = f"did you mean {close!r}?"
        elif names:
            hint = f"there is: {', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
        else:
            hint = f"there is no {kind} at all yet"
        return cls(f"there is no {kind} {name!r}", hint=hint)


class ManifestError(AwpError):
    """A workflow that must not run; `findings` holds every finding, not only the first."""

    def __init__(self, message: str, findings: Findings, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.findings = findings


class InputError(AwpError):
    """Run inputs that are missing, ill-typed or out of their `enum`; lists all problems."""


class SandboxError(AwpError):
    """The sandbox stopped the code: time, memory, processes, or a broken child."""


class SandboxUnavailableError(SandboxError):
    """No sandbox backend works here, and the code was therefore not run."""


class CodeError(AwpError):
    """The user's own Python raised an exception or returned the wrong fields.

    Args:
        message: Type and text of the user's exception.
        traceback: The user's own lines, already rendered with the line numbers of the cell or manifest.
        line: Line of the innermost user frame within the file it came from (from 1), 0 if unknown.
        prints: What the code printed before it failed.
    """

    def __init__(self, message: str, *, hint: str = "", traceback: str = "", line: int = 0, prints: str = "") -> None:
        super().__init__(message, hint=hint)
        self.traceback = traceback
        self.line = line
        self.prints = prints


class ProviderError(AwpError):
    """An LLM provider answered with an error, or not at all."""


class EngineUnavailableError(ProviderError):
    """A chosen or required provider cannot be used here; raised before the first node."""


class RunError(AwpError):
    """A run could not go on."""


class NodeError(RunError):
    """One node failed.

    Args:
        node: Id of the node.
        message: What went wrong, without the node's id.
    """

    def __init__(self, node: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.node = node


class ReplyError(RunError):
    """A reply that does not fit its question; the run stays paused."""


class RunPausedError(RunError):
    """The result of a run was read while it waits for a person."""

    exit_code = 4


class RunCancelledError(RunError):
    """The result of a run was read after it had been cancelled."""

    exit_code = 130


class RunLockedError(RunError):
    """Another live process works on this run."""


class RunFolderError(RunError):
    """The run folder cannot be written or read; nothing is reported as done that is not on disk."""


class AuditError(RunFolderError):
    """An audit chain is broken: a line was changed, removed, moved or cut off."""


class ManifestChangedError(RunError):
    """The manifest is not the one the run was started with."""


def describe(error: BaseException) -> str:
    """Return what an error says, as text that can be recorded.

    The error may be anybody's: its text may be endless, not Unicode, or fail to be made.

    >>> describe(KeyError("x"))
    "KeyError: 'x'"
    """
    try:
        text = error.message if isinstance(error, AwpError) else str(error)
    except BaseException:  # noqa: BLE001 - a text that ends the program when it is read is still only a text
        text = "(its text cannot be read)"
    if not isinstance(error, AwpError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return writable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def writable(text: str) -> str:
    """Return the text with every half character (a lone surrogate) replaced."""
    return text.encode("utf-8", "replace").decode()


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name closest to `name`, or "" if none is close.

    >>> nearest("agnet", ["agent", "code"])
    'agent'
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return close[0] if close else ""
