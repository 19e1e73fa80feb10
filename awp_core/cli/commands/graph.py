"""`awp graph`: draw a workflow as text, SVG or DOT."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", help="a directory, a *.awp.yaml file, a name, or with --run a run")
    parser.add_argument("--format", choices=["text", "svg", "dot"], default="text")
    parser.add_argument("--run", action="store_true", help="WORKFLOW is a run: draw it with its states")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.errors import UsageError
    from awp_core.runs.files import replace

    states = {}
    if args.run:
        run = app.open(args.workflow)
        workflow = app.library.of_run(run.run_folder, as_run=True)
        states = {name: node.status for name, node in run.nodes.items()}
    else:
        workflow = app.load(args.workflow)
    drawn = app.draw(workflow, args.format, states)
    if args.output is None:
        print(drawn)
        return 0
    if not args.output.parent.is_dir():
        raise UsageError(f"there is no folder {str(args.output.parent)!r}")
    replace(args.output, drawn.encode())
    sys.stderr.write(f"wrote {args.output}\n")
    return 0


COMMAND = Command("graph", "draw a workflow as text, SVG or DOT", _configure, _run)
