"""Measure the engine against its floor in one run: plain asyncio with one JSONL line per node, flushed (spec 10).

Ours runs with everything on: rules, record, fold, run folder, completion. Ratios are what counts; the milliseconds are
this machine's. `python benchmarks/engine.py` prints a table and writes `benchmarks/results.json`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from awp_core.app import App
from awp_core.manifest.load import Workflow

Edges = dict[str, list[str]]
REPEATS = 7


def chain(count: int) -> Edges:
    return {f"n{i}": [f"n{i - 1}"] if i else [] for i in range(count)}


def wide(count: int) -> Edges:
    edges: Edges = {f"n{i}": [] for i in range(count)}
    return edges | {"join": list(edges)}


def scattered(count: int, arrows: int) -> Edges:
    rng = random.Random(7)  # noqa: S311 - a graph, not a secret
    edges: Edges = {f"n{i}": [] for i in range(count)}
    for _ in range(arrows):
        low, high = sorted(rng.sample(range(count), 2))
        if f"n{low}" not in edges[f"n{high}"]:
            edges[f"n{high}"].append(f"n{low}")
    return edges


async def floor(edges: Edges, journal: Path) -> None:
    """What nobody can do without: one task per node that awaits its dependencies and writes one flushed line."""
    done: dict[str, asyncio.Task[None]] = {}
    with journal.open("w") as file:

        async def node(name: str, above: list[asyncio.Task[None]]) -> None:
            for task in above:
                await task
            file.write(json.dumps({"node": name, "output": {"ok": True}}) + "\n")
            file.flush()

        for name, above in edges.items():
            done[name] = asyncio.ensure_future(node(name, [done[dependency] for dependency in above]))
        for task in done.values():
            await task


def workflow(app: App, edges: Edges, kind: str) -> Workflow:
    nodes = [
        {"id": name, "depends_on": above}
        | ({"type": "static", "value": {"ok": True}} if kind == "static" else {"type": "agent", "agent": "noop"})
        for name, above in edges.items()
    ]
    return app.load_text(
        json.dumps({"graph": nodes, "orchestration": {"execution": {"max_parallel": 10_000}}}), "bench"
    )


def timed(action: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        gc.collect()
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def measure(name: str, edges: Edges, folder: Path) -> dict[str, object]:
    app = App(runs_dir=folder / "runs")

    @app.functions.agent("noop")
    async def _noop() -> dict[str, bool]:
        return {"ok": True}

    flow = workflow(app, edges, "static")
    agents = workflow(app, edges, "agent")
    base = timed(lambda: asyncio.run(floor(edges, folder / "journal.jsonl")))
    ours = timed(lambda: asyncio.run(app.arun(flow)))
    prepared = timed(lambda: app.plan(flow))
    calls = timed(lambda: asyncio.run(app.arun(agents)))
    run = app.runs()[0]
    size = (run.folder / "events.jsonl").stat().st_size / len(edges)
    return {
        "graph": name, "floor_ms": round(base, 2), "run_ms": round(ours, 2), "validate_ms": round(prepared, 2),
        "engine_ms": round(ours - prepared, 2), "ratio": round((ours - prepared) / base, 2),
        "agents_ratio": round((calls - prepared) / base, 2), "bytes_per_node": round(size),
    }  # fmt: skip


def main() -> int:
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, edges in (
            ("chain of 1,000", chain(1000)),
            ("1,000 wide + join", wide(1000)),
            ("random, 1,000 nodes, 3,000 edges", scattered(1000, 3000)),
            ("random, 10,000 nodes, 30,000 edges", scattered(10_000, 30_000)),
        ):
            rows.append(measure(name, edges, Path(temporary)))
            print(json.dumps(rows[-1]))
    Path(__file__).with_name("results.json").write_text(
        json.dumps({"engine": rows, "repeats": REPEATS}, indent=1) + "\n"
    )
    print(f"median ratio {statistics.median(float(str(row['ratio'])) for row in rows):.2f} (goal: at most 4)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
