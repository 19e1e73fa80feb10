"""Coordinates from Graphviz: find it, give it numbers, read numbers back.

No text of the user reaches Graphviz: nodes are n0, n1, … with the sizes we computed, and a label is a run of the
letter x that is about as wide. The answer is the line format of `-Tplain`, and is checked before it is believed.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from pathlib import Path

from awp_core.errors import AwpError
from awp_core.graph.geometry import Placement, Plan, Point

TIME_LIMIT_S = 5.0
MOST_OUTPUT = 16 * 1024 * 1024

_PER_INCH = 72.0
_LETTER = 6.2  # pixels of one x at the label's font size, a little too many


class GraphvizError(AwpError):
    """Graphviz could not be used; the message is the reason recorded in the layout."""


def find_graphviz(environ: Mapping[str, str], scripts: Iterable[Path] | None = None) -> tuple[str, str] | None:
    """Return `(name, path)` of the Graphviz to use, or None.

    The order is `$GRAPHVIZ_DOT`, `dot` on the PATH, then `graphviz-pure` on the PATH or in a folder where
    pip puts scripts, which need not be on the PATH of a kernel.

    Args:
        scripts: These folders instead of the ones of the running Python.
    """
    chosen = environ.get("GRAPHVIZ_DOT", "").strip()
    if chosen:
        return "dot", chosen
    path = environ.get("PATH", "")
    if dot := shutil.which("dot", path=path):
        return "dot", dot
    folders = _script_folders() if scripts is None else scripts
    places = os.pathsep.join([path, *map(str, folders)])
    pure = shutil.which("graphviz-pure", path=places)
    return ("graphviz-pure", pure) if pure else None


def place_by_graphviz(plan: Plan, binary: str, environ: Mapping[str, str], limit_s: float = TIME_LIMIT_S) -> Placement:
    """Compute all coordinates of a plan with a Graphviz binary.

    Raises:
        GraphvizError: It cannot be started, fails, takes too long, or its answer is not a layout of this plan.
    """
    return _read(plan, _run([binary, "-Kdot", "-Tplain"], _source(plan).encode("ascii"), environ, limit_s))


def _script_folders() -> list[Path]:
    return [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]


def _source(plan: Plan) -> str:
    try:
        import graphviz
    except ImportError as exc:
        raise GraphvizError("the Python package graphviz is not installed") from exc
    graph = graphviz.Digraph(
        graph_attr={"rankdir": "LR" if plan.horizontal else "TB", "nodesep": "0.36", "ranksep": "0.5"},
        node_attr={"shape": "box", "fixedsize": "true", "label": ""},
        edge_attr={"arrowhead": "none", "fontsize": "11", "fontname": "Helvetica"},
    )
    for index, (width, height) in enumerate(plan.sizes):
        graph.node(f"n{index}", width=f"{width / _PER_INCH:.4f}", height=f"{height / _PER_INCH:.4f}")
    out, into = ("e", "w") if plan.horizontal else ("s", "n")
    for arrow in plan.arrows:
        words = {"label": "x" * math.ceil(arrow.label_width / _LETTER)} if arrow.label_width else {}
        ports = {} if arrow.reversed else {"tailport": out, "headport": into}
        graph.edge(f"n{arrow.source}", f"n{arrow.target}", **words, **ports)
    return str(graph.source)


def _run(command: list[str], source: bytes, environ: Mapping[str, str], limit_s: float) -> str:
    """Run Graphviz with bounded time and bounded output; what it prints as warnings is not wanted."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=True,
        )
    except (OSError, ValueError) as exc:
        raise GraphvizError(f"{command[0]} cannot be started: {exc}") from exc
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _kill(process)

    timer = threading.Timer(limit_s, expire)
    feeder = threading.Thread(target=_feed, args=(process, source), daemon=True)
    timer.start()
    feeder.start()
    with process:
        assert process.stdout is not None  # noqa: S101 - it was asked for above
        answer = process.stdout.read(MOST_OUTPUT + 1)
        if len(answer) > MOST_OUTPUT:
            _kill(process)
        code = process.wait()
        timer.cancel()
        feeder.join()
    if expired.is_set():
        raise GraphvizError(f"{command[0]} did not finish within {limit_s:g} s")
    if len(answer) > MOST_OUTPUT:
        raise GraphvizError(f"{command[0]} printed too much")
    if code:
        raise GraphvizError(f"{command[0]} failed with exit code {code}")
    return answer.decode("ascii", "replace")


def _feed(process: subprocess.Popen[bytes], source: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for when the process was started
    try:
        process.stdin.write(source)
        process.stdin.close()
    except OSError:
        pass  # it did not want to read; its answer shows what that means


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and, where there are process groups, its children: they may hold the pipe open."""
    try:
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    except OSError:
        pass  # already gone


def _read(plan: Plan, answer: str) -> Placement:
    try:
        return _parse(plan, answer)
    except (ValueError, IndexError, KeyError) as exc:
        raise GraphvizError("Graphviz printed something that is not a layout of this graph") from exc


def _parse(plan: Plan, answer: str) -> Placement:
    """Read `-Tplain`: one line each for the graph, every node and every edge, inches from the lower left corner."""
    lines = [line.split() for line in answer.splitlines()]
    height = _number(lines[0][3])
    if lines[0][0] != "graph" or lines[-1] != ["stop"]:
        raise ValueError("no plain output")

    def point(x: str, y: str) -> Point:
        return _number(x) * _PER_INCH, (height - _number(y)) * _PER_INCH

    centers: dict[str, Point] = {}
    routes: dict[tuple[str, str], deque[tuple[list[Point], Point | None]]] = defaultdict(deque)
    for words in lines[1:-1]:
        if words[0] == "node":
            centers[words[1]] = point(words[2], words[3])
        elif words[0] == "edge":
            end = 4 + 2 * int(words[3])
            path = [point(x, y) for x, y in zip(words[4:end:2], words[5:end:2], strict=True)]
            if len(path) < 4 or len(path) % 3 != 1:
                raise ValueError("not a Bézier path")
            label = point(words[end + 1], words[end + 2]) if words[end].startswith("x") else None
            routes[words[1], words[2]].append((path, label))
    found = [routes[f"n{arrow.source}", f"n{arrow.target}"].popleft() for arrow in plan.arrows]
    return Placement(
        [centers[f"n{index}"] for index in range(len(plan.sizes))],
        [path for path, _ in found],
        [label for _, label in found],
    )


def _number(word: str) -> float:
    value = float(word)
    if not abs(value) < 1e5:
        raise ValueError("not a coordinate")
    return value
