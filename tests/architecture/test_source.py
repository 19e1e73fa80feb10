"""Rules about the source that no linter knows."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

PACKAGES = ("awp_core/", "awp_magics/")
MAY_PRINT = ("awp_core/cli/", "awp_magics/magics.py", "awp_magics/cells.py")  # help in a cell is plain text


def calls(text: str) -> Iterator[str]:
    """Yield what is called, as written: `print`, `time.sleep`, `archive.extractall`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


@pytest.fixture(scope="module")
def called(texts):
    return {name: list(calls(text)) for name, text in texts.items() if name.endswith(".py")}


def test_only_the_command_line_prints(called):
    printing = {name for name, found in called.items() if name.startswith("awp_core/") and "print" in found}
    assert {name for name in printing if not name.startswith(MAY_PRINT)} == set()


def test_no_archive_is_extracted_unseen(called):
    assert [
        name
        for name, found in called.items()
        if any(call.endswith((".extractall", "unpack_archive")) for call in found)
    ] == []


def test_no_test_sleeps(called):
    assert [
        name for name, found in called.items() if name.startswith("tests/") and {"time.sleep", "sleep"} & set(found)
    ] == []


def test_nothing_polls_the_kernel(texts):
    """A loop around the kernel's own messages hangs in newer front ends."""
    poll = "ui_" + "poll"
    assert [name for name, text in texts.items() if name.startswith(PACKAGES) and poll in text] == []


def test_no_module_has_a_name_that_says_nothing(texts):
    empty = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [
        name for name in texts if name.startswith(PACKAGES) and empty & set(name.removesuffix(".py").split("/"))
    ] == []


@pytest.mark.parametrize(
    "checker", ["ruff check --output-format=concise .", "ruff format --check --output-format=concise .", "mypy"]
)
def test_the_checkers_are_content(root, checker):
    done = subprocess.run([sys.executable, "-m", *checker.split()], check=False, cwd=root)
    assert done.returncode == 0, f"{checker}: see the captured output"
