"""`%awp chat`: say something to a workflow of engine `chat`, and show the conversation."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_core.handle import Run
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="NAME", help="a workflow of this notebook, a file, or an example")
    parser.add_argument("message", nargs="*", help="what to say; without it the conversation is shown")
    parser.add_argument("--conversation", default="default", metavar="NAME", help="which one (default: default)")
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider for every agent, such as stub")


def _run(session: Session, args: argparse.Namespace) -> Run | None:
    from awp_core.chat import Conversation
    from awp_magics.views.chat import to_html, to_text

    with Conversation(session.app, session.app.load(args.workflow), args.conversation) as conversation:
        if args.message:
            conversation.say(" ".join(args.message), provider=args.provider or session.provider)
        lines = conversation.lines
        publish(session.shell, {"text/html": to_html(lines), "text/plain": to_text(lines)})
        return conversation.run


COMMAND = Command("chat", "talk to a workflow", _configure, _run, completes="workflow")
