"""The project's own jobs on a bare Python: set up once, then demo, test, lint, bench.

`make TARGET` and `python3 -m awp_core TARGET` both end here. Only the standard library is used, and nothing newer than
Python 3.9, so that an old Python gets a sentence and no traceback.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements" / "dev.txt"
OLDEST = (3, 11)
STAMP = "awp-setup.json"
LITTER = ("build", "dist", "demo", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis")
USAGE = """\
usage: python3 -m awp_core TASK [ARGUMENT ...]

  demo   run the quickstart notebook and show the result
  test   run every test; arguments go to pytest, such as: test -k R11
  lint   ruff, mypy and the import contracts
  bench  the benchmark of the engine
  setup  only install, into .venv (another place: VENV=/path)
  clean  remove .venv and what the tools leave behind
"""

Command = Sequence[object]


class SetupError(Exception):
    """Set-up cannot go on; the message says why and what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one task and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in TASKS:
        sys.stderr.write(USAGE)
        return 0 if arguments[:1] in (["-h"], ["--help"], ["help"]) else 2
    try:
        return TASKS[arguments[0]](arguments[1:])
    except SetupError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def setup(_arguments: Sequence[str] = ()) -> int:
    """Make the virtual environment as the lock file says; quick when that was done before."""
    venv = place()
    wanted = fingerprint(venv)
    found = read_stamp(venv)
    if found == wanted:
        return 0
    say(f"setting up {venv} (once, a minute or two)")
    if {**found, "inputs": ""} != {**wanted, "inputs": ""} or not works(
        [program(venv, "python"), "-m", "pip", "--version"]
    ):
        create(venv, find_python())
    pip = [program(venv, "python"), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    # The lock is complete, so nothing is left to resolve; the build back end is in it, so nothing is fetched for that.
    install([*pip, "--no-deps", "-r", LOCK])
    install([*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT])
    (venv / STAMP).write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
    return 0


def demo(arguments: Sequence[str]) -> int:
    """Run `awp demo`."""
    return in_venv("awp", "demo", *arguments)


def test(arguments: Sequence[str]) -> int:
    """Run the tests, each file on one of a few workers."""
    workers = str(min(os.cpu_count() or 1, 4))
    return in_venv("python", "-m", "pytest", "-n", workers, "--dist", "loadfile", *arguments)


def lint(_arguments: Sequence[str]) -> int:
    """Run every checker, also after one has failed; return the first failure's code."""
    checks = (
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("lint-imports",),
    )
    codes = [in_venv(*check) for check in checks]
    return next((code for code in codes if code), 0)


def bench(arguments: Sequence[str]) -> int:
    """Run the benchmark of the engine."""
    return in_venv("python", "benchmarks/engine.py", *arguments)


def clean(_arguments: Sequence[str]) -> int:
    """Remove the virtual environment, if it is one of ours, and what the tools leave behind."""
    venv = place()
    doomed = [ROOT / name for name in LITTER] + ([venv] if (venv / STAMP).is_file() else [])
    for folder in doomed:
        shutil.rmtree(folder, ignore_errors=True)
    for cache in [*ROOT.glob("awp_*/**/__pycache__"), *ROOT.glob("tests/**/__pycache__")]:
        shutil.rmtree(cache, ignore_errors=True)
    return 0


TASKS: dict[str, Callable[[Sequence[str]], int]] = {
    "setup": setup,
    "demo": demo,
    "test": test,
    "lint": lint,
    "bench": bench,
    "clean": clean,
}


def place() -> Path:
    """Return the folder of the virtual environment."""
    return Path(os.environ.get("VENV") or ROOT / ".venv").absolute()


def program(venv: Path, name: str) -> Path:
    """Return the path of a program in a virtual environment."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def fingerprint(venv: Path) -> dict[str, str]:
    """Return what the environment depends on; a change of `inputs` alone needs no new one."""
    digest = hashlib.sha256()
    for source in (LOCK, ROOT / "pyproject.toml"):
        digest.update(source.read_bytes())
    # Scripts and the editable install hold absolute paths: a moved folder is a new environment.
    return {"python": find_python(), "venv": str(venv), "project": str(ROOT), "inputs": digest.hexdigest()}


def read_stamp(venv: Path) -> dict[str, str]:
    """Return the fingerprint of a finished set-up, or an empty one."""
    try:
        found = json.loads((venv / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def find_python() -> str:
    """Return a Python that is new enough: the base of this one, else one on the PATH.

    Raises:
        SetupError: There is none.
    """
    if sys.version_info >= OLDEST:
        return str(Path(getattr(sys, "_base_executable", "") or sys.executable).resolve())
    for minor in (13, 12, 11, 14):
        found = shutil.which(f"python3.{minor}")
        if found and works([found, "-c", "import venv"]):
            return found
    raise SetupError(
        f"Python 3.{OLDEST[1]} or newer is needed, and {sys.executable} is {sys.version.partition(' ')[0]}\n"
        "hint: install one, then name it: make PYTHON=/path/to/python3"
    )


def create(venv: Path, python: str) -> None:
    """Make a fresh virtual environment with pip in it, in the first way that works here.

    Raises:
        SetupError: The folder is something else, or no way works.
    """
    if venv.exists() and not (venv / "pyvenv.cfg").is_file() and any(venv.iterdir()):
        raise SetupError(
            f"{venv} holds something else than a virtual environment\nhint: name another folder: VENV=/path"
        )
    for commands in ways(venv, python):
        if all(works(command) for command in commands) and works([program(venv, "python"), "-m", "pip", "--version"]):
            return
    raise SetupError(
        f"{python} cannot make a virtual environment: it has no `ensurepip`, as on Debian without python3-venv\n"
        "hint: sudo apt-get install python3-venv   (or have `pip`, `virtualenv` or `uv` on the PATH)"
    )


def ways(venv: Path, python: str) -> Iterator[list[Command]]:
    """Yield ways to get there, the usual one first; each is tried only when those before it failed."""
    usual: Command = [python, "-m", "venv", "--clear", venv]
    yield [usual]
    # Debian may have pip without python3-venv: pip can install into another environment.
    yield [
        [python, "-m", "venv", "--clear", "--without-pip", venv],
        [python, "-m", "pip", "--python", program(venv, "python"), "install", "--quiet", "pip"],
    ]
    if shutil.which("virtualenv"):
        yield [["virtualenv", "--clear", "--python", python, venv]]
    if shutil.which("uv"):
        yield [["uv", "venv", "--clear", "--seed", "--python", python, venv]]
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        say("installing the system package python3-venv with apt-get")
        yield [["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", "python3-venv"], usual]


def install(command: Command) -> None:
    """Run pip and let it speak.

    Raises:
        SetupError: It failed.
    """
    if run(command):
        raise SetupError(
            "pip could not install what requirements/dev.txt names (its message is above)\nhint: is the network up?"
        )


def in_venv(name: str, *arguments: str) -> int:
    """Set up, run a program of the virtual environment in the project's folder, return its exit code."""
    setup()
    return run([program(place(), name), *arguments])


def run(command: Command) -> int:
    """Run a command and return its exit code."""
    sys.stdout.flush()
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode


def works(command: Command) -> bool:
    """Tell whether a command succeeds, without a word."""
    words = [str(part) for part in command]
    try:
        return (
            subprocess.run(words, cwd=ROOT, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0
        )
    except OSError:
        return False


def say(text: str) -> None:
    """Tell the person what takes time; standard output stays the task's."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
