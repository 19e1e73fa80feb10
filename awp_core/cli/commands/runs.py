"""`awp runs`: list runs, show one, remove old ones, or write again what a record tells."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command
from awp_core.errors import UsageError

if TYPE_CHECKING:
    from awp_core.app import App
    from awp_core.handle import Run


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run",
        nargs="?",
        metavar="RUN|prune|rebuild",
        help="a run id, a unique prefix, or a workflow name: show that run",
    )
    parser.add_argument("target", nargs="?", metavar="RUN", help="for rebuild: the run whose files to write again")
    parser.add_argument("--keep", type=int, metavar="N", help="for prune: keep the newest N runs that are over")
    parser.add_argument("--older", type=float, metavar="DAYS", help="for prune: only what ended longer ago than that")
    parser.add_argument("--dry-run", action="store_true", help="for prune: say what would go, and remove nothing")
    parser.add_argument("--paused", action="store_true", help="only runs that wait for a person")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N runs (default 20)")
    parser.add_argument("--json", action="store_true")


def _run(app: App, args: argparse.Namespace) -> int:
    if args.run in {"prune", "rebuild"}:
        return _keep_in_order(app, args)
    if args.target:
        raise UsageError(f"one run at a time, not {args.run} and {args.target}", hint="awp diff RUN1 RUN2 compares two")
    if args.run:
        return _show(app.open(args.run), as_json=args.json)
    from awp_core.browse import overview
    from awp_core.cli.output import clean, print_json

    rows = overview(app.runs(), limit=args.limit, paused=args.paused)
    if args.json:
        print_json([row._asdict() for row in rows])
        return 0
    if not rows:
        print("no runs wait for a person" if args.paused else f"no runs in {app.runs_root()}")
    for row in rows:
        note = f"  ? {row.note}" if row.status == "paused" else f"  {row.note}" if row.note else ""
        print(clean(f"{row.id}  {row.status:<11} {row.workflow:<28} {row.nodes:>7}{note}"))
    return 0


def _keep_in_order(app: App, args: argparse.Namespace) -> int:
    from awp_core.cli.output import clean, print_json
    from awp_core.upkeep import prune, pruned_text, rebuild

    if args.run == "prune":
        if args.target:
            raise UsageError("prune takes no run", hint="awp runs prune --keep N --older DAYS")
        removed = prune(app, keep=args.keep, older=args.older, dry_run=args.dry_run)
        if args.json:
            print_json([run._asdict() for run in removed])
        else:
            print(clean(pruned_text(removed, dry_run=args.dry_run)))
        return 0
    if not args.target:
        raise UsageError("say which run to rebuild", hint="awp runs rebuild RUN")
    for file in rebuild(app, app.open(args.target)):
        print(clean(f"written {file}"))
    return 0


def _show(run: Run, *, as_json: bool) -> int:
    from awp_core.cli.output import clean, describe, mark, print_json
    from awp_core.runs.finish import completion

    state = run.snapshot
    if as_json:
        print_json(completion(state) | {"status": run.status})
        return 0
    print(clean(f"run {run.id} of {state.workflow}: {run.status}" + (f" ({state.reason})" if state.reason else "")))
    print(f"folder {run.folder}")
    width = max((len(name) for name in state.nodes), default=0)
    for name, node in state.nodes.items():
        took = f"{node.duration:8.3f} s" if node.duration is not None else " " * 10
        print(
            clean(
                f"  {mark(node.status)} {name:<{width}}  {node.status:<9} {took}  {node.error or node.reason}".rstrip()
            )
        )
    for question in run.questions:
        print(clean(f"? {question.node}: {question.prompt.strip()} (expects {describe(question.expect)})"))
    return 0


COMMAND = Command("runs", "list runs, show one, prune, rebuild", _configure, _run)
