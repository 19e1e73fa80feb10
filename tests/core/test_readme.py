"""What the README shows works as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from awp_core.app import App

README = Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_python_block_prints_what_it_says(tmp_path):
    (code,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(README.parent), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    promised = re.search(r"# (.*)", code)
    assert promised is not None
    assert done.stdout.strip() == promised[1]


def test_the_notebook_block_runs_and_gives_what_it_says(tmp_path):
    cell = next(block for block in blocks("") if block.startswith("%%awp"))
    name = cell.split()[1]
    flow = App(environ={}).load_text(cell.partition("\n")[2], name)
    app = App(environ={}, runs_dir=tmp_path)
    assert app.validate(flow).ok
    assert app.start(flow, {"name": "Ada"}, replies={"ask": "yes"}).wait().result == "Hello, Ada!"
    assert app.start(flow, {"name": "Ada"}, replies={"ask": "maybe"}).wait().result == "Another time."
