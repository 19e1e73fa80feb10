"""`%awp show`: print the whole manifest of a workflow, as it would run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="?", metavar="NAME", help="default: the workflow of the latest %%%%awp cell")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.diagnostics.render import visible
    from awp_magics.views.html import card, pre

    workflow = session.load(args.workflow)
    text = "\n".join(map(visible, workflow.text.split("\n")))
    publish(session.shell, {"text/html": card(pre(workflow.text)), "text/plain": text})


COMMAND = Command("show", "print a workflow's manifest", _configure, _run, completes="workflow")
