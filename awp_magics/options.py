"""Arguments that several sub-commands and `%%awp` share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from awp_magics.command import read_inputs
from awp_magics.running import RunOptions, text_inputs

if TYPE_CHECKING:
    from awp_core.manifest.load import Workflow
    from awp_magics.session import Session


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how a run is started and followed."""
    add_start_options(parser)
    parser.add_argument("--set", metavar="VAR", help="bind the run to this variable")


def add_start_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how a run is started, but for the variable it is bound to."""
    parser.add_argument("--provider", "--engine", metavar="NAME", help="the provider for every agent, such as stub")
    parser.add_argument("--reply", action="append", default=[], metavar="NODE=VALUE", help="answer in advance")
    _add_waiting(parser)


def add_follow_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how a run is followed."""
    _add_waiting(parser)
    parser.add_argument("--set", metavar="VAR", help="bind the run to this variable")


def _add_waiting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--background", action="store_true", help="return at once; the output goes on by itself")
    parser.add_argument("--require-complete", action="store_true", help="fail if the run waits for a person")


def run_options(session: Session, args: argparse.Namespace) -> RunOptions:
    """Return the options that were given.

    Raises:
        UsageError: A reply has no `=`, the variable is no name, or AWP_REPLIES cannot be read.
    """
    from awp_core.replies import gather_replies

    replies = gather_replies(args.reply, None, session.app.environ) if hasattr(args, "reply") else None
    return RunOptions(args.provider, replies, args.background, variable_name(args.set), args.require_complete)


def replies_for(workflow: Workflow, options: RunOptions, typed: list[str]) -> RunOptions:
    """Drop answers from AWP_REPLIES to questions that this workflow does not ask; typed ones must fit."""
    named = {text.partition("=")[0] for text in typed}
    replies = {
        node: value for node, value in (options.replies or {}).items() if node in named or workflow.has_node(node)
    }
    return options._replace(replies=replies)


def inputs_of(session: Session, workflow: Workflow, words: list[str]) -> dict[str, Any]:
    """Return the inputs among the words: text as typed, `$variables` by value.

    Raises:
        UsageError, NotFoundError: See `read_inputs`.
    """
    texts, values = read_inputs(words, session.namespace)
    return text_inputs(workflow, texts, values)


def variable_name(name: str | None) -> str | None:
    """Return a name that a variable may have.

    Raises:
        UsageError: It may not.
    """
    from keyword import iskeyword

    from awp_core.errors import UsageError

    if name is not None and (not name.isidentifier() or iskeyword(name)):
        raise UsageError(f"{name!r} is no name for a variable", hint="use letters, digits and _")
    return name
