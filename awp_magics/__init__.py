"""The notebook face of the Agent Workflow Protocol: `%load_ext awp_magics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add the magics, the rich displays and the completion; harmless when done twice."""
    from awp_magics.registration import register

    register(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take everything away again; runs go on and are found again after the next load."""
    from awp_magics.registration import unregister

    unregister(shell)
