"""`%awp list`: list the workflows that can be named here."""

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
    from awp_magics.views.html import card, esc, quiet

    entries = list(session.app.library.entries())
    width = max((len(entry.name) for entry in entries), default=0)
    lines = [visible(f"{entry.name:<{width}}  {entry.origin:<8} {entry.description}".rstrip()) for entry in entries]
    rows = [
        f"<div><strong>{esc(entry.name)}</strong> {quiet(entry.origin)} {esc(entry.description)}</div>"
        for entry in entries
    ]
    publish(session.shell, {"text/html": card(*rows), "text/plain": "\n".join(lines)})


COMMAND = Command("list", "list the workflows that can be named here", _configure, _run)
