"""`awp export`: turn a notebook into a workflow without running it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notebook", type=Path, help="an .ipynb file")
    parser.add_argument("target", type=Path, help="the workflow directory to write")
    parser.add_argument("--workflow", metavar="NAME", help="which workflow, when the notebook defines several")
    parser.add_argument("--single-file", action="store_true", help="write one *.awp.yaml file instead")
    parser.add_argument("--rename", action="store_true", help="name the workflow after the directory")
    parser.add_argument("--force", action="store_true", help="overwrite what an earlier export wrote")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.notebooks.export import export_notebook

    written = export_notebook(
        app,
        args.notebook,
        args.target,
        workflow=args.workflow,
        single_file=args.single_file,
        rename=args.rename,
        force=args.force,
    )
    for path in written:
        print(path)
    return 0


COMMAND = Command("export", "turn a notebook into a workflow", _configure, _run)
