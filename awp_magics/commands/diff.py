"""`%awp diff`: compare two runs node by node."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="RUN1", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("after", nargs="?", metavar="RUN2", help="the run to compare it with; by default the last")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.browse import compared

    _, text = compared(session.find_run(args.before), session.find_run(args.after))
    publish(session.shell, {"text/plain": text})


COMMAND = Command("diff", "compare two runs node by node", _configure, _run, completes="run")
