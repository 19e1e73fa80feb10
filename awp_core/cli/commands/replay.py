"""`awp replay`: run a recorded run again with its recorded answers, and compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("--json", action="store_true", help="print what differs as JSON")
    parser.add_argument("--quiet", action="store_true", help="print no progress")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.again import finished, replay
    from awp_core.cli.output import Progress, clean, print_json

    run = app.open(args.run)
    replayed = finished(run, replay(app, run, (Progress(quiet=args.quiet),)))
    if args.json:
        found = [difference._asdict() for difference in replayed.differences]
        print_json({"run": run.id, "replay": replayed.run.id, "status": replayed.status, "differences": found})
    else:
        print(clean(replayed.verdict))
    return 1 if replayed.differences else 0


COMMAND = Command("replay", "run a recorded run again, offline, and compare", _configure, _run)
