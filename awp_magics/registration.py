"""What loading the extension adds to a shell, and what unloading takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awp_magics.completion import install_completion, remove_completion
from awp_magics.display import install_displays, remove_displays
from awp_magics.magics import AwpMagics
from awp_magics.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_KEPT = "awp_session"  # the attribute of the shell that keeps our state across a reload
_NAMES = {"line": ("awp",), "cell": ("awp", "awp_code")}


def loaded(shell: InteractiveShell) -> AwpMagics | None:
    """Return the magics of a shell, or None when the extension is not loaded."""
    found = shell.magics_manager.registry.get(AwpMagics.__name__)
    return found if isinstance(found, AwpMagics) else None


def register(shell: InteractiveShell, session: Session | None = None) -> AwpMagics:
    """Load the extension into a shell, once.

    Args:
        shell: Any IPython shell, with a kernel or without.
        session: Its state; by default the one of an earlier load, else a new one.
    """
    magics = loaded(shell)
    if magics is not None:
        return magics
    session = session or getattr(shell, _KEPT, None) or Session(shell)
    setattr(shell, _KEPT, session)
    magics = AwpMagics(shell, session)
    session.settings = magics
    shell.register_magics(magics)
    install_displays(shell, session)
    install_completion(shell, session)
    return magics


def unregister(shell: InteractiveShell) -> None:
    """Unload the extension; harmless when it is not loaded."""
    magics = loaded(shell)
    if magics is None:
        return
    manager = shell.magics_manager
    for kind, names in _NAMES.items():
        for name in names:
            manager.magics[kind].pop(name, None)
    manager.registry.pop(AwpMagics.__name__, None)
    shell.configurables[:] = [known for known in shell.configurables if not isinstance(known, AwpMagics)]
    remove_completion(shell)
    remove_displays(shell)
