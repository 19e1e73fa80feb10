"""`%awp fork`: run a workflow again from one of its nodes, with everything before it taken over."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.options import add_start_options, run_options
from awp_magics.running import fork

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument(
        "--from", dest="nodes", action="append", required=True, metavar="NODE", help="where it starts again"
    )
    parser.add_argument("--set", action="append", default=[], metavar="VAR|PATH=VALUE", help="see below")
    parser.epilog = "--set node.field=value, or inputs.name=value, changes it; --set VAR binds the run to a variable"
    add_start_options(parser)


def _run(session: Session, args: argparse.Namespace) -> Run:
    from awp_core.replies import read_changes

    changes = read_changes([text for text in args.set if "=" in text])
    args.set = next((text for text in args.set if "=" not in text), None)
    return fork(session, session.find_run(args.run), args.nodes, changes, run_options(session, args))


COMMAND = Command("fork", "run again from a node, with the rest taken over", _configure, _run, completes="run")
