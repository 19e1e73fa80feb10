"""`awp validate`: every finding of every rule."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="+", help="a directory, a *.awp.yaml file, or a name")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--strict", action="store_true", help="warnings fail too")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.cli.output import print_json
    from awp_core.diagnostics.model import Findings
    from awp_core.diagnostics.render import render_text, to_json

    found = Findings(finding for name in args.workflow for finding in app.validate(app.load(name)))
    if args.format == "json":
        print_json(to_json(found))
    elif found:
        print(render_text(found, color=sys.stdout.isatty()))
    else:
        print("no findings")
    return 1 if not found.ok or (args.strict and found.warnings) else 0


COMMAND = Command("validate", "check a workflow against every rule", _configure, _run)
