"""The scheduler against a brute-force model of the skip and failure rules (spec 02)."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from awp_core.app import App

CASES = ("a", "b")


@st.composite
def graphs(draw):
    """A random graph: plain nodes, routes, failing nodes; gates on routes; disabled nodes."""
    count = draw(st.integers(1, 8))
    nodes = []
    for index in range(count):
        above = draw(st.lists(st.sampled_from(range(index)), unique=True, max_size=3)) if index else []
        kind = draw(st.sampled_from(["plain", "plain", "plain", "route", "contained", "counted"]))
        routes = [name for name in above if nodes[name]["kind"] == "route"]
        nodes.append(
            {
                "id": f"n{index}",
                "kind": kind,
                "above": above,
                "choice": draw(st.sampled_from(CASES)),
                "branch": draw(st.sampled_from(CASES)) if len(routes) == 1 and draw(st.booleans()) else None,
                "enabled": draw(st.sampled_from([True, True, True, False])),
            }
        )
    return nodes


def manifest(nodes) -> str:
    entries = []
    for node in nodes:
        entry = {"id": node["id"], "depends_on": [f"n{i}" for i in node["above"]], "enabled": node["enabled"]}
        if node["branch"]:
            entry["branch"] = node["branch"]
        if node["kind"] == "route":
            other = next(case for case in CASES if case != node["choice"])
            entry |= {
                "type": "route",
                "mode": "condition",
                "cases": [
                    {"id": other, "when": {"selector": "inputs.never", "op": "==", "value": "this"}},
                    {"id": node["choice"], "default": True},
                ],
            }
        elif node["kind"] == "plain":
            entry |= {"type": "static", "value": {"from": node["id"]}}
        else:
            entry |= {
                "type": "agent",
                "agent": "fails",
                "on_failure": {"contained": "continue", "counted": "skip"}[node["kind"]],
            }
        entries.append(entry)
    return yaml.safe_dump({"inputs": {"never": {"default": "that"}}, "graph": entries}, sort_keys=False)


def model(nodes) -> dict[str, str]:
    """Statuses by the words of the spec, as a fixpoint: any order of looking gives the same answer."""
    status: dict[int, str] = {}
    while len(status) < len(nodes):
        for index, node in enumerate(nodes):
            if index in status or any(above not in status for above in node["above"]):
                continue
            above = [status[name] for name in node["above"]]
            if any(s in {"failed", "skipped by failure"} for s in above):
                status[index] = "skipped by failure"
            elif (
                (above and all(s == "skipped" for s in above))
                or not node["enabled"]
                or (node["branch"] and not _chosen(node, nodes, status))
            ):
                status[index] = "skipped"
            else:
                status[index] = {"contained": "failed", "counted": "skipped but counts"}.get(node["kind"], "finished")
    plain = {"skipped by failure": "skipped", "skipped but counts": "skipped"}
    return {f"n{index}": plain.get(s, s) for index, s in status.items()}


def _chosen(node, nodes, status) -> bool:
    route = next(name for name in node["above"] if nodes[name]["kind"] == "route")
    return status[route] == "finished" and nodes[route]["choice"] == node["branch"]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs())
def test_statuses_are_those_of_the_model(nodes):
    with tempfile.TemporaryDirectory() as folder:
        app = App(runs_dir=Path(folder), environ={})

        @app.functions.agent("fails")
        async def fails():
            raise ValueError("on purpose")

        run = asyncio.run(app.arun(app.load_text(manifest(nodes))))
        assert {name: state.status for name, state in run.nodes.items()} == model(nodes)
        assert run.status == "complete"
        failed = {f["node"] for f in run.snapshot.failures}
        expected = {n["id"] for n in nodes if n["kind"] in {"contained", "counted"}} & {
            name for name, state in run.nodes.items() if state.attempts
        }
        assert failed == expected
