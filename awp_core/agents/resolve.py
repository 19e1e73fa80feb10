"""Find the agent a node names (spec 01, Two forms of one thing): session, files, the manifest, a generic one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from awp_core.agents.functions import AgentFunctions
from awp_core.agents.spec import AgentSpec
from awp_core.manifest.load import Workflow

Finder = Callable[[str], AgentSpec | None]
"""Looks for an agent by name, such as in a package's personas or in `agents/NAME/`; None if it has none."""

_SCHEMA_WORDS: Final = frozenset({"$schema", "$ref", "type", "properties", "allOf", "anyOf", "oneOf"})
_FIELD_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_LIMITS: Final = {"max_length": "maxLength", "minimum": "minimum", "maximum": "maximum", "items": "items"}


def resolve_agent(
    name: str, node: str, workflow: Workflow, functions: AgentFunctions, finders: Sequence[Finder] = ()
) -> AgentSpec:
    """Return the agent that `node` calls as `name`; "" is the node's own generic agent.

    A name nobody defines is a generic agent made of the node's instructions: in a single file that is legal.

    Args:
        name: As written, with or without the folder `agents/`.
        node: Id of the node, which names an agent that has no name.
        workflow: Its top-level `agents:` mapping is read.
        functions: Agents defined in the session; they win over all others.
        finders: Asked in order, after the session and before the manifest.
    """
    plain = name.removeprefix("agents/").rstrip("/")
    if plain in functions:
        return functions.spec(plain)
    for find in finders if plain else ():
        found = find(plain)
        if found is not None:
            return found
    inline = workflow.manifest.agents.get(plain) if workflow.manifest is not None else None
    return _from_mapping(plain, inline) if inline is not None else AgentSpec(plain or node)


def _from_mapping(name: str, raw: Mapping[str, Any]) -> AgentSpec:
    """Read an entry of the top-level `agents:` mapping, which is the content of an agent.awp.yaml, either layout."""
    model = _section(raw, "model") or _section(raw, "llm")
    parameters = _section(model, "parameters")
    named = raw.get("model") if isinstance(raw.get("model"), str) else model.get("name", model.get("model"))
    return AgentSpec(
        name,
        system=_system(raw),
        schema=_schema(_section(raw, "output")),
        provider=_text(model.get("provider")) or None,
        model=_text(named) or None,
        temperature=_number(model.get("temperature", parameters.get("temperature"))),
        max_tokens=_whole(model.get("max_tokens", parameters.get("max_tokens"))),
    )


def _system(raw: Mapping[str, Any]) -> str:
    """The system prompt; an agent without one is its role and its description."""
    prompt = raw.get("prompt")
    written = _text(prompt) or _text(_section(raw, "prompt").get("system"))
    if written:
        return written
    identity = _section(raw, "identity") or _section(raw, "agent")
    role, about = (_text(identity.get(word)) or _text(raw.get(word)) for word in ("role", "description"))
    return " ".join(part for part in (f"You are {role}." if role else "", about) if part)


def _schema(output: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON Schema of the output; a flat contract of the legacy form is converted. A path is none yet."""
    for word in ("schema", "contract"):
        found = output.get(word)
        if isinstance(found, dict) and found:
            return _from_flat(found) if _is_flat(found) else found
    return None


def _is_flat(contract: Mapping[str, Any]) -> bool:
    """Whether it maps field names to types. A field may be called `type`, so its value decides."""
    if not _SCHEMA_WORDS & contract.keys():
        return True
    return contract.keys().isdisjoint(_SCHEMA_WORDS - {"type"}) and isinstance(contract["type"], dict)


def _from_flat(contract: Mapping[str, Any]) -> dict[str, Any]:
    properties: dict[str, dict[str, Any]] = {}
    required: list[str] = []
    for name, about in contract.items():
        field = about if isinstance(about, dict) else {"type": about}
        kind = field.get("type")
        properties[name] = {"type": kind} if isinstance(kind, str) and kind in _FIELD_TYPES else {}
        properties[name] |= {ours: field[theirs] for theirs, ours in _LIMITS.items() if theirs in field}
        if field.get("required") is True:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _section(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = raw.get(name)
    return section if isinstance(section, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
