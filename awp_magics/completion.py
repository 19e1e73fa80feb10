"""Tab completion of `%awp` lines and of the body of `%%awp` cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from awp_magics.session import Session


def install_completion(shell: InteractiveShell, session: Session) -> None:
    """Complete our lines and cells in a shell."""


def remove_completion(shell: InteractiveShell) -> None:
    """Take the completion away again."""
