"""`%awp export`: write a workflow of this notebook as a directory or a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="NAME", help="a workflow of this notebook")
    parser.add_argument("target", nargs="?", type=Path, metavar="DIR", help="where to (default: its name)")
    parser.add_argument("--single-file", action="store_true", help="write one NAME.awp.yaml instead of a directory")
    parser.add_argument("--rename", action="store_true", help="name the workflow after the directory")
    parser.add_argument("--force", action="store_true", help="overwrite an earlier export")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.notebooks.export import export_workflow

    target = args.target or Path(f"{args.workflow}.awp.yaml" if args.single_file else args.workflow)
    if session.app.directory is not None:
        target = session.app.directory / target
    written = export_workflow(
        session.app,
        session.load(args.workflow),
        target,
        single_file=args.single_file,
        rename=args.rename,
        force=args.force,
    )
    publish(session.shell, {"text/plain": "\n".join(map(str, written))})


COMMAND = Command("export", "write a workflow as a directory or a file", _configure, _run, completes="workflow")
