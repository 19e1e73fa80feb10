"""`%awp validate`: check a workflow by every rule."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from awp_magics.command import Command
from awp_magics.display import publish

if TYPE_CHECKING:
    from awp_core.diagnostics.model import Findings
    from awp_magics.session import Session


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", nargs="?", metavar="NAME", help="default: the workflow of the latest %%%%awp cell")


def _run(session: Session, args: argparse.Namespace) -> Findings:
    from awp_magics.views.findings import to_html, to_text, view_model

    workflow = session.load(args.workflow)
    findings = session.app.validate(workflow)
    model = view_model(findings, workflow.name)
    publish(session.shell, {"text/html": to_html(model), "text/plain": to_text(model)})
    session.showed(findings)
    return findings


COMMAND = Command("validate", "check a workflow by every rule", _configure, _run, completes="workflow")
