"""The `awp` command: parse, call the app, print, exit with the error's code (spec 05, Exit codes)."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from awp_core.cli.command import Command
from awp_core.errors import AwpError, ManifestError, nearest


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        hint = ""
        if "invalid choice" in message:
            typed = message.split("'")[1]
            close = nearest(typed, [command.name for command in commands()])
            message, hint = (
                f"there is no command {typed!r}",
                f"did you mean {close!r}?" if close else "see `awp --help`",
            )
        self.print_usage(sys.stderr)
        sys.stderr.write(f"error: {message}\n" + (f"hint: {hint}\n" if hint else ""))
        raise SystemExit(2)


def commands() -> list[Command]:
    """Return every command, by name."""
    package = importlib.import_module("awp_core.cli.commands")
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"{package.__name__}.{name}").COMMAND for name in names]


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every command."""
    parser = _Parser(
        prog="awp",
        description="Workflows of agents, code and people: validate, run, pause, answer, resume.",
        epilog="Exit codes: 0 ok or complete, 1 failed or findings, 2 usage, 3 partial, 4 paused, 5 not found, "
        "130 cancelled.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--runs-dir", type=Path, metavar="DIR", help="where runs are kept (default: ./runs)")
    parser.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
    sub = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for command in commands():
        child = sub.add_parser(command.name, help=command.summary, description=command.summary)
        command.configure(child)
        child.set_defaults(execute=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the `awp` command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character must not cost the result
            stream.reconfigure(errors="backslashreplace")
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.version:
        from importlib.metadata import version

        print(version("awp-magics"))
        return 0
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    from awp_core.app import App

    app = App(runs_dir=args.runs_dir)
    try:
        code: int = args.execute(app, args)
        sys.stdout.flush()
    except AwpError as error:
        if args.debug:
            raise
        report(error)
        return error.exit_code
    except KeyboardInterrupt:
        from awp_core.cli.live import cancel_working

        return cancel_working(app)
    except BrokenPipeError:
        # The reader of our output went away, as `awp runs | head` does; say nothing, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def report(error: AwpError) -> None:
    """Print an error for a person: what, where, what next."""
    from awp_core.cli.output import clean

    if isinstance(error, ManifestError):
        from awp_core.diagnostics.render import render_text

        sys.stderr.write(render_text(error.findings, color=sys.stderr.isatty()) + "\n")
    sys.stderr.write(f"error: {clean(str(error))}\n")
