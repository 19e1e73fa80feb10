"""`%awp audit verify`: check the hash chain of a run's audit entries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["verify"], help="check that no entry was changed, removed or moved")
    parser.add_argument("target", nargs="?", metavar="FILE|RUN", help="an audit.jsonl or a run; by default the last")


def _run(session: Session, args: argparse.Namespace) -> None:
    from awp_core.browse import verify_audit

    target = args.target or str(session.find_run(None).folder)
    publish(session.shell, {"text/plain": verify_audit(session.app, target)})


COMMAND = Command("audit", "check a run's audit chain", _configure, _run)
