"""`awp cancel`: cancel a run, wherever it runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run id, a unique prefix, or a workflow name")


def _run(app: App, args: argparse.Namespace) -> int:
    run = app.cancel(args.run, "it was cancelled by `awp cancel`")
    print(f"run {run.id} is {run.status}")
    return 0 if run.status == "cancelled" else 1


COMMAND = Command("cancel", "cancel a run", _configure, _run)
