"""The main job, headless: run the quickstart notebook, answer its question, export it, run the export, compare."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awp_core.errors import AwpError, NotFoundError, RunError, UsageError

if TYPE_CHECKING:
    from awp_core.app import App

QUICKSTART = Path(__file__).resolve().parents[2] / "notebooks" / "quickstart.ipynb"
NAME = "penguin-report"
ASKS = "awp-asks"  # the tag of the cell whose run waits for a person


def run_demo(app: App, folder: Path, reply: str) -> int:
    """Run the demo below `folder` and print the answer, the graph and the run folder; return an exit code.

    Raises:
        NotFoundError: This is an installed package without the notebooks.
        UsageError: The extra `demo` is not installed.
        RunError: A cell failed.
    """
    if not QUICKSTART.is_file():
        raise NotFoundError(
            "the quickstart notebook is not part of an installed package",
            hint="clone the project, then `make demo`",
        )
    folder.mkdir(parents=True, exist_ok=True)
    _say(f"running {QUICKSTART.name} in a kernel of its own; its question is answered with {reply!r}")
    executed = folder / "quickstart.ipynb"
    execute(QUICKSTART, executed, folder, reply)
    here = type(app)(environ=app.environ, runs_dir=folder / "runs", directory=folder)
    run = here.open(NAME)
    workflow = here.library.of_run(run.run_folder, as_run=True)
    _show(f"{run.result}\n\n{here.draw(workflow, 'text', {name: node.status for name, node in run.nodes.items()})}")
    _say(f"notebook  {executed}\nrun       {run.folder}")
    again = here.start(here.load(NAME), {}, replies={"approve": reply}).wait()
    same = again.result == run.result
    _say(f"export    {folder / NAME}\nrun again from the export: {'the same result' if same else 'ANOTHER RESULT'}")
    return 0 if same else 1


def execute(source: Path, target: Path, directory: Path, reply: str) -> None:
    """Execute a notebook as a person would, cell by cell, with one more cell that answers its question.

    Raises:
        UsageError: nbclient or ipykernel is missing.
        RunError: A cell failed; the executed notebook up to there is written all the same.
    """
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError
    except ImportError as exc:
        raise UsageError(f"the demo needs {exc.name}", hint="pip install 'awp-magics[demo]'") from exc
    notebook = nbformat.read(source, as_version=4)
    _insert_reply(notebook, nbformat.v4.new_code_cell, reply)
    quiet = ["--IPKernelApp.log_level=ERROR"]  # it would warn that its socket on this machine is not encrypted
    client = NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(directory)}}, extra_arguments=quiet
    )
    try:
        client.execute()
    except CellExecutionError as exc:
        raise RunError(f"a cell of {source.name} failed:\n{exc.evalue}", hint=f"open {target} to see where") from exc
    except AwpError:
        raise
    finally:
        nbformat.write(notebook, target)


def _insert_reply(notebook: Any, new_cell: Any, reply: str) -> None:
    for index, cell in enumerate(notebook.cells):
        if ASKS in cell.get("metadata", {}).get("tags", ()):
            text = f"%awp reply {NAME} {json.dumps(reply)}"
            notebook.cells.insert(index + 1, new_cell(text, metadata={"tags": ["injected-reply", "awp-skip"]}))
            return


def _show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
