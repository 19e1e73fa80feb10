"""The cell magics: `%%awp` defines a workflow, `%%awp_code` the Python of a code node."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from awp_core.diagnostics.model import Severity
from awp_core.errors import AwpError, ManifestError, UsageError
from awp_magics.command import Parser, read_inputs
from awp_magics.display import publish
from awp_magics.options import add_run_options, inputs_of, replies_for, run_options, variable_name
from awp_magics.running import start
from awp_magics.session import CodeCell, Session
from awp_magics.views import findings as findings_view

if TYPE_CHECKING:
    from awp_core.diagnostics.model import Findings
    from awp_core.handle import Run
    from awp_core.manifest.load import Workflow

_CODE_RULE = "N9"  # what says that a code node has no code yet
FIRST_LINE = 2  # of a cell's body: the magic is line 1


def workflow_parser() -> Parser:
    """Return the parser of a `%%awp` line."""
    parser = Parser("%%awp", "The cell is a workflow: whole, or only its graph.")
    parser.add_argument("words", nargs="*", metavar="[NAME] [k=v ...]", help="its name; inputs for --run")
    parser.add_argument("--run", action="store_true", help="run it too")
    parser.add_argument("--quiet", action="store_true", help="show only what is wrong")
    parser.add_argument("--as", dest="variable", metavar="VAR", help="bind the workflow to this variable")
    parser.add_argument("--chat", action="store_true", help="a short form is a chat")
    add_run_options(parser)
    return parser


def code_parser() -> Parser:
    """Return the parser of a `%%awp_code` line."""
    parser = Parser("%%awp_code", "The cell is the Python of a code node.")
    parser.add_argument("node", metavar="NODE", help="the code node")
    parser.add_argument("--workflow", metavar="NAME", help="default: the workflow of the latest %%%%awp cell")
    parser.add_argument("--test", nargs="*", metavar="k=v", help="run it once with these values")
    return parser


def define_workflow(session: Session, words: list[str], cell: str) -> Run | None:
    """Read, check, draw and keep the workflow of a cell; with `--run` run it too.

    Raises:
        ManifestError: It has errors; it is kept all the same, so that `%awp validate` shows them.
        UsageError: The line is wrong.
        AwpError: The run failed or could not start.
    """
    if _wants_help(words, workflow_parser()):
        return None
    args = workflow_parser().read(words)
    variable = variable_name(args.variable)
    names = [word for word in args.words if "=" not in word]
    if len(names) > 1:
        raise UsageError(f"a workflow has one name, these are {len(names)}: {', '.join(names)}", hint="inputs: k=v")
    name, workflow = _read(names[0] if names else "", cell, chat=args.chat)
    workflow = session.define(name, workflow)
    if variable:
        session.namespace[variable] = workflow
    findings = session.app.validate(workflow, draft=True)
    _show(session, name, workflow, findings, quiet=args.quiet)
    if not args.run:
        return None
    options = replies_for(workflow, run_options(session, args), args.reply)
    inputs = [word for word in args.words if "=" in word]
    return start(session, workflow, inputs_of(session, workflow, inputs), options)


def define_code(session: Session, words: list[str], cell: str) -> None:
    """Check and keep the source of a code node; with `--test` run it once in the sandbox.

    Raises:
        CodeError: It cannot be compiled, has no `main`, or failed in the test; shows the line of the cell.
        NotFoundError, UsageError: There is no such workflow or node.
    """
    from awp_core.sandbox.check import check_source

    if _wants_help(words, code_parser()):
        return
    args = code_parser().read(words)
    code = CodeCell(args.node, cell)
    check_source(cell, code.place, FIRST_LINE)
    owner = session.define_code(code, args.workflow)
    if owner:
        missing = session.missing_code(owner)
        rest = f"; still to come: {', '.join(missing)}" if missing else ""
        publish(session.shell, {"text/plain": f"code of {args.node} in {owner}{rest}"})
    else:
        publish(session.shell, {"text/plain": f"code of {args.node}, kept for the next %%awp cell"})
    if args.test is not None:
        _test(session, code, owner, args.test)


def _read(name: str, cell: str, *, chat: bool) -> tuple[str, Workflow]:
    """Read a cell; without a name on the line, the manifest's own counts."""
    from awp_core.manifest.load import read_text

    if not name:
        name = read_text(cell, "cell", first_line=FIRST_LINE, short=True, chat=chat).name
        name = "untitled" if name == "cell" else name
    read = read_text(cell, f"cell {name}", first_line=FIRST_LINE, short=True, short_name=name, chat=chat)
    return name, read


def _show(session: Session, name: str, workflow: Workflow, findings: Findings, *, quiet: bool) -> None:
    from awp_magics.views.graph import GraphView

    view = GraphView(workflow)
    if view.picture.nodes and not quiet:
        publish(session.shell, view.bundle())
    # What is still to come in code cells is one remark, not a finding for each node.
    kept = [item for item in findings if not (item.rule == _CODE_RULE and item.severity is Severity.INFO)]
    missing = session.missing_code(name)
    note = f"code still to come: {', '.join(f'%%awp_code {node}' for node in missing)}" if missing else ""
    if not quiet or findings.errors or findings.warnings:
        model = findings_view.view_model(kept, name, note)
        publish(session.shell, {"text/html": findings_view.to_html(model), "text/plain": findings_view.to_text(model)})
    if not findings.ok:
        count = len(findings.errors)
        raise ManifestError(f"{name} has {count} error{'s' if count != 1 else ''}", findings)


def _test(session: Session, code: CodeCell, owner: str, words: list[str]) -> None:
    """Run a code cell once, as the engine would."""
    from awp_core.sandbox.policy import CodeJob, SandboxPolicy
    from awp_core.sandbox.runner import Sandbox
    from awp_magics.views.html import card, pre
    from awp_magics.views.progress import as_text

    texts, values = read_inputs(words, session.namespace)
    arguments: dict[str, Any] = {**{name: _parsed(text) for name, text in texts.items()}, **values}
    raw = session.app.library.session[owner].node(code.node).raw if owner else {}
    job = CodeJob(code.source, arguments, tuple(raw.get("outputs") or ()), code.place, FIRST_LINE)
    policy = SandboxPolicy(packages=raw.get("packages") is True)

    async def once() -> Any:
        sandbox = Sandbox(session.app.environ)
        try:
            return await sandbox.run(job, policy)
        finally:
            await sandbox.aclose()

    result = session.app.loop.submit(once()).result()
    text = f"{result.prints}{as_text(result.value)}"
    publish(session.shell, {"text/html": card(pre(text)), "text/plain": text})


def _parsed(text: str) -> Any:
    """A value as typed for a test: JSON if it is, otherwise text."""
    from awp_core.values import load_json

    try:
        return load_json(text)
    except AwpError:
        return text


def _wants_help(words: list[str], parser: argparse.ArgumentParser) -> bool:
    if not {"--help", "-h"} & set(words):
        return False
    print(parser.format_help().rstrip())  # noqa: T201 - help is text
    return True
