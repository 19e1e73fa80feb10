"""Find the agent a node names (spec 01, Two forms of one thing): session, then the manifest, then a generic one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from awp_core.agents.functions import AgentFunctions
from awp_core.agents.spec import AgentSpec
from awp_core.manifest.load import Workflow


def resolve_agent(name: str, node: str, workflow: Workflow, functions: AgentFunctions) -> AgentSpec:
    """Return the agent that `node` calls as `name`; "" is the node's own generic agent.

    A name nobody defines is a generic agent made of the node's instructions: in a single file that is legal.
    """
    plain = name.removeprefix("agents/")
    if plain in functions:
        return AgentSpec(plain, function=functions[plain])
    inline = workflow.manifest.agents.get(plain) if workflow.manifest is not None else None
    if inline is not None:
        return _from_mapping(plain, inline)
    return AgentSpec(plain or node)


def _from_mapping(name: str, raw: Mapping[str, Any]) -> AgentSpec:
    """Read an entry of the top-level `agents:` mapping, which is the content of an agent.awp.yaml."""
    model = _section(raw, "model")
    parameters = _section(model, "parameters")
    schema = _section(raw, "output").get("schema")
    return AgentSpec(
        name,
        system=_text(_section(raw, "prompt").get("system")),
        schema=schema if isinstance(schema, dict) else None,
        provider=_text(model.get("provider")) or None,
        model=_text(model.get("name")) or None,
        temperature=_number(model.get("temperature", parameters.get("temperature"))),
        max_tokens=_whole(model.get("max_tokens", parameters.get("max_tokens"))),
    )


def _section(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = raw.get(name)
    return section if isinstance(section, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
