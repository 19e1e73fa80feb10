"""`awp demo`: run the quickstart notebook headless, with a reply to its question, and show what came of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reply", default="yes", help="the answer to the notebook's question (default: yes)")
    parser.add_argument("--folder", type=Path, default=Path("demo"), help="where the executed notebook and its runs go")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.notebooks.demo import run_demo

    return run_demo(app, args.folder, args.reply)


COMMAND = Command("demo", "run the quickstart notebook and show the result", _configure, _run)
