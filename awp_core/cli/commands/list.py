"""`awp list`: the workflows that can be named here."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.cli.output import clean, print_json

    entries = list(app.library.entries())
    if args.json:
        print_json([{"name": e.name, "origin": e.origin, "description": e.description} for e in entries])
        return 0
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        about = entry.description.partition("\n")[0]
        print(clean(f"{entry.name:<{width}}  {entry.origin:<8} {about}".rstrip()))
    return 0


COMMAND = Command("list", "list the workflows that can be named here", _configure, _run)
