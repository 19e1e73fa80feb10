"""Attacks from inside monty's smaller Python; what it does not have it need not forbid."""

from __future__ import annotations

import asyncio
import secrets
import socket
from pathlib import Path

import pytest

from awp_core.errors import AwpError, CodeError, SandboxError
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.sandbox.runner import Sandbox, backend_reports

_REPORT = backend_reports()[1]
pytestmark = pytest.mark.skipif(not _REPORT.usable, reason=f"monty does not work here: {_REPORT.reason}")


@pytest.fixture
async def sandbox():
    box = Sandbox({"AWP_SANDBOX": "monty"})
    yield box
    await box.aclose()
    assert not workers()


async def attack(box: Sandbox, source: str, policy: SandboxPolicy | None = None, **arguments) -> CodeResult:
    return await box.run(CodeJob(source, arguments, ()), policy or SandboxPolicy(timeout_s=10, memory_mb=128))


def workers() -> list[int]:
    """Processes below this one that are monty."""
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return []
    children = [int(pid) for task in tasks.iterdir() for pid in read(task / "children").split()]
    return [pid for pid in children if b"monty" in read(Path(f"/proc/{pid}/cmdline"))]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""  # that thread or process has ended meanwhile


async def test_cannot_read_or_write_files_of_the_host(sandbox, tmp_path):
    (tmp_path / "secret").write_text("secret")
    source = """
def main(paths):
    got = []
    for path in paths:
        for mode in ("r", "w"):
            try:
                with open(path, mode) as file:
                    got.append(path)
            except Exception:
                pass
    return {"got": got}
"""
    paths = [
        "/etc/passwd",
        str(Path.home() / ".bashrc"),
        str(tmp_path / "secret"),
        __file__,
        "../../etc/passwd",
        "/proc/self/environ",
    ]
    assert (await attack(sandbox, source, paths=paths)).value == {"got": []}
    assert (tmp_path / "secret").read_text() == "secret"


async def test_the_input_folder_is_read_only_and_has_no_way_up(sandbox, tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    (given / "a.txt").write_text("a")
    (tmp_path / "outside.txt").write_text("outside")
    (given / "link.txt").symlink_to(tmp_path / "outside.txt")
    source = """
def main(paths):
    errors = []
    for path, mode in paths:
        try:
            with open(path, mode) as file:
                file.write("x") if mode != "r" else file.read()
        except Exception as error:
            errors.append(path)
    return {"errors": errors}
"""
    tries = [
        ["data/input/a.txt", "w"],
        ["data/input/new.txt", "w"],
        ["data/input/../../../outside.txt", "r"],
        ["data/input/link.txt", "r"],
    ]
    result = await attack(sandbox, source, SandboxPolicy(input_dir=given), paths=tries)
    assert result.value == {"errors": [path for path, _ in tries]}
    assert sorted(path.name for path in given.iterdir()) == ["a.txt", "link.txt"]
    assert (given / "a.txt").read_text() == "a"


async def test_has_no_environment_processes_or_network(sandbox, monkeypatch):
    secret = secrets.token_hex(16)
    monkeypatch.setenv("AWP_TEST_SECRET", secret)
    for statement in (
        "import socket",
        "import subprocess",
        "import ctypes",
        "import os; os.system('true')",
        "import os; os.fork()",
    ):
        with pytest.raises(CodeError):
            await attack(sandbox, f"def main():\n    {statement}\n    return {{}}\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.01)
        with pytest.raises(CodeError):
            await attack(
                sandbox,
                "def main(port):\n    import urllib.request\n    urllib.request.urlopen(port)\n",
                port=listener.getsockname()[1],
            )
        with pytest.raises(TimeoutError):
            listener.accept()
    source = """
def main():
    import os
    try:
        return {"env": dict(os.environ), "one": os.getenv("AWP_TEST_SECRET")}
    except Exception as error:
        return {"error": str(error)}
"""
    assert secret not in str((await attack(sandbox, source)).value)


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("while True: pass", SandboxError, "longer than 0.5 s"),
        ("import time; time.sleep(3600)", SandboxError, "longer than 0.5 s"),
        ("x = []\n    while True: x.append('x' * 100_000)", SandboxError, "more memory than 64 MiB"),
        ("return {'x': 'x' * 10 ** 12}", SandboxError, "more memory than 64 MiB"),
        ("return {'x': 10 ** 10 ** 10}", AwpError, "memory|longer"),
        ("return main()", CodeError, "RecursionError"),
        (
            "x = []\n    for _ in range(5_000): x = [x]\n    return {'x': x}",
            AwpError,
            "deep|recursion|Recursion",
        ),
        ("return {1: 2}", CodeError, "key 1 of type int"),
        ("return {'x': 'a' * 9_000_000}", SandboxError, "the result is larger than 8 MiB"),
        ("raise SystemExit('0')", CodeError, "SystemExit"),
    ],
)
async def test_limits_hold_and_strange_endings_are_clear(sandbox, body, error, message):
    with pytest.raises(error, match=message):
        await attack(sandbox, f"def main():\n    {body}\n", SandboxPolicy(timeout_s=0.5, memory_mb=64, file_size_mb=8))
    assert (await attack(sandbox, "def main():\n    return {'still': 1}\n")).value == {"still": 1}


async def test_calls_share_no_names_and_no_files(sandbox):
    source = """
try:
    seen = planted
except NameError:
    seen = None
planted = 1
def main():
    try:
        with open("left.txt") as file:
            text = file.read()
    except OSError:
        text = None
    with open("left.txt", "w") as file:
        file.write("left")
    return {"seen": seen, "text": text}
"""
    assert (await attack(sandbox, source)).value == {"seen": None, "text": None}
    assert (await attack(sandbox, source)).value == {"seen": None, "text": None}


async def test_endless_output_is_cut(sandbox):
    result = await attack(
        sandbox,
        "def main():\n    for _ in range(2000):\n        print('x' * 1000)\n    return {'done': True}\n",
    )
    assert result.value == {"done": True}
    assert len(result.prints) == 256 * 1024 + len("\n… the rest of the output was cut\n")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to look for processes")
async def test_cancelling_the_call_kills_its_worker(sandbox):
    before = set(workers())
    task = asyncio.create_task(attack(sandbox, "def main():\n    while True:\n        pass\n"))
    while not set(workers()) - before:  # noqa: ASYNC110 - another process has no event to wait for
        await asyncio.sleep(0.01)
    busy = set(workers())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(300):
        if not busy & set(workers()):
            break
        await asyncio.sleep(0.01)
    assert not busy & set(workers())
