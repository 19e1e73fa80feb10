"""`%awp reply`: answer the question of a run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command, read_value
from awp_magics.running import answer_and_follow

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("value", metavar="VALUE", help="the answer, or $var for the value of a variable")
    parser.add_argument("--node", metavar="NODE", help="which question, when several are open")


def _run(session: Session, args: argparse.Namespace) -> Run:
    run = session.find_run(args.run, frozenset({"paused", "running"}))
    return answer_and_follow(session, run, read_value(args.value, session.namespace), args.node)


COMMAND = Command("reply", "answer the question of a run", _configure, _run, completes="run")
