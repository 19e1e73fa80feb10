"""`awp chat`: talk to a workflow of engine `chat`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App
    from awp_core.chat import Conversation, Line


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", help="a directory, a *.awp.yaml file, or a name")
    parser.add_argument("message", nargs="*", help="one message; without it, line by line until the end of the input")
    parser.add_argument("--conversation", default="default", metavar="NAME", help="which one (default: default)")
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider for every agent, such as stub")
    parser.add_argument("--show", action="store_true", help="print the transcript so far, and say nothing")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.chat import Conversation

    with Conversation(app, app.load(args.workflow), args.conversation) as conversation:
        if args.show:
            _print(conversation.lines, roles=True)
            return 0
        if args.message:
            _print(conversation.say(" ".join(args.message), provider=args.provider))
        else:
            _talk(conversation, args.provider)
        return _status(conversation)


def _talk(conversation: Conversation, provider: str | None) -> None:
    from awp_core.errors import ReplyError

    interactive = sys.stdin.isatty()
    while True:
        if interactive:
            sys.stderr.write("> ")
            sys.stderr.flush()
        message = sys.stdin.readline()
        if not message:
            return
        if message.strip():
            try:
                _print(conversation.say(message.strip(), provider=provider))
            except ReplyError as error:  # the question is still open: say it in another way
                sys.stderr.write(f"{error}\n")


def _print(lines: list[Line], *, roles: bool = False) -> None:
    from awp_core.cli.output import clean

    for line in lines:
        print(clean(f"{line.role}: {line.text}" if roles else line.text), flush=True)


def _status(conversation: Conversation) -> int:
    from awp_core.cli.output import EXIT_CODES

    run = conversation.run
    return EXIT_CODES[run.status] if run is not None else 0


COMMAND = Command("chat", "talk to a workflow", _configure, _run)
