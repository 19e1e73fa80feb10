"""Say in plain words what a YAML scanner found, with a hint for the common mistakes."""

from __future__ import annotations

from awp_core.manifest.compose import Problem
from awp_core.manifest.scanner import error_parts


def explain(exc: BaseException, text: str) -> Problem:
    """Turn a scanner's error into a problem."""
    parts = error_parts(exc)
    if r"'\t'" in parts.problem:
        return Problem(parts.offset, "a tab character; YAML wants spaces here", "replace the tab by spaces")
    return Problem(parts.offset, parts.problem, "")
