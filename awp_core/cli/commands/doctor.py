"""`awp doctor`: what works on this machine, and what to do about the rest."""

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
    from awp_core.doctor import examine

    checks = examine(app)
    if args.json:
        print_json([check._asdict() for check in checks])
    else:
        for check in checks:
            print(clean(f"{'✓' if check.ok else '✗'} {check.name:<22} {check.detail}"))
    return 0 if all(check.ok for check in checks if check.needed) else 1


COMMAND = Command("doctor", "check what works on this machine", _configure, _run)
