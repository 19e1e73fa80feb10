"""`stub`: canned answers that say so; deterministic, offline, never taken for a model."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import Any

from awp_core.providers.base import Provider, ProviderType, Request, Response
from awp_core.values import canonical_json

JSON = Any
NOTE = "stub: canned answers"
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
_DEPTH = 8


class StubProvider:
    """Answers with an instance of the wanted schema, seeded by the agent and what it sees."""

    name = "stub"

    async def complete(self, request: Request) -> Response:
        """Answer a request; the same request gets the same answer."""
        if request.schema is None:
            return Response("", NOTE, value={"text": f"[stub] {request.agent or 'agent'}: a canned answer", "confidence": 1.0})
        material = canonical_json([request.agent, dict(request.inputs), dict(request.visible)])
        rng = random.Random(hashlib.sha256(material).digest())  # noqa: S311 - repeatable on purpose
        return Response("", NOTE, value=instance(request.schema, rng))

    async def aclose(self) -> None:
        """Nothing to give back."""


def instance(schema: Mapping[str, JSON], rng: random.Random, name: str = "", depth: int = 0) -> JSON:
    """Return a value that fits a JSON Schema, as far as a stub can know."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return rng.choice(list(schema["enum"]))
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if name == "confidence" and kind == "number":
        return 1.0
    if kind == "object":
        wanted = schema.get("properties") or {}
        return {} if depth > _DEPTH else {key: instance(part, rng, key, depth + 1) for key, part in wanted.items() if isinstance(part, dict)}
    if kind == "array":
        count = max(int(schema.get("minItems", 2)), 0)
        items = schema.get("items")
        return [instance(items if isinstance(items, dict) else {}, rng, name, depth + 1) for _ in range(min(count, 50))]
    return _scalar(str(kind), schema, rng, name)


def _scalar(kind: str, schema: Mapping[str, JSON], rng: random.Random, name: str) -> JSON:
    low, high = schema.get("minimum", 0), schema.get("maximum", 100)
    if kind == "integer":
        return rng.randint(int(low), max(int(low), int(high)))
    if kind == "number":
        return round(rng.uniform(float(low), max(float(low), float(high))), 3)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    text = f"[stub] {name or 'text'} {rng.choice(_WORDS)}"
    text = text.ljust(int(schema.get("minLength", 0)), ".")
    return text[: int(schema["maxLength"])] if "maxLength" in schema else text


def _create(_environ: Mapping[str, str]) -> Provider:
    return StubProvider()


PROVIDER = ProviderType("stub", "Canned answers; offline, the default.", _create)
