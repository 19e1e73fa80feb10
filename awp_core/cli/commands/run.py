"""`awp run`: run a workflow until it ends or waits for a person."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", help="a directory, a *.awp.yaml file, or a name")
    parser.add_argument(
        "inputs", nargs="*", metavar="name=value", help="inputs; name=@file reads the value from a file"
    )
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider for every agent, such as stub")
    parser.add_argument(
        "--reply", action="append", default=[], metavar="NODE=VALUE", help="answer a question in advance"
    )
    parser.add_argument("--replies", type=Path, metavar="FILE", help="a YAML or JSON file with answers by node")
    parser.add_argument("--json", action="store_true", help="print the whole completion as JSON")
    parser.add_argument("--quiet", action="store_true", help="print no progress")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.cli.live import follow
    from awp_core.cli.output import Progress
    from awp_core.replies import gather_replies

    workflow = app.load(args.workflow)
    replies = gather_replies(args.reply, args.replies, app.environ)
    run = app.start(
        workflow,
        pairs(args.inputs),
        provider=args.provider,
        replies=replies,
        text=True,
        observers=(Progress(quiet=args.quiet),),
    )
    if not args.quiet:
        sys.stderr.write(f"run {run.id} of {workflow.name}\n")
    return follow(run, as_json=args.json)


def pairs(texts: list[str]) -> dict[str, Any]:
    """Read `name=value` arguments; `name=@file` takes the file's text.

    Raises:
        UsageError: One has no `=`, or the file cannot be read.
    """
    from awp_core.errors import UsageError

    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r} is no input", hint="write name=value")
        if value.startswith("@"):
            try:
                value = Path(value[1:]).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as exc:
                raise UsageError(f"cannot read {value[1:]!r} for input {name!r}: {exc}") from exc
        values[name] = value
    return values


COMMAND = Command("run", "run a workflow", _configure, _run)
