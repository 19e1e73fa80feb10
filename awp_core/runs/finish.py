"""What is written when a run ends: completion, summary, picture (spec 08, Folder)."""

from __future__ import annotations

from awp_core.events.fold import RunState
from awp_core.graph.layout import Layout
from awp_core.graph.svg import render_svg
from awp_core.runs.audit import Chain
from awp_core.runs.files import replace
from awp_core.runs.layout import RunFolder
from awp_core.values import dump_json, shorten

_LISTED = 200  # rows of the table in RUN_SUMMARY.md; a longer one is not read by anybody


def write_completion(folder: RunFolder, state: RunState, layout: Layout | None, chain: Chain) -> None:
    """Write `run_completion.json`, `RUN_SUMMARY.md` and `graph.svg`; all can be rebuilt from the record.

    Raises:
        RunFolderError: They cannot be written.
    """
    if layout is not None:
        states = {name: node.status for name, node in state.nodes.items()}
        replace(folder.picture, render_svg(layout, states).encode())
    replace(folder.summary, summary(state).encode("utf-8", "replace"))
    facts = completion(state) | {"audit": {"count": chain.length, "head": chain.head}}
    replace(folder.completion, dump_json(facts) + b"\n")


def completion(state: RunState) -> dict[str, object]:
    """Return the facts of `run_completion.json`."""
    return {
        "run_id": state.run_id,
        "workflow": state.workflow,
        "digest": state.digest,
        "status": state.status,
        "reason": state.reason,
        "result": state.result,
        "failures": state.failures,
        "started": state.started,
        "ended": state.ended,
        "active_s": state.active_s,
        "tokens": state.tokens,
        "events": state.seq,
        "nodes": {
            name: {
                "status": node.status,
                "duration_s": node.duration,
                "attempts": node.attempts,
                "error": node.error or None,
            }
            for name, node in state.nodes.items()
        },
    }


def summary(state: RunState) -> str:
    """Return the run in Markdown, for people."""
    lines = [
        f"# Run {state.run_id}",
        "",
        f"- Workflow: {state.workflow}",
        f"- Status: {state.status}{f' ({state.reason})' if state.reason else ''}",
        f"- Started: {state.started}",
        f"- Ended: {state.ended}",
        f"- Worked: {state.active_s:.2f} s",
        f"- Provider: {state.provider}{f' ({state.caveat})' if state.caveat else ''}",
        "",
        "| node | status | seconds | note |",
        "|---|---|---|---|",
    ]
    listed = [(name, node) for name, node in state.nodes.items() if len(state.nodes) <= _LISTED or node.error]
    for name, node in listed[:_LISTED]:
        seconds = "" if node.duration is None else f"{node.duration:.3f}"
        lines.append(f"| {name} | {node.status} | {seconds} | {_cell(node.error or node.reason)} |")
    if len(listed) < len(state.nodes):
        lines += ["", f"{len(state.nodes)} nodes in all; every one is in run_completion.json."]
    lines += ["", "## Result", "", *_fenced(_text(state.result))]
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    text = value if isinstance(value, str) else dump_json(value).decode()
    return shorten(text, 2000)


def _cell(text: str) -> str:
    return shorten(text, 200).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _fenced(text: str) -> list[str]:
    # Results are text from outside: a fence longer than any run of backticks inside shows it as it is.
    longest = max((len(run) for run in text.replace("\n", " ").split(" ") if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1, text.count("`") + 1 if "```" in text else 3)
    return [f"{fence}text", text, fence]
