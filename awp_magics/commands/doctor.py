"""`%awp doctor`: check what works on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def _run(session: Session, args: argparse.Namespace) -> None:  # noqa: ARG001 - every command has this shape
    from awp_core.diagnostics.render import visible
    from awp_core.doctor import examine
    from awp_magics.views.html import badge, card, esc, quiet

    checks = examine(session.app)
    words = [(check, "ok" if check.ok else "missing" if check.needed else "not here") for check in checks]
    lines = [visible(f"{word:<9} {check.name:<22} {check.detail}") for check, word in words]
    rows = [
        f"<div>{badge(word)} <strong>{esc(check.name)}</strong> {quiet(check.detail)}</div>" for check, word in words
    ]
    publish(session.shell, {"text/html": card(*rows), "text/plain": "\n".join(lines)})


COMMAND = Command("doctor", "check what works on this machine", _configure, _run)
