"""M4: fields that nobody reads, with the name that was probably meant."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from awp_core.diagnostics.model import Finding, Severity
from awp_core.errors import nearest
from awp_core.manifest.load import GRAPH_PATH
from awp_core.manifest.models import COMMON_FIELDS, GraphNode, Manifest
from awp_core.rules.base import Path, Rule, RuleContext

_OPEN = frozenset({"inputs", "agents"})  # names chosen by the author; an input may be any JSON Schema
Unknown = tuple[Path, frozenset[str]]


def _check(context: RuleContext) -> Iterator[Finding]:
    raw = context.workflow.raw
    for path, known in _unknown(Manifest, {k: v for k, v in raw.items() if k not in _OPEN}, ()):
        if path != GRAPH_PATH:
            yield _finding(context, path, known)
    for node in context.nodes:
        kind = context.node_types.get(node.type)
        if kind is None:
            continue  # without a type there is no telling
        base = context.at(node)
        common = {name: node.raw[name] for name in COMMON_FIELDS if name in node.raw}
        for path, known in _unknown(GraphNode, common, base):
            yield _finding(context, path, known)
        for path, known in _unknown(kind.config, node.config, base):
            top = len(path) == len(base) + 1
            yield _finding(context, path, known | COMMON_FIELDS if top else known)


def _finding(context: RuleContext, path: Path, known: frozenset[str]) -> Finding:
    name = str(path[-1])
    close = nearest(name, known)
    hint = f"did you mean `{close}`?" if close else "remove it, or start its name with x- if it is yours"
    return context.finding(RULE, path, f"`{name[:60]}`: unknown, ignored", hint=hint, key=True)


def _unknown(model: type[BaseModel], data: Mapping[str, Any], path: Path) -> Iterator[Unknown]:
    """Yield (path, known names) for every field that `model` does not have, at any depth."""
    fields = _fields(model)
    for name, value in data.items():
        if name not in fields:
            if not name.startswith("x-"):
                yield (*path, name), frozenset(fields)
            continue
        below = fields[name]
        if below is not None:
            yield from _below(below, value, (*path, name))


@cache
def _fields(model: type[BaseModel]) -> dict[str, type[BaseModel] | None]:
    """Return the names a model reads, each with the model of what stands below it, if that is one."""
    fields = model.model_fields.items()
    return {name: _model_in(field.annotation) for own, field in fields for name in _names(own, field)}


def _below(model: type[BaseModel], value: Any, path: Path) -> Iterator[Unknown]:
    if isinstance(value, dict):
        yield from _unknown(model, value, path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _unknown(model, item, (*path, index))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) is dict:
        return None
    return next((found for part in typing.get_args(annotation) if (found := _model_in(part)) is not None), None)


def _names(name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [choice for choice in choices if isinstance(choice, str)] or [name]


RULE = Rule(
    "M4",
    Severity.INFO,
    "Every field has a meaning here.",
    "An unknown field is ignored, so that newer workflows load; a misspelt one is ignored too, and that hurts.",
    _check,
    valid=(
        "- {id: ok, type: static, value: {anything: goes}, x-note: mine}",
        "graph: [{id: ok, type: static, value: 1}]\nx-mine: 1",
    ),
    invalid=(
        "- {id: one, type: static, value: 1}\n- {id: two, type: static, value: 1, deps_on: [one]}",
        "graph: [{id: ok, type: static, value: 1}]\norchestration: {exection: {mode: parallel}}",
        "- {id: ok, type: ask_human, prompt: Hm?, expect: {field: a, typ: boolean}}",
        "- {id: ok, type: static, value: 1, retry: {max_retrys: 2}}",
    ),
)
