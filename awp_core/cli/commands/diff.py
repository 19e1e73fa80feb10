"""`awp diff`: compare two runs node by node."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="RUN1", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("after", metavar="RUN2", help="the run to compare it with")
    parser.add_argument("--json", action="store_true", help="print what differs as JSON")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.browse import compared
    from awp_core.cli.output import clean, print_json

    before, after = app.open(args.before), app.open(args.after)
    found, text = compared(before, after)
    if args.json:
        print_json({"before": before.id, "after": after.id, "differences": [entry._asdict() for entry in found]})
    else:
        print(clean(text))
    return 1 if found else 0


COMMAND = Command("diff", "compare two runs node by node", _configure, _run)
