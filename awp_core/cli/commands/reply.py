"""`awp reply`: answer the question of a paused run."""

from __future__ import annotations

import argparse

from awp_core.cli.command import Command
from awp_core.cli.commands.resume import configure_answer, go_on


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run id, a unique prefix, or a workflow name")
    parser.add_argument("reply", metavar="REPLY", help="the answer")
    configure_answer(parser)


COMMAND = Command("reply", "answer the question of a paused run", _configure, go_on)
