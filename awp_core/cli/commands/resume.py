"""`awp resume`: go on with a run that is paused or was cut off."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def configure_answer(parser: argparse.ArgumentParser) -> None:
    """Add what `resume` and `reply` share."""
    parser.add_argument("--node", metavar="ID", help="which question, when several are open")
    parser.add_argument(
        "--replier", metavar="ID", help="who answers; refused if the question was asked of somebody else"
    )
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider from here on")
    parser.add_argument("--accept-changes", action="store_true", help="go on although the workflow was changed")
    parser.add_argument("--json", action="store_true", help="print the whole completion as JSON")
    parser.add_argument("--quiet", action="store_true", help="print no progress")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument(
        "reply", nargs="?", metavar="REPLY", help="the answer; without one the run goes on after a crash"
    )
    configure_answer(parser)


def go_on(app: App, args: argparse.Namespace) -> int:
    """Resume with what was parsed, follow, and return the exit code."""
    from awp_core.cli.live import follow
    from awp_core.cli.output import Progress

    run = app.resume(
        args.run, args.reply, node=args.node, replier=args.replier, provider=args.provider,
        accept_changes=args.accept_changes, observers=(Progress(quiet=args.quiet),),
    )  # fmt: skip
    return follow(run, as_json=args.json)


COMMAND = Command("resume", "go on with a paused or cut-off run", _configure, go_on)
