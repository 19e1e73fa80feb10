"""`%awp cancel`: cancel a run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.running import show

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run id, a unique prefix, or a workflow name")


def _run(session: Session, args: argparse.Namespace) -> None:
    run = session.find_run(args.run, frozenset({"paused", "running"}))
    session.app.cancel(run)
    show(session, run)


COMMAND = Command("cancel", "cancel a run", _configure, _run, completes="run")
