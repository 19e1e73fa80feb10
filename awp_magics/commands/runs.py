"""`%awp runs`: list runs, show one, show what waits for an answer, prune, rebuild."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.errors import UsageError
from awp_magics.command import Command
from awp_magics.display import publish
from awp_magics.running import show

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", nargs="?", metavar="RUN|prune|rebuild", help="a run id, a unique prefix, or a workflow name: show it"
    )
    parser.add_argument("target", nargs="?", metavar="RUN", help="for rebuild: the run; by default the last")
    parser.add_argument("--keep", type=int, metavar="N", help="for prune: keep the newest N runs that are over")
    parser.add_argument("--older", type=float, metavar="DAYS", help="for prune: only what ended longer ago than that")
    parser.add_argument("--dry-run", action="store_true", help="for prune: say what would go, and remove nothing")
    parser.add_argument("--paused", action="store_true", help="runs that wait for a person, with their forms")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N runs (default 20)")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.browse import overview
    from awp_magics.views.runs import NODE_COLUMNS, nodes_model, to_html, to_text, view_model

    if args.run in {"prune", "rebuild"}:
        publish(session.shell, {"text/plain": _keep_in_order(session, args)})
        return
    if args.target:
        raise UsageError(f"one run at a time, not {args.run} and {args.target}", hint="%awp diff compares two")
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


def _keep_in_order(session: Session, args: argparse.Namespace) -> str:
    from awp_core.upkeep import prune, pruned_text, rebuild

    if args.run == "prune":
        if args.target:
            raise UsageError("prune takes no run", hint="%awp runs prune --keep N --older DAYS")
        removed = prune(session.app, keep=args.keep, older=args.older, dry_run=args.dry_run)
        return pruned_text(removed, dry_run=args.dry_run)
    return "\n".join(f"written {file}" for file in rebuild(session.app, session.find_run(args.target)))


COMMAND = Command("runs", "list runs; --paused: with their forms; prune, rebuild", _configure, _run, completes="run")
