"""`%awp runs`: list runs, show one, or show what waits for an answer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish
from awp_magics.running import show

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run id, a unique prefix, or a workflow name: show it")
    parser.add_argument("--paused", action="store_true", help="runs that wait for a person, with their forms")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N runs (default 20)")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.browse import overview
    from awp_magics.views.runs import NODE_COLUMNS, nodes_model, to_html, to_text, view_model

    if args.run:
        run = session.find_run(args.run)
        show(session, run)
        nodes = nodes_model(run.snapshot)
        bundle = {"text/html": to_html(nodes, columns=NODE_COLUMNS), "text/plain": to_text(nodes)}
        publish(session.shell, bundle)
        return
    runs = session.app.runs()
    rows = overview(runs, limit=args.limit, paused=args.paused)
    empty = "no run waits for a person" if args.paused else f"no runs in {session.app.runs_root()}"
    cells = view_model(rows)
    publish(session.shell, {"text/html": to_html(cells, empty), "text/plain": to_text(cells, empty)})
    if args.paused:
        shown = {row.id for row in rows}
        for run in runs:
            if run.id in shown:
                show(session, run)


COMMAND = Command("runs", "list runs; --paused: with their forms", _configure, _run, completes="run")
