"""`awp audit verify`: check the hash chain of a run's audit entries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_core.cli.command import Command

if TYPE_CHECKING:
    from awp_core.app import App


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["verify"], help="check that no entry was changed, removed or moved")
    parser.add_argument("target", metavar="FILE|RUN", help="an audit.jsonl, a run id, a prefix, or a workflow name")


def _run(app: App, args: argparse.Namespace) -> int:
    from awp_core.browse import verify_audit
    from awp_core.cli.output import clean

    print(clean(verify_audit(app, args.target)))
    return 0


COMMAND = Command("audit", "check a run's audit chain", _configure, _run)
