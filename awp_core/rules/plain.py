"""Say in plain words, and at the exact place, what a model refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from awp_core.errors import nearest
from awp_core.manifest.load import Problem
from awp_core.manifest.source import Document, Path

_KINDS = {bool: "a boolean", int: "a whole number", float: "a number", str: "a text", list: "a list", dict: "a mapping"}
_WANTED = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}
_LIMITS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}


def explain(document: Document, problem: Problem) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, message, hint) for every error of a problem, each place once."""
    seen: set[Path] = set()
    for error in problem.error.errors(include_url=False, include_context=True, include_input=True):
        path = _existing(document.data, problem.path, error["loc"])
        if path in seen and error["type"] != "missing":
            continue  # a field that may be of two types fails once for each
        seen.add(path)
        message, hint = _words(document, path, error)
        yield path, message, hint


def _existing(data: Any, base: Path, loc: tuple[str | int, ...]) -> Path:
    """Return the part of an error's place that exists in the data; pydantic adds names of types to it."""
    path: list[str | int] = []
    for part in (*base, *loc):
        if _has(data, part):
            data = data[part]
            path.append(part)
    return tuple(path)


def _has(data: Any, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, Mapping) and part in data


def _words(document: Document, path: Path, error: Mapping[str, Any]) -> tuple[str, str]:
    kind, value, context = error["type"], error.get("input"), error.get("ctx") or {}
    name = next((part for part in reversed(path) if isinstance(part, str)), "it")
    if kind == "missing":
        return f"the field {error['loc'][-1]!r} is missing", f"add `{error['loc'][-1]}: …` here"
    if kind == "literal_error":
        return _choice(name, value, str(context.get("expected", "")))
    if kind == "value_error":
        return str(context.get("error", error["msg"])), "see the fields of its type: awp rules N2"
    if kind in _LIMITS:
        words, key = _LIMITS[kind]
        return f"{name!r} must be {words} {context[key]:g}, got {_brief(value)}", f"write {words} {context[key]:g}"
    if kind == "string_pattern_mismatch":
        return f"{name!r} is not well formed: {_brief(value)}", f"it must match {context['pattern']}"
    if kind in {"string_too_long", "string_too_short", "too_short", "too_long"}:
        limit = context.get("max_length", context.get("min_length"))
        words = "at most" if kind.endswith("long") else "at least"
        things = "characters" if kind.startswith("string") else "items"
        return f"{name!r} must have {words} {limit} {things}", "change its length"
    return _wrong_type(document, path, name, kind, value)


def _choice(name: str, value: object, expected: str) -> tuple[str, str]:
    options = [part.strip("' ") for part in expected.replace(" or ", ", ").split(",") if part.strip()]
    close = nearest(value, options) if isinstance(value, str) else ""
    hint = f"did you mean {close!r}?" if close else f"write one of {', '.join(options)}"
    return f"{name!r} must be one of {', '.join(options)}, got {_brief(value)}", hint


def _wrong_type(document: Document, path: Path, name: str, kind: str, value: object) -> tuple[str, str]:
    wanted = _WANTED.get(kind.partition("_")[0], "something else")
    if value is None:
        return f"{name!r} must be {wanted}, but it is empty", f"write {wanted} after `{name}:`, or remove the line"
    message = f"{name!r} must be {wanted}, got {_KINDS.get(type(value), 'nothing')}"
    written = document.scalar_text(path)
    if wanted == "a text" and written is not None:
        return f"{message}: {written[:60]}", f'put it in quotes: "{written[:60]}"'
    return f"{message}: {_brief(value)}", f"write {wanted}"


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
