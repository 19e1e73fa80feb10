"""`%awp replay`: run a recorded run again with its recorded answers, and compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run id, a unique prefix, or a workflow name")


def _run(session: Session, args: argparse.Namespace) -> Run:
    from awp_core.again import finished, replay

    run = session.find_run(args.run)
    replayed = finished(run, replay(session.app, run))
    publish(session.shell, {"text/plain": replayed.verdict})
    return replayed.run


COMMAND = Command("replay", "run a recorded run again, offline, and compare", _configure, _run, completes="run")
