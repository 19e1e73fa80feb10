"""`%awp resume`: go on with a run that waits or was cut off."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.options import add_follow_options, run_options
from awp_magics.running import resume

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("--provider", metavar="NAME", help="the provider from here on")
    parser.add_argument("--accept-changes", action="store_true", help="go on although the workflow was changed")
    add_follow_options(parser)


def _run(session: Session, args: argparse.Namespace) -> Run:
    run = session.find_run(args.run, frozenset({"paused", "running"}))
    return resume(session, run, run_options(session, args), accept_changes=args.accept_changes)


COMMAND = Command("resume", "go on with a run that waits or was cut off", _configure, _run, completes="run")
