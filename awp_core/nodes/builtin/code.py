"""`code`: Python with a top-level `main`, in a sandbox; never in this process (spec 02)."""

from __future__ import annotations

from awp_core.nodes.base import Lane, NodeType
from awp_core.nodes.python import DEFAULT_TIMEOUT_S, PythonConfig, run_source, selectors_of


class CodeConfig(PythonConfig):
    """Fields of a code node."""


NODE = NodeType(
    "code",
    "Runs Python in a sandbox.",
    CodeConfig,
    run_source,
    lane=Lane.COMPUTE,
    selectors=selectors_of,
    fields=lambda config: frozenset(config.outputs) or None,
    timeout=lambda _config: DEFAULT_TIMEOUT_S,
)
