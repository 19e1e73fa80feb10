"""Wait for a run from the terminal; Ctrl-C cancels what works and leaves readable folders."""

from __future__ import annotations

import sys

from awp_core.app import App
from awp_core.cli.output import finish
from awp_core.errors import AwpError
from awp_core.handle import Run


def follow(run: Run, *, as_json: bool) -> int:
    """Wait until a run ends or waits for a person, print that, and return the exit code."""
    return finish(run.wait(), as_json=as_json)


def cancel_working(app: App) -> int:
    """Cancel every run of this process after Ctrl-C, whenever it came, and return the exit code."""
    for run in app.working():
        sys.stderr.write("\ncancelling …\n")
        try:
            run.cancel("it was interrupted from the keyboard")
        except AwpError as error:  # it ended at the same moment
            sys.stderr.write(f"{error}\n")
        sys.stderr.write(f"run {run.id} is {run.status}; folder {run.folder}\n")
    return 130
