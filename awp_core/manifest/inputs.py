"""Check and coerce the inputs of a run against their declarations (spec 01, inputs)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from awp_core.errors import AwpError, InputError, nearest
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import InputSpec
from awp_core.values import ValueProblem, check_json, load_json

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_WORDS = {
    "true": True,
    "yes": True,
    "1": True,
    "on": True,
    "false": False,
    "no": False,
    "0": False,
    "off": False,
}


def resolve_inputs(
    workflow: Workflow, given: Mapping[str, Any], *, text: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Return the inputs a run starts with, and warnings about undeclared ones.

    Args:
        workflow: A valid workflow.
        given: Values by name. A DataFrame (anything with `to_dict(orient="records")`) becomes records.
        text: Whether string values came from a command line and are to be read by the declared type.

    Raises:
        InputError: Something is missing or ill-typed; the message lists every problem.
    """
    declared = workflow.manifest.inputs if workflow.manifest is not None else {}
    values: dict[str, Any] = {}
    problems: list[str] = []
    warnings: list[str] = []
    for name, raw in given.items():
        spec = declared.get(name)
        try:
            value = _records(raw)
            if text and isinstance(value, str):
                value = from_text(value, spec)
            check_json(value, name)
            values[name] = value
        except (AwpError, ValueError) as exc:
            problems.append(f"{name}: {exc}")
        if spec is None and declared:
            close = nearest(name, declared)
            warnings.append(f"input {name!r} is not declared" + (f"; did you mean {close!r}?" if close else ""))
    for name, spec in declared.items():
        problems += _check(workflow, name, spec, values)
    if problems:
        raise InputError("\n".join(["these inputs do not fit:", *(f"  {p}" for p in problems)]), hint=_usage(declared))
    return values, warnings


def _check(workflow: Workflow, name: str, spec: InputSpec, values: dict[str, Any]) -> list[str]:
    raw = workflow.raw["inputs"][name]
    if name not in values:
        if "default" in raw:
            values[name] = spec.default
        elif spec.required is not False:
            return [f"{name}: missing ({spec.type or 'any type'}{', ' + spec.description if spec.description else ''})"]
        return []
    value = values[name]
    if spec.type is not None and not _is(value, spec.type):
        return [f"{name}: must be {spec.type}, got {_kind(value)} {_brief(value)}"]
    if spec.enum is not None and value not in spec.enum:
        return [f"{name}: must be one of {', '.join(map(repr, spec.enum))}, got {_brief(value)}"]
    if set(raw) - set(InputSpec.model_fields):
        return _against_schema(name, raw, value)
    return []


def _against_schema(name: str, raw: Mapping[str, Any], value: Any) -> list[str]:
    from jsonschema import Draft7Validator, SchemaError  # slow to import, and rarely needed

    schema = {
        key: item for key, item in raw.items() if key not in {"required", "default"} or not isinstance(item, bool)
    }
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as exc:
        return [f"{name}: its declaration is no JSON Schema: {exc.message}"]
    return [f"{name}: {error.message}" for error in Draft7Validator(schema).iter_errors(value)][:5]


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def from_text(value: str, spec: InputSpec | None) -> Any:
    """Return what was typed for an input, by its declared type; what does not fit stays the text it is."""
    kind = spec.type if spec is not None else None
    if kind == "string":
        return value
    if kind == "boolean" and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    try:
        parsed = load_json(value)
    except ValueProblem:  # also JSON that would lose something when read: it stays the text it is
        return value
    return parsed if kind is None or _is(parsed, kind) else value


def _records(value: Any) -> Any:
    """Turn a DataFrame, from whatever library, into JSON records."""
    if hasattr(value, "to_json") and hasattr(value, "columns"):
        return json.loads(value.to_json(orient="records"))
    return value


def _kind(value: Any) -> str:
    for kind in ("boolean", "integer", "number", "string", "array", "object"):
        if _is(value, kind):
            return kind
    return "null" if value is None else type(value).__name__


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _usage(declared: Mapping[str, InputSpec]) -> str:
    return "give them as name=value: " + " ".join(f"{name}=…" for name in declared) if declared else ""
