"""How our errors and values look in IPython: short errors, rich runs, findings and workflows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from awp_core.diagnostics.render import render_text, visible
from awp_core.errors import AwpError, CodeError, ManifestError
from awp_core.values import shorten

if TYPE_CHECKING:
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell

    from awp_core.diagnostics.model import Findings
    from awp_core.handle import Run
    from awp_core.manifest.load import Workflow
    from awp_magics.session import Session

MOST_LINES = 8  # of an error
_HOOK = "_render_traceback_"  # what IPython asks an exception for
_TYPES = (
    ("awp_core.handle", "Run"),
    ("awp_core.diagnostics.model", "Findings"),
    ("awp_core.manifest.load", "Workflow"),
)


def publish(shell: InteractiveShell, bundle: Mapping[str, Any], display_id: str = "", *, update: bool = False) -> None:
    """Show a mimebundle, or put it in the place of an earlier one with the same id."""
    if not display_id:
        shell.display_pub.publish(data=dict(bundle), metadata={})
        return
    shell.display_pub.publish(data=dict(bundle), metadata={}, transient={"display_id": display_id}, update=update)


# --- errors --------------------------------------------------------------------------------------------------------


def render_error(error: AwpError) -> list[str]:
    """Return an error as at most eight lines: what, where with a caret, what to do."""
    hint = [visible(shorten(f"hint: {error.hint}", 400))] if error.hint else []
    lines = [visible(shorten(line, 400)) for line in f"{type(error).__name__}: {error.message}".split("\n")]
    if isinstance(error, ManifestError):
        lines += _first_finding(error)
    elif isinstance(error, CodeError) and error.traceback:
        lines += [visible(shorten(line, 400)) for line in error.traceback.rstrip().split("\n")[:-1]]
    room = MOST_LINES - len(hint)
    if len(lines) > room:
        # The head says what happened, the tail where; what is between them is the least.
        lines = [lines[0], "  …", *lines[len(lines) - room + 2 :]]
    return [*lines, *hint]


def _first_finding(error: ManifestError) -> list[str]:
    errors = error.findings.errors
    if not errors:
        return []
    lines = render_text(errors[:1]).split("\n")[:-1][:5]
    rest = len(error.findings) - 1
    return [*lines, f"… and {rest} more: %awp validate"] if rest else lines


def shorten_chain(error: AwpError) -> AwpError:
    """Return the error without the errors that led to it; they are for developers, see `debug`."""
    error.__cause__ = error.__context__ = None
    return error


def install_displays(shell: InteractiveShell, session: Session) -> None:
    """Teach a shell to show our errors short and our values rich."""

    def render(error: AwpError) -> list[str]:
        if session.settings is not None and session.settings.debug:
            lines: list[str] = shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
            return lines
        return render_error(error)

    # IPython asks the exception itself; the core knows nothing of IPython, so its class learns it here.
    setattr(AwpError, _HOOK, render)
    formatter = _formatter(shell)
    formatters = formatter.formatters
    for module, name in _TYPES:
        formatters["text/html"].for_type_by_name(module, name, _HTML[name])
        formatters["text/plain"].for_type_by_name(module, name, _plain_printer(_TEXT[name]))
        formatter.ipython_display_formatter.for_type_by_name(module, name, session.skip_if_shown)


def remove_displays(shell: InteractiveShell) -> None:
    """Take away what `install_displays` added."""
    if hasattr(AwpError, _HOOK):
        delattr(AwpError, _HOOK)
    formatter = _formatter(shell)
    for kind in (
        formatter.formatters["text/html"],
        formatter.formatters["text/plain"],
        formatter.ipython_display_formatter,
    ):
        for module, name in _TYPES:
            kind.pop(f"{module}.{name}", None)


def _formatter(shell: InteractiveShell) -> DisplayFormatter:
    """Return the shell's formatter; every shell has one once it has started."""
    formatter = shell.display_formatter
    assert formatter is not None  # noqa: S101 - set by the shell's own constructor
    return formatter


# --- values --------------------------------------------------------------------------------------------------------


def _run_html(run: Run) -> str:
    from awp_magics.views import progress

    state = run.snapshot
    return progress.to_html(progress.view_model(state, state.t, run.status))


def _findings_html(findings: Findings) -> str:
    from awp_magics.views.findings import to_html, view_model

    return to_html(view_model(findings))


def _workflow_html(workflow: Workflow) -> str:
    from awp_magics.views.graph import GraphView

    return GraphView(workflow).html()


def _workflow_text(workflow: Workflow) -> str:
    from awp_magics.views.graph import GraphView

    return GraphView(workflow).text()


_HTML = {"Run": _run_html, "Findings": _findings_html, "Workflow": _workflow_html}
_TEXT = {"Run": repr, "Findings": render_text, "Workflow": _workflow_text}


def _plain_printer(to_text: Any) -> Any:
    def printer(value: Any, pretty: Any, cycle: bool) -> None:  # noqa: ARG001 - IPython's own signature
        pretty.text(to_text(value))

    return printer
