"""`%awp graph`: draw a workflow."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="?", metavar="NAME", help="default: the workflow of the latest %%%%awp cell")
    parser.add_argument("--text", action="store_true", help="draw with characters")
    parser.add_argument("--dot", action="store_true", help="print Graphviz DOT")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_magics.views.graph import GraphView

    workflow = session.load(args.workflow)
    if args.text or args.dot:
        publish(session.shell, {"text/plain": session.app.draw(workflow, "dot" if args.dot else "text")})
    else:
        publish(session.shell, GraphView(workflow).bundle())


COMMAND = Command("graph", "draw a workflow", _configure, _run, completes="workflow")
