"""`awp fork`: run a workflow again from one of its nodes, with everything before it taken over."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument(
        "--from", dest="nodes", action="append", required=True, metavar="NODE", help="where it starts again"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="PATH=VALUE", help="a new value of node.field or inputs.name"
    )
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider for every agent")
    parser.add_argument("--reply", action="append", default=[], metavar="NODE=VALUE", help="answer in advance")
    parser.add_argument("--json", action="store_true", help="print the whole completion as JSON")
    parser.add_argument("--quiet", action="store_true", help="print no progress")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.again import fork
    from awp_core.cli.live import follow
    from awp_core.cli.output import Progress
    from awp_core.replies import gather_replies, read_changes

    run = fork(
        app, app.open(args.run), args.nodes, read_changes(args.set), provider=args.provider,
        replies=gather_replies(args.reply, None, app.environ), observers=(Progress(quiet=args.quiet),), text=True,
    )  # fmt: skip
    if not args.quiet:
        sys.stderr.write(f"run {run.id}, a fork of {run.snapshot.origin}\n")
    return follow(run, as_json=args.json)


COMMAND = Command("fork", "run again from a node, with the rest taken over", _configure, _run)
