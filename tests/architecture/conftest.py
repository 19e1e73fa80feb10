"""The project's own files, for the tests that read them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "__pycache__", "build", "dist", "demo", "node_modules", ".ipynb_checkpoints", "runs"}


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def files() -> list[Path]:
    """Every file that is, or would be, in the repository."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        found = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:  # an unpacked archive, or somebody else's clone
        found = [
            path
            for top in sorted(ROOT.iterdir())
            if top.name not in NOT_OURS
            for path in ([top] if top.is_file() else top.rglob("*"))
        ]
    return sorted(
        {path for path in found if path.is_file() and not NOT_OURS - {"runs"} & set(path.relative_to(ROOT).parts)}
    )


@pytest.fixture(scope="session")
def texts(files: list[Path]) -> dict[str, str]:
    """The text files among them, by path below the root."""
    found = {}
    for path in files:
        try:
            found[path.relative_to(ROOT).as_posix()] = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
    return found
