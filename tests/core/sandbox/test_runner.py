"""Choosing a backend, and what a call gives back, in every backend that works here."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import venv
from pathlib import Path

import pytest

from awp_core.errors import CodeError, SandboxError, SandboxUnavailableError
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.sandbox.runner import Sandbox, backend_reports

ROOT = Path(__file__).parents[3]
PATH = os.environ.get("PATH", "")
REPORTS = {report.name: report for report in backend_reports({"PATH": PATH, "AWP_ALLOW_UNSANDBOXED_CODE": "1"})}
NOWHERE = {"PATH": "/nonexistent"}


def environ_for(backend: str) -> dict[str, str]:
    if backend == "subprocess":
        return {"AWP_ALLOW_UNSANDBOXED_CODE": "1", **NOWHERE}
    return {"AWP_SANDBOX": backend, "PATH": PATH}


def without_sandboxes(box: Sandbox) -> Sandbox:
    """As on a machine where neither is installed."""
    for backend in box._backends.values():
        backend._report = type(REPORTS["bwrap"])(backend.name, usable=False, reason="not installed")
    return box


@pytest.fixture(params=["bwrap", "monty", "subprocess"])
async def sandbox(request):
    if not REPORTS[request.param].usable:
        pytest.skip(f"{request.param} does not work here: {REPORTS[request.param].reason}")
    box = Sandbox(environ_for(request.param))
    if request.param == "subprocess":
        without_sandboxes(box)
    yield box
    await box.aclose()


async def run(box: Sandbox, source: str, *outputs: str, policy: SandboxPolicy | None = None, **arguments) -> CodeResult:
    job = CodeJob(source, arguments, outputs, filename="cell 3", first_line=41)
    return await box.run(job, policy or SandboxPolicy())


async def test_returns_the_declared_outputs_and_the_prints_apart(sandbox):
    result = await run(
        sandbox,
        "def main(a, b=10):\n    print('got', a)\n    return {'sum': a + b, 'extra': {1}}\n",
        "sum",
        a=5,
    )
    assert result.value == {"sum": 15}
    assert result.prints == "got 5\n"
    assert result.backend == sandbox.choose(SandboxPolicy())
    assert result.duration_s > 0


async def test_keeps_every_key_when_no_output_is_declared(sandbox):
    result = await run(
        sandbox,
        "def main(**given):\n    return {'given': given, 'none': None, 'pair': (1, 2.5), 'ü': 'ß'}\n",
        x=[True],
    )
    assert result.value == {"given": {"x": [True]}, "none": None, "pair": [1, 2.5], "ü": "ß"}


async def test_lists_the_keys_returned_when_a_declared_output_is_missing(sandbox):
    with pytest.raises(CodeError, match=r"main did not return 'mean'; it returned: total, n"):
        await run(sandbox, "def main():\n    return {'total': 1, 'n': 2}\n", "total", "mean")


async def test_a_result_that_is_no_dict_is_an_error(sandbox):
    with pytest.raises(CodeError, match="main returned list, not a dict"):
        await run(sandbox, "def main():\n    return [1]\n")


async def test_names_the_path_of_a_number_that_json_cannot_carry(sandbox):
    source = (
        "def main():\n    rows = [{'x': 1.0}, {'x': 2.0}, {'x': 3.0}, {'x': float('nan')}]\n    return {'rows': rows}\n"
    )
    with pytest.raises(CodeError, match=r"^result\.rows\[3\]\.x is nan"):
        await run(sandbox, source)


async def test_names_the_path_of_an_argument_that_json_cannot_carry(sandbox):
    with pytest.raises(CodeError, match=r"arguments\.a\.b\[1\] is inf"):
        await run(sandbox, "def main(a):\n    return {}\n", a={"b": [1, float("inf")]})


async def test_a_traceback_shows_only_lines_of_the_cell_with_their_numbers(sandbox):
    # Line 1 of this source is line 41 of the cell; so `return 1 / x` is line 44 and the call of it line 49.
    source = """
# a comment
def ratio(x):
    return 1 / x

def main(values):
    print("start")
    results = []
    results.append(ratio(values[0]))
    return {"results": results}
"""
    with pytest.raises(CodeError) as caught:
        await run(sandbox, source, values=[0])
    error = caught.value
    assert error.message == "ZeroDivisionError: division by zero"
    assert error.line == 44
    assert error.prints == "start\n"
    shown = [line for line in error.traceback.splitlines() if set(line.strip()) - set("^~ ")]
    assert shown == [
        "Traceback (most recent call last):",
        '  File "cell 3", line 49, in main',
        "    results.append(ratio(values[0]))",
        '  File "cell 3", line 44, in ratio',
        "    return 1 / x",
        "ZeroDivisionError: division by zero",
    ]


async def test_an_error_at_the_top_level_has_its_line(sandbox):
    with pytest.raises(CodeError, match="KeyError") as caught:
        await run(sandbox, "def main():\n    return {}\n\n{}['missing']\n")
    assert caught.value.line == 44


async def test_a_missing_argument_points_at_main(sandbox):
    with pytest.raises(CodeError, match="TypeError") as caught:
        await run(sandbox, "x = 1\ndef main(a):\n    return {}\n")
    assert caught.value.line == 42


async def test_values_of_several_megabytes_go_in_and_out(sandbox):
    text = "0123456789" * 300_000
    result = await run(sandbox, "def main(text):\n    return {'twice': text + text}\n", "twice", text=text)
    assert result.value == {"twice": text * 2}


async def test_input_files_are_readable_at_data_input(sandbox, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    source = "def main():\n    with open('data/input/rows.csv') as file:\n        return {'text': file.read()}\n"
    result = await run(sandbox, source, policy=SandboxPolicy(input_dir=tmp_path))
    assert result.value == {"text": "a,b\n1,2\n"}


async def test_an_input_folder_made_anew_is_the_new_one(sandbox, tmp_path):
    source = "def main():\n    with open('data/input/a.txt') as file:\n        return {'text': file.read()}\n"
    given = tmp_path / "given"
    for number in ("1", "2"):
        given.mkdir()
        (given / "a.txt").write_text(number)
        assert (await run(sandbox, source, policy=SandboxPolicy(input_dir=given))).value == {"text": number}
        given.rename(tmp_path / f"old{number}")


async def test_a_readable_file_is_seen_at_its_own_path_and_its_neighbour_is_not(sandbox, tmp_path):
    (tmp_path / "shown.txt").write_text("shown")
    (tmp_path / "hidden.txt").write_text("hidden")
    source = """
def main(shown, hidden):
    try:
        with open(hidden) as file:
            other = file.read()
    except OSError:
        other = None
    with open(shown) as file:
        return {"shown": file.read(), "hidden": other}
"""
    policy = SandboxPolicy(readable=(tmp_path / "shown.txt",))
    result = await run(
        sandbox, source, policy=policy, shown=str(tmp_path / "shown.txt"), hidden=str(tmp_path / "hidden.txt")
    )
    assert result.value == {"shown": "shown", "hidden": "hidden" if result.backend == "subprocess" else None}


async def test_a_folder_that_is_not_there_is_named(sandbox, tmp_path):
    with pytest.raises(SandboxError, match="nowhere"):
        await run(sandbox, "def main():\n    return {}\n", policy=SandboxPolicy(input_dir=tmp_path / "nowhere"))


async def test_a_timeout_stops_the_code(sandbox):
    with pytest.raises(SandboxError, match=r"longer than 0\.3 s"):
        await run(sandbox, "def main():\n    while True:\n        pass\n", policy=SandboxPolicy(timeout_s=0.3))


async def test_a_call_after_a_stopped_one_works(sandbox):
    with pytest.raises(SandboxError):
        await run(sandbox, "def main():\n    while True:\n        pass\n", policy=SandboxPolicy(timeout_s=0.3))
    assert (await run(sandbox, "def main():\n    return {'x': 1}\n")).value == {"x": 1}


async def test_many_calls_at_once_keep_their_results_apart(sandbox):
    source = "def main(n):\n    print(n)\n    return {'n': n}\n"
    results = await asyncio.gather(*(run(sandbox, source, n=n) for n in range(12)))
    assert [(result.value["n"], result.prints) for result in results] == [(n, f"{n}\n") for n in range(12)]


async def test_a_memory_hog_is_an_error_of_the_sandbox(sandbox):
    source = "def main():\n    hog = []\n    while True:\n        hog.append('x' * 1_000_000 + str(len(hog)))\n"
    with pytest.raises(SandboxError, match="more memory than 128 MiB"):
        await run(sandbox, source, policy=SandboxPolicy(memory_mb=128))


async def test_works_on_a_loop_of_another_thread_and_then_on_a_second_loop(sandbox):
    results = []

    def work():
        async def once() -> None:
            results.append((await run(sandbox, "def main():\n    return {'x': 1}\n")).value)
            await sandbox.aclose()

        asyncio.run(once())

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        await asyncio.to_thread(thread.join)
    assert results == [{"x": 1}] * 2


@pytest.mark.skipif(not REPORTS["bwrap"].usable, reason=f"bwrap does not work here: {REPORTS['bwrap'].reason}")
async def test_packages_of_the_environment_can_be_imported_when_asked_for():
    box = Sandbox(environ_for("bwrap"))
    source = """
import numpy
def main():
    return {"three": numpy.int64(3), "half": numpy.float32(0.5), "yes": numpy.bool_(True)}
"""
    try:
        pytest.importorskip("numpy")
        result = await run(box, source, policy=SandboxPolicy(packages=True))
        assert result.value == {"three": 3, "half": 0.5, "yes": True}
        with pytest.raises(CodeError, match="No module named 'numpy'"):
            await run(box, source)
    finally:
        await box.aclose()


def test_packages_are_refused_before_running_where_only_monty_may_run():
    with pytest.raises(
        SandboxUnavailableError, match=r"monty: (it cannot use installed packages|not installed|does not start)"
    ):
        Sandbox({"AWP_SANDBOX": "monty"}).choose(SandboxPolicy(packages=True))


def test_fails_closed_and_names_both_sandboxes_and_the_opt_in():
    with pytest.raises(SandboxUnavailableError) as caught:
        without_sandboxes(Sandbox(NOWHERE)).choose(SandboxPolicy())
    assert "bwrap: not installed" in caught.value.message
    assert "monty: not installed" in caught.value.message
    assert "AWP_ALLOW_UNSANDBOXED_CODE=1" in caught.value.hint


@pytest.mark.parametrize("name", ["AWP_ALLOW_UNSANDBOXED_CODE", "CORVIN_ALLOW_UNSANDBOXED_CODE"])
@pytest.mark.skipif(os.name != "posix", reason="the plain subprocess needs a POSIX system")
def test_the_opt_in_allows_a_plain_subprocess_only_when_it_is_one(name):
    assert without_sandboxes(Sandbox({name: "1"})).choose(SandboxPolicy()) == "subprocess"
    for other in ("", "0", "yes"):
        with pytest.raises(SandboxUnavailableError):
            without_sandboxes(Sandbox({name: other})).choose(SandboxPolicy())


@pytest.mark.parametrize("chosen", ["bwrap", "monty"])
def test_a_named_sandbox_is_used_or_nothing_even_with_the_opt_in(chosen):
    with pytest.raises(SandboxUnavailableError, match=f"{chosen}: not installed"):
        without_sandboxes(Sandbox({"AWP_SANDBOX": chosen, "AWP_ALLOW_UNSANDBOXED_CODE": "1"})).choose(SandboxPolicy())


def test_an_unknown_sandbox_name_runs_nothing():
    with pytest.raises(SandboxUnavailableError, match="AWP_SANDBOX is 'docker', which is no sandbox"):
        Sandbox({"AWP_SANDBOX": "docker", "AWP_ALLOW_UNSANDBOXED_CODE": "1"}).choose(SandboxPolicy())


def test_bubblewrap_comes_before_monty():
    reports = backend_reports({"PATH": PATH})
    assert [report.name for report in reports] == ["bwrap", "monty"]
    usable = [report.name for report in reports if report.usable]
    if not usable:
        pytest.skip("no sandbox works here")
    assert Sandbox({"PATH": PATH}).choose(SandboxPolicy()) == usable[0]


@pytest.mark.parametrize("backend", ["warm", "cold"])
def test_an_environment_below_tmp_is_found(tmp_path, backend):
    """A project cloned below /tmp has its packages where every call gets a folder of its own."""
    if not Path(tempfile.gettempdir()).resolve().is_relative_to("/tmp"):  # noqa: S108
        pytest.skip("this system's temporary folder is not below /tmp")
    environment = tmp_path / "venv"
    venv.create(environment, symlinks=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "penguin.py").write_text("NAME = 'Gentoo'\n")
    code = (
        "import asyncio, sys\n"
        "from awp_core.sandbox.policy import CodeJob, SandboxPolicy\n"
        "from awp_core.sandbox.runner import Sandbox\n"
        "job = CodeJob('def main():\\n    import penguin\\n    return {\"name\": penguin.NAME}', {}, ('name',))\n"
        "async def go():\n"
        "    sandbox = Sandbox()\n"
        f"    sandbox._backends['bwrap']._warm.works = {backend == 'warm'}\n"
        "    for _ in range(2):\n"
        "        print((await sandbox.run(job, SandboxPolicy(packages=True))).value['name'])\n"
        "    await sandbox.aclose()\n"
        "asyncio.run(go())\n"
    )
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
    done = subprocess.run(
        [environment / "bin" / "python", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "AWP_SANDBOX": "bwrap"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "Gentoo\nGentoo\n", done.stderr
