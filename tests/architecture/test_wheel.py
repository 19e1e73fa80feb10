"""The wheel, as a user gets it: complete, and it works away from the source."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

PACKAGES = {"awp_core", "awp_magics"}


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The `bin` folder of an environment with the wheel, and this one's libraries behind it."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(programs / "python"),
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            str(wheel),
        ],
        check=True,
        capture_output=True,
    )
    (site,) = {path.parent for path in folder.rglob("awp_core") if path.is_dir()}
    # A path file inside that folder is not read, so the editable install of the source does not come along.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def run(command: list[str | Path], cwd: Path) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_both_packages_and_nothing_else(root, files, wheel):
    ours = {path.relative_to(root).as_posix() for path in files}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == {name for name in ours if name.partition("/")[0] in PACKAGES}


def test_the_wheel_names_its_licence_its_types_and_its_command(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"awp_core/py.typed", "awp_magics/py.typed"} <= set(names)
    assert [name for name in names if name.endswith("licenses/LICENSE")] != []
    assert (
        "awp = awp_core.cli.main:main"
        in zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    )


def test_the_installed_command_works_away_from_the_source(installed, tmp_path):
    where = run([installed / "python", "-c", "import awp_core, awp_magics; print(awp_core.__file__)"], tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert run([installed / "awp", "--help"], tmp_path).startswith("usage: awp")
    assert (
        run([installed / "awp", "--version"], tmp_path).strip()
        == run([installed / "python", "-c", "import awp_core; print(awp_core.__version__)"], tmp_path).strip()
    )


def test_the_installed_command_finds_the_shipped_example(installed, tmp_path):
    assert run([installed / "awp", "validate", "hello"], tmp_path) == "no findings\n"
