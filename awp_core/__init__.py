"""The core of the Agent Workflow Protocol in notebooks: load, validate, run, pause, resume.

Everything here is imported when it is used, so `import awp_core` costs next to nothing.

Example:
    >>> import awp_core
    >>> flow = awp_core.load_text("- {id: hello, type: static, value: {text: Hi}}", "greeting")
    >>> awp_core.validate(flow).ok
    True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from awp_core.app import App
    from awp_core.diagnostics.model import Finding, Findings, Location, Severity
    from awp_core.errors import (
        AwpError,
        CodeError,
        EngineUnavailableError,
        InputError,
        ManifestChangedError,
        ManifestError,
        NodeError,
        NotFoundError,
        ProviderError,
        ReplyError,
        RunCancelledError,
        RunError,
        RunFolderError,
        RunLockedError,
        RunPausedError,
        SandboxError,
        SandboxUnavailableError,
        UsageError,
    )
    from awp_core.events.model import Event
    from awp_core.front import (
        agent,
        arun,
        default_app,
        list_runs,
        load,
        load_text,
        open_run,
        reply,
        resume,
        resume_workflow,
        run,
        validate,
    )
    from awp_core.handle import Run
    from awp_core.handle import Run as RunResult
    from awp_core.manifest.load import Workflow

_HOME = {
    "App": "awp_core.app",
    "Event": "awp_core.events.model",
    "Run": "awp_core.handle",
    "RunResult": "awp_core.handle",
    "Workflow": "awp_core.manifest.load",
    **dict.fromkeys(("Finding", "Findings", "Location", "Severity"), "awp_core.diagnostics.model"),
    **dict.fromkeys(
        (
            "agent", "arun", "default_app", "list_runs", "load", "load_text", "open_run", "reply", "resume",
            "resume_workflow", "run", "validate",
        ),
        "awp_core.front",
    ),
    **dict.fromkeys(
        (
            "AwpError", "CodeError", "EngineUnavailableError", "InputError", "ManifestChangedError", "ManifestError",
            "NodeError", "NotFoundError", "ProviderError", "ReplyError", "RunCancelledError", "RunError",
            "RunFolderError", "RunLockedError", "RunPausedError", "SandboxError", "SandboxUnavailableError",
            "UsageError",
        ),
        "awp_core.errors",
    ),
}  # fmt: skip

__all__ = [
    "App",
    "AwpError",
    "CodeError",
    "EngineUnavailableError",
    "Event",
    "Finding",
    "Findings",
    "InputError",
    "Location",
    "ManifestChangedError",
    "ManifestError",
    "NodeError",
    "NotFoundError",
    "ProviderError",
    "ReplyError",
    "Run",
    "RunCancelledError",
    "RunError",
    "RunFolderError",
    "RunLockedError",
    "RunPausedError",
    "RunResult",
    "SandboxError",
    "SandboxUnavailableError",
    "Severity",
    "UsageError",
    "Workflow",
    "__version__",
    "agent",
    "arun",
    "default_app",
    "list_runs",
    "load",
    "load_text",
    "open_run",
    "reply",
    "resume",
    "resume_workflow",
    "run",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("awp-magics")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `RunResult` is the seed's name for `Run`.
    value = getattr(importlib.import_module(_HOME[name]), "Run" if name == "RunResult" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
