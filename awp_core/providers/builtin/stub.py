"""`stub`: canned answers that say so; deterministic, offline, never taken for a model."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from awp_core.errors import AwpError, EngineUnavailableError
from awp_core.providers.base import Provider, ProviderType, Request, Response
from awp_core.providers.instances import MARK, instance
from awp_core.values import canonical_json, check_json, dump_json

JSON = Any
NOTE: Final = "stub: canned answers"
ANSWERS: Final = "AWP_STUB_ANSWERS"
"""Environment variable: a YAML or JSON file that maps an agent to its answer, or to a list of answers in turn."""


class StubProvider:
    """Answers from a file, else with an instance of the wanted schema seeded by the agent and what it sees.

    Args:
        answers: An answer, or a list of them, by agent; after the last of a list it is given again.
    """

    name = "stub"

    def __init__(self, answers: Mapping[str, JSON] | None = None) -> None:
        self._answers = answers or {}
        self._given: Counter[str] = Counter()

    async def complete(self, request: Request) -> Response:
        """Answer a request; the same request gets the same answer."""
        if request.agent in self._answers:
            return self._canned(request.agent)
        rng = random.Random(_seed(request))  # noqa: S311 - repeatable on purpose
        if request.schema is not None:
            return Response("", NOTE, value=instance(request.schema, rng))
        value = {"text": f"{MARK} {request.agent or 'agent'}: {NOTE}", "confidence": 1.0}
        classes = request.visible.get("classes")  # a `route` that classifies asks this way
        if isinstance(classes, list) and classes and all(isinstance(name, str) for name in classes):
            value["class"] = rng.choice(classes)
        return Response("", NOTE, value=value)

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _canned(self, agent: str) -> Response:
        answer = self._answers[agent]
        if isinstance(answer, list) and answer:
            answer = answer[min(self._given[agent], len(answer) - 1)]
            self._given[agent] += 1
        return Response(answer if isinstance(answer, str) else dump_json(answer).decode(), NOTE)


def _seed(request: Request) -> bytes:
    material = canonical_json([request.agent, dict(request.inputs), dict(request.visible)])
    return hashlib.sha256(material).digest()


def read_answers(path: Path) -> dict[str, JSON]:
    """Read a file of canned answers.

    Raises:
        EngineUnavailableError: It cannot be read, or is no mapping.
    """
    from awp_core.manifest.source import parse_document

    try:
        document = parse_document(path.read_bytes(), str(path))
    except OSError as exc:
        raise EngineUnavailableError(f"{ANSWERS}: cannot read {str(path)!r}: {exc.strerror}") from exc
    if document.problems:
        raise EngineUnavailableError(f"{ANSWERS}: {str(path)!r}: {document.problems[0].message}")
    if not isinstance(document.data, dict):
        raise EngineUnavailableError(f"{ANSWERS}: {str(path)!r} must map agents to answers")
    check_json(document.data, "answers")
    return {str(agent): answer for agent, answer in document.data.items()}


def _create(environ: Mapping[str, str]) -> Provider:
    path = environ.get(ANSWERS, "")
    return StubProvider(read_answers(Path(path)) if path else None)


def _missing(environ: Mapping[str, str]) -> str:
    try:
        _create(environ)
    except AwpError as error:
        return error.message
    return ""


PROVIDER = ProviderType("stub", "Canned answers; offline, the default.", _create, _missing)
