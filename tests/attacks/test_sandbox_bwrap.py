"""Attacks from inside a bubblewrap: each test is code that tries something and must not get it.

The values that must not come back are made by the test itself, so that a pass cannot be a coincidence.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from pathlib import Path

import pytest

from awp_core.errors import AwpError, CodeError, SandboxError
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.sandbox.runner import Sandbox, backend_reports

PROJECT = Path(__file__).resolve().parents[2]
_REPORT = backend_reports()[0]
pytestmark = pytest.mark.skipif(not _REPORT.usable, reason=f"bwrap does not work here: {_REPORT.reason}")


@pytest.fixture(params=["warm", "cold"])
async def sandbox(request):
    """Both ways to run in bubblewrap: forked from a warm process, and in a bubblewrap of its own."""
    box = Sandbox({"AWP_SANDBOX": "bwrap", "PATH": os.environ.get("PATH", "")})
    backend = box._backends["bwrap"]
    backend._warm.works = request.param == "warm"
    yield box
    assert backend._warm.works == (request.param == "warm"), "warm calls were given up"
    await box.aclose()
    assert not sandboxed_processes()


async def attack(sandbox: Sandbox, source: str, policy: SandboxPolicy | None = None, **arguments) -> CodeResult:
    return await sandbox.run(CodeJob(source, arguments, ()), policy or SandboxPolicy(timeout_s=20))


TRY_TO_READ = """
import os
def main(paths):
    got = {}
    for path in paths:
        try:
            got[path] = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read().hex()
        except OSError as error:
            pass
    return got
"""


async def test_cannot_read_accounts_keys_home_project_or_a_file_of_the_test(sandbox, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    project = PROJECT
    paths = [
        *(
            "/etc/passwd",
            "/etc/shadow",
            "/etc/hostname",
            "/etc/machine-id",
            "/var/log",
            "/home",
            "/usr/bin/env",
            "/bin/sh",
            "/sys",
            "/run",
        ),
        *(str(Path.home() / name) for name in (".ssh", ".ssh/id_rsa", ".bashrc", ".netrc", ".config", ".cache")),
        *(str(secret), str(tmp_path), str(project / "pyproject.toml"), str(project)),
        *("/proc/1/environ", "/proc/1/mem", "/proc/kcore", "/proc/keys", "/proc/sys/kernel/hostname"),
    ]
    result = await attack(sandbox, TRY_TO_READ, paths=paths)
    assert result.value == {}


async def test_cannot_write_to_anything_but_its_own_temporary_folders(sandbox, tmp_path):
    source = """
import os
def main(paths):
    written = []
    for path in paths:
        try:
            with open(os.path.join(path, "planted"), "w") as file:
                file.write("x")
            written.append(path)
        except OSError:
            pass
    return {"written": written}
"""
    readable = tmp_path / "artifacts"
    readable.mkdir()
    given = tmp_path / "input"
    given.mkdir()
    stdlib = os.path.dirname(os.__file__)  # noqa: PTH120
    paths = [
        "/",
        "/usr/lib",
        "/etc",
        "/dev",
        "/proc/sys",
        "/awp",
        "/awp/inside",
        stdlib,
        str(readable),
        "data",
        "data/input",
        ".",
        "/tmp",  # noqa: S108
    ]
    result = await attack(sandbox, source, SandboxPolicy(input_dir=given, readable=(readable,)), paths=paths)
    assert result.value == {"written": ["data", ".", "/tmp"]}  # noqa: S108
    assert list(given.iterdir()) == list(readable.iterdir()) == []


async def test_cannot_set_kernel_parameters_even_when_started_by_root(sandbox):
    source = """
import glob, os
def main():
    opened = []
    for path in glob.glob("/proc/sys/**", recursive=True) + ["/proc/sysrq-trigger"]:
        try:
            os.close(os.open(path, os.O_WRONLY))  # no more than that: were it to work, it would be the real one
            opened.append(path)
        except OSError:
            pass
    return {"opened": opened}
"""
    assert (await attack(sandbox, source)).value == {"opened": []}


async def test_cannot_reach_a_listener_on_the_local_machine(sandbox):
    source = """
import socket
def main(port):
    for host in ("127.0.0.1", "localhost", "10.0.2.2", "1.1.1.1"):
        try:
            socket.create_connection((host, port), timeout=2).sendall(b"stolen")
            return {"reached": host}
        except OSError:
            pass
    return {"reached": ""}
"""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.01)
        result = await attack(sandbox, source, port=listener.getsockname()[1])
        with pytest.raises(TimeoutError):
            listener.accept()
    assert result.value == {"reached": ""}


async def test_cannot_reach_an_abstract_unix_socket(sandbox):
    name = f"awp-test-{secrets.token_hex(8)}"
    source = """
import socket
def main(name):
    try:
        socket.socket(socket.AF_UNIX).connect(chr(0) + name)
        return {"reached": True}
    except OSError:
        return {"reached": False}
"""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen()
        assert (await attack(sandbox, source, name=name)).value == {"reached": False}


async def test_does_not_see_the_environment_of_the_kernel(sandbox, monkeypatch):
    secret = secrets.token_hex(16)
    monkeypatch.setenv("AWP_TEST_SECRET", secret)
    source = """
import glob, os
def main():
    seen = [repr(dict(os.environ))]
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            seen.append(open(path).read())
        except OSError:
            pass
    return {"seen": seen, "names": sorted(os.environ)}
"""
    result = await attack(sandbox, source)
    assert secret not in str(result.value)
    assert "AWP_TEST_SECRET" not in result.value["names"]


async def test_neither_sees_nor_signals_the_processes_of_the_host(sandbox):
    source = """
import os, signal
def main(victim):
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    results = []
    for pid in (victim, 1):
        try:
            os.kill(pid, signal.SIGKILL)
            results.append("sent")
        except OSError as error:
            results.append(type(error).__name__)
    return {"pids": pids, "results": results, "me": os.getpid()}
"""
    # 1 is the sandbox's own first process: the kernel accepts the signal and drops it.
    victim = os.getpid() + 100_000_000
    result = await attack(sandbox, source, victim=victim)
    assert set(result.value["pids"]) <= {1, result.value["me"]}  # a warm call has no /proc at all
    assert result.value["results"] == ["ProcessLookupError", "sent"]


async def test_cannot_trace_its_supervisor_nor_read_its_memory(sandbox):
    source = """
import ctypes, os
def main():
    libc = ctypes.CDLL(None, use_errno=True)
    attached = libc.ptrace(16, 1, 0, 0)
    try:
        open("/proc/1/mem", "rb+").close()
        memory = "open"
    except OSError:
        memory = "closed"
    try:
        files = [os.open(f"/proc/1/fd/{name}", 0) for name in os.listdir("/proc/1/fd")]
    except OSError:
        files = "closed"
    return {"attached": attached, "memory": memory, "files": files}
"""
    assert (await attack(sandbox, source)).value == {"attached": -1, "memory": "closed", "files": "closed"}


async def test_gains_no_capabilities_and_no_namespaces_of_its_own(sandbox):
    source = """
import ctypes, os
def main():
    libc = ctypes.CDLL(None, use_errno=True)
    caps = {"bounding": [n for n in range(41) if libc.prctl(23, n, 0, 0, 0) == 1]}
    caps["no new"] = libc.prctl(39, 0, 0, 0, 0)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    caps["held"] = list(data)
    user, mount = libc.unshare(0x10000000), libc.unshare(0x00020000)
    mounted = libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None)
    mounted += libc.umount2(b"/proc", 2) + libc.umount2(b"/tmp", 2)
    try:
        os.setuid(0)
        became = "root"
    except OSError:
        became = "nobody new"
    return {"caps": caps, "user": user, "mount": mount, "mounted": mounted, "became": became}
"""
    value = (await attack(sandbox, source)).value
    assert value["caps"] == {"bounding": [], "no new": 1, "held": [0] * 6}
    assert (value["user"], value["mount"], value["mounted"], value["became"]) == (-1, -1, -3, "nobody new")


async def test_a_fork_bomb_is_stopped_long_before_the_time_is_over(sandbox):
    source = """
import os
def main():
    while True:
        try:
            os.fork()
        except OSError:
            pass
"""
    with pytest.raises(SandboxError, match=r"more than 16 processes|longer than 15 s"):
        await attack(sandbox, source, SandboxPolicy(timeout_s=15, max_processes=16))
    assert await processes_are_gone()


async def test_a_memory_hog_is_stopped(sandbox):
    source = "def main():\n    hog = []\n    while True:\n        hog.append(bytearray(10_000_000))\n"
    with pytest.raises(SandboxError, match=r"more memory than 200 MiB, on line 4"):
        await attack(sandbox, source, SandboxPolicy(memory_mb=200))


async def test_a_memory_hog_of_several_processes_is_stopped(sandbox):
    source = """
import os, signal
def main():
    for _ in range(8):
        if os.fork() == 0:
            hog = bytearray(60_000_000)
            for position in range(0, len(hog), 4096):
                hog[position] = 1
            signal.pause()
    signal.pause()
"""
    with pytest.raises(SandboxError, match=r"used more memory than 200 MiB, with all its processes"):
        await attack(sandbox, source, SandboxPolicy(memory_mb=200))


async def test_a_spin_is_stopped_by_processor_time(sandbox):
    with pytest.raises(SandboxError, match=r"more than 1 s of processor time"):
        await attack(sandbox, "def main():\n    while True:\n        pass\n", SandboxPolicy(cpu_s=1))


async def test_a_sleep_past_the_timeout_is_stopped(sandbox):
    source = "import time\ndef main():\n    print('before', flush=True)\n    time.sleep(3600)\n"
    with pytest.raises(SandboxError, match=r"longer than 0\.5 s") as caught:
        await attack(sandbox, source, SandboxPolicy(timeout_s=0.5))
    assert "before" in caught.value.hint
    assert await processes_are_gone()


async def test_ignoring_every_signal_does_not_help(sandbox):
    source = """
import os, signal, time
def main():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        time.sleep(1)
"""
    with pytest.raises(SandboxError, match="longer than"):
        await attack(sandbox, source, SandboxPolicy(timeout_s=0.5))
    assert await processes_are_gone()


async def test_a_full_disk_is_its_own_disk(sandbox):
    source = """
import os
def main():
    sizes = {}
    for folder in ("/tmp", "/dev/shm", "."):
        total = 0
        try:
            for number in range(100):
                with open(f"{folder}/{number}", "wb") as file:
                    for _ in range(8):
                        total += file.write(bytes(1024 * 1024))
                        file.flush()
        except OSError as error:
            sizes[folder] = [total // (1024 * 1024), error.errno]
    return sizes
"""
    value = (await attack(sandbox, source, SandboxPolicy(file_size_mb=16))).value
    full = 28  # ENOSPC
    assert all(number == full for _, number in value.values())
    assert len(value) == 3
    assert max(total for total, _ in value.values()) <= 17


async def test_one_file_is_no_larger_than_allowed(sandbox):
    source = """
import os
def main():
    fd = os.memfd_create("hog")
    try:
        for _ in range(100):
            os.write(fd, bytes(1024 * 1024))
    except OSError as error:
        return {"errno": error.errno, "mb": os.fstat(fd).st_size // 1024 // 1024}
    return {}
"""
    too_big = 27  # EFBIG
    assert (await attack(sandbox, source, SandboxPolicy(file_size_mb=8))).value == {"errno": too_big, "mb": 8}


async def test_a_daemon_does_not_outlive_the_call(sandbox):
    source = """
import os, time
def main():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(64):
                try:
                    os.close(fd)
                except OSError:
                    pass
            time.sleep(3600)
        os._exit(0)
    return {"left": True}
"""
    assert (await attack(sandbox, source)).value == {"left": True}
    assert await processes_are_gone()


async def test_cancelling_the_call_ends_every_process(sandbox):
    source = "import os, time\ndef main():\n    os.fork()\n    os.fork()\n    time.sleep(3600)\n"
    task = asyncio.create_task(attack(sandbox, source))
    while len(sandboxed_processes()) < 6:  # noqa: ASYNC110 - bwrap, its first process, the four of the code
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await processes_are_gone()


async def test_files_of_one_call_are_not_seen_by_the_next(sandbox):
    source = """
import os
FOLDERS = ("/tmp", "/dev/shm", ".", os.path.expanduser("~"))
def main(name):
    seen = [entry for folder in FOLDERS for entry in os.listdir(folder) if entry != "work"]
    for folder in FOLDERS:
        open(f"{folder}/{name}", "w").close()
    return {"seen": seen}
"""
    assert (await attack(sandbox, source, name="first")).value == {"seen": []}
    assert (await attack(sandbox, source, name="second")).value == {"seen": []}


async def test_calls_at_the_same_time_do_not_see_each_other(sandbox):
    source = """
import os, socket, time
def main(name):
    open(f"/tmp/{name}", "w").close()
    others = []
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        for pid in range(3, 200):
            try:
                os.kill(pid, 9)
                others.append(pid)
            except OSError:
                pass
        time.sleep(0.01)
    try:
        os.kill(-1, 15)
    except ProcessLookupError:
        pass
    listener = socket.create_server(("127.0.0.1", 5000))
    shared = socket.socket(socket.AF_UNIX)
    shared.bind(chr(0) + "one name")
    return {"files": sorted(set(os.listdir("/tmp")) - {"work"}), "others": others, "me": os.getpid()}
"""
    results = await asyncio.gather(*(attack(sandbox, source, name=name) for name in ("a", "b", "c")))
    assert [result.value for result in results] == [
        {"files": [name], "others": [], "me": 2} for name in ("a", "b", "c")
    ]


async def test_nothing_set_in_memory_by_one_call_reaches_the_next(sandbox):
    source = """
import builtins, json, sys, random
def main():
    seen = [getattr(builtins, "planted", None), getattr(json, "planted", None), sys.getrecursionlimit()]
    builtins.planted = json.planted = "planted"
    sys.setrecursionlimit(5000)
    json.dumps = lambda *args, **options: "{}"
    return {"seen": seen, "random": random.random()}
"""
    first, second = (await attack(sandbox, source)).value, (await attack(sandbox, source)).value
    assert first["seen"] == second["seen"] == [None, None, 1000]
    assert first["random"] != second["random"]


async def test_shared_memory_of_one_call_is_not_seen_by_the_next(sandbox):
    source = """
import ctypes
def main():
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.shmget(4711, 4096, 0o600)
    libc.shmget(4711, 4096, 0o1600)
    return {"found": found}
"""
    assert (await attack(sandbox, source)).value == {"found": -1}
    assert (await attack(sandbox, source)).value == {"found": -1}


FORGED = '{"kind":"value","value":{"forged":true},"token":"0"}'


@pytest.mark.parametrize("ending", ["os._exit(0)", "return {'honest': True}", "os.kill(os.getpid(), 9)"])
async def test_writing_a_reply_to_every_descriptor_forges_nothing(sandbox, ending):
    source = f"""
import os
def main():
    for fd in range(1, 64):
        try:
            os.write(fd, b'{FORGED}')
        except OSError:
            pass
    {ending}
"""
    try:
        result = await attack(sandbox, source)
    except SandboxError as error:
        assert "ended its process" in error.message or "SIGKILL" in error.message  # noqa: PT017
    else:
        assert result.value == {"honest": True}
        assert FORGED in result.prints


async def test_leaving_by_os_exit_is_an_error_not_a_result(sandbox):
    with pytest.raises(SandboxError, match="ended its process before main returned"):
        await attack(sandbox, "import os\ndef main():\n    os._exit(0)\n")


async def test_a_forked_copy_of_main_answers_nothing(sandbox):
    source = """
import os
def main():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return {"parent": child > 0}
"""
    assert (await attack(sandbox, source)).value == {"parent": True}


async def test_a_result_that_is_too_large_is_refused(sandbox):
    with pytest.raises(SandboxError, match="the result is larger than 8 MiB"):
        await attack(sandbox, "def main():\n    return {'x': 'a' * 9_000_000}\n", SandboxPolicy(file_size_mb=8))


async def test_endless_output_is_cut_and_read_without_growing(sandbox):
    source = "def main():\n    for _ in range(2000):\n        print('x' * 10_000)\n    return {'done': True}\n"
    result = await attack(sandbox, source)
    assert result.value == {"done": True}
    assert len(result.prints) == 256 * 1024 + len("\n… the rest of the output was cut\n")


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("return main()", CodeError, "RecursionError"),
        (
            "import sys; sys.setrecursionlimit(10**9); return main()",
            AwpError,
            "memory|SIGSEGV|SystemError|longer than 20 s",
        ),
        (
            "x = []\n    for _ in range(100_000): x = [x]\n    return {'x': x}",
            CodeError,
            "nested deeper than 100",
        ),
        ("x = {}\n    x['x'] = x\n    return x", CodeError, "nested deeper than 100"),
        ("return {1: 2}", CodeError, "result has the key 1 of type int"),
        ("return {'a': {('b',): 1}}", CodeError, r"result\.a has the key .* of type tuple"),
        ("return {'a': 'x\\ud800'}", CodeError, r"result\.a contains a lone surrogate"),
        ("return {'a\\udfff': 1}", CodeError, "lone surrogate"),
        ("return {'a': [1, float('nan')]}", CodeError, r"result\.a\[1\] is nan"),
        ("return {'a': 1e999}", CodeError, r"result\.a is inf"),
        ("return {'a': 10 ** 5000}", CodeError, r"result\.a is an integer of 16610 bits"),
        ("raise SystemExit(0)", CodeError, "SystemExit"),
        ("raise KeyboardInterrupt", CodeError, "KeyboardInterrupt"),
        ("class E(Exception):\n        def __str__(self): raise E\n    raise E", CodeError, "E"),
        ("raise Exception('x' * 10_000_000)", CodeError, "cut"),
        ("import sys; sys.modules.clear(); return {'a': {1}}", CodeError, r"result\.a is a set"),
        ("import ctypes; ctypes.string_at(0)", SandboxError, "SIGSEGV"),
        ("import os; os.abort()", SandboxError, "SIGABRT"),
    ],
)
async def test_a_strange_ending_is_a_clear_error(sandbox, body, error, message):
    with pytest.raises(error, match=message) as caught:
        await attack(sandbox, f"def main():\n    {body}\n", SandboxPolicy(timeout_s=20, memory_mb=100))
    assert len(str(caught.value)) < 8_000


async def test_deleting_the_working_directory_harms_nobody(sandbox):
    source = """
import os, shutil
def main():
    shutil.rmtree(os.getcwd())
    return {"cwd": os.path.exists("/tmp/work")}
"""
    assert (await attack(sandbox, source)).value == {"cwd": False}
    assert (await attack(sandbox, "import os\ndef main():\n    return {'cwd': os.getcwd()}\n")).value == {
        "cwd": "/tmp/work"  # noqa: S108
    }


async def test_closing_every_descriptor_is_an_error_of_the_code_only(sandbox):
    with pytest.raises(SandboxError, match="ended its process"):
        await attack(sandbox, "import os\ndef main():\n    os.closerange(0, 256)\n    return {'x': 1}\n")


def sandboxed_processes() -> list[int]:
    """Every process that stems from this one, whatever became of the ones between."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    frontier, found = {os.getpid()}, []
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier}
        found.extend(frontier)
    return found


async def processes_are_gone() -> bool:
    """Wait until nothing of the call is left, in whatever namespace; a warm bubblewrap stays."""
    for _ in range(500):
        if len(sandboxed_processes()) in (0, 2) and len(in_foreign_namespaces()) <= 1:
            return True
        await asyncio.sleep(0.01)
    return False


def in_foreign_namespaces() -> list[str]:
    """Processes whose pid namespace is not ours: a daemon of a sandbox would be one, wherever it hangs."""
    ours = Path("/proc/self/ns/pid").readlink()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "ns" / "pid").readlink() != ours and (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
    return found
