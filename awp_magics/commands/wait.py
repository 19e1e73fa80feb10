"""`%awp wait`: wait until a run ends or waits for a person."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.running import wait

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="for a run of another process")


def _run(session: Session, args: argparse.Namespace) -> Run:
    return wait(session, session.find_run(args.run), args.timeout)


COMMAND = Command("wait", "wait until a run ends or waits for a person", _configure, _run, completes="run")
