"""Make up a value that fits a JSON Schema, as far as can be known without solving it. What the stub answers with.

Schemas come from strangers: depth, number of parts and length of texts are bounded, and a keyword of the wrong
type is read as absent.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

JSON = Any
MARK: Final = "[stub]"
_WORDS: Final = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
_MAX_DEPTH: Final = 12
_MAX_PARTS: Final = 2_000
_MAX_ITEMS: Final = 50
_MAX_TEXT: Final = 10_000


def instance(schema: Mapping[str, JSON], rng: random.Random) -> JSON:
    """Return a value for a schema; the same schema and generator state give the same value.

    >>> instance({"type": "object", "properties": {"confidence": {"type": "number"}}}, random.Random(1))
    {'confidence': 1.0}
    """
    return _Maker(schema, rng).make(schema, "", 0)


class _Maker:
    """One value in the making, and how many more parts it may have."""

    def __init__(self, root: Mapping[str, JSON], rng: random.Random) -> None:
        self._root = root
        self._rng = rng
        self._left = _MAX_PARTS

    def make(self, schema: Mapping[str, JSON], name: str, depth: int) -> JSON:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            return None
        schema = self._plain(schema)
        if "const" in schema:
            return schema["const"]
        options = schema.get("enum")
        if isinstance(options, list) and options:
            return self._rng.choice(options)
        kind = _kind_of(schema)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        return self._scalar(kind, schema, name)

    def _plain(self, schema: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Follow local references, take the first alternative, and unite `allOf`."""
        for _ in range(_MAX_DEPTH):
            reference = schema.get("$ref")
            if isinstance(reference, str):
                schema = self._referenced(reference)
                continue
            parts = [part for word in ("anyOf", "oneOf") for part in _list(schema, word)[:1]] + _list(schema, "allOf")
            if not parts:
                break
            schema = _united([{k: v for k, v in schema.items() if k not in ("anyOf", "oneOf", "allOf")}, *parts])
        return schema

    def _referenced(self, reference: str) -> Mapping[str, JSON]:
        found: JSON = self._root
        for part in reference.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def _object(self, schema: Mapping[str, JSON], depth: int) -> dict[str, JSON]:
        parts = _mapping(schema, "properties")
        wanted = {name: part if isinstance(part, Mapping) else {} for name, part in parts.items()}
        wanted |= {name: {} for name in _list(schema, "required", str) if name not in wanted}
        return {name: self.make(part, name, depth + 1) for name, part in wanted.items()}

    def _array(self, schema: Mapping[str, JSON], name: str, depth: int) -> list[JSON]:
        least = _number(schema, "minItems", 0)
        most = _number(schema, "maxItems", _MAX_ITEMS)
        count = int(max(least, min(2, most)))
        items = _mapping(schema, "items")
        return [self.make(items, name, depth + 1) for _ in range(max(0, min(count, _MAX_ITEMS, self._left)))]

    def _scalar(self, kind: str, schema: Mapping[str, JSON], name: str) -> JSON:
        if kind == "boolean":
            return self._rng.random() < 0.5
        if kind == "null":
            return None
        if kind in ("integer", "number"):
            return self._a_number(kind, schema, name)
        text = f"{MARK} {name or 'text'} {self._rng.choice(_WORDS)}"
        text = text.ljust(int(min(_number(schema, "minLength", 0), _MAX_TEXT)), ".")
        return text[: int(max(0, _number(schema, "maxLength", _MAX_TEXT)))]

    def _a_number(self, kind: str, schema: Mapping[str, JSON], name: str) -> int | float:
        low, high = _bounds(schema, 1 if kind == "integer" else 1e-3)
        if name == "confidence" and low <= 1 <= high:
            return 1 if kind == "integer" else 1.0
        if kind == "number":
            return min(max(round(self._rng.uniform(low, high), 3), low), high)
        first, last = -int(-low // 1), int(high // 1)
        return self._rng.randint(first, max(first, last))


def _bounds(schema: Mapping[str, JSON], step: float) -> tuple[float, float]:
    """The range a number may be in; without one it is 0 to 100, moved to where the one given limit is."""
    low = max(_number(schema, "minimum", -1e15), _number(schema, "exclusiveMinimum", -1e15) + step)
    high = min(_number(schema, "maximum", 1e15), _number(schema, "exclusiveMaximum", 1e15) - step)
    if low <= -1e15 + step:
        low = min(0.0, high - 100) if high < 0 else 0.0
    if high >= 1e15 - step:
        high = max(100.0, low + 100)
    return low, max(low, high)


def _kind_of(schema: Mapping[str, JSON]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _united(parts: list[JSON]) -> dict[str, JSON]:
    joined: dict[str, JSON] = {}
    for part in parts:
        if isinstance(part, Mapping):
            both = {
                word: {**_mapping(joined, word), **_mapping(part, word)} for word in ("properties",) if word in part
            }
            required = [*_list(joined, "required", str), *_list(part, "required", str)]
            joined = {**joined, **part, **both, **({"required": required} if required else {})}
    return joined


def _number(schema: Mapping[str, JSON], word: str, default: float) -> float:
    value = schema.get(word, default)
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e15
    return value if good else default


def _mapping(schema: Mapping[str, JSON], word: str) -> Mapping[str, JSON]:
    value = schema.get(word)
    return value if isinstance(value, Mapping) else {}


def _list(schema: Mapping[str, JSON], word: str, kind: type = object) -> list[JSON]:
    value = schema.get(word)
    return [item for item in value if isinstance(item, kind)] if isinstance(value, list) else []
