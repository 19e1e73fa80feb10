"""`%awp run`: run a workflow and show it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.options import add_run_options, inputs_of, replies_for, run_options
from awp_magics.running import start

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workflow", metavar="NAME", help="a workflow of this notebook, a file, a directory or an example"
    )
    parser.add_argument("inputs", nargs="*", metavar="k=v", help="inputs; k=$var takes the value of a variable")
    add_run_options(parser)


def _run(session: Session, args: argparse.Namespace) -> Run:
    workflow = session.app.load(args.workflow)
    options = replies_for(workflow, run_options(session, args), args.reply)
    return start(session, workflow, inputs_of(session, workflow, args.inputs), options)


COMMAND = Command("run", "run a workflow", _configure, _run, completes="workflow")
