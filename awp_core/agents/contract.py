"""What an agent must answer: take the JSON object out of its text, and check it against the agent's schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from awp_core.errors import AwpError
from awp_core.values import ValueProblem, check_json, load_json, shorten

JSON = Any
_CANDIDATES: Final = 100  # objects looked at in one text
_LISTED: Final = 5  # problems that are told to the agent


class ContractError(AwpError):
    """A schema that is no JSON Schema; the agent cannot be called with it."""


def read_answer(answer: JSON, schema: Mapping[str, JSON] | None) -> tuple[dict[str, JSON], str]:
    """Return the object in an answer, and what is wrong with it ("" if nothing).

    Without a schema a text without an object is `{"text": …}`.

    Raises:
        ContractError: The schema itself is wrong.
    """
    found = parse_object(answer) if isinstance(answer, str) else answer
    if not isinstance(found, dict):
        if schema is None and isinstance(answer, str):
            found = {"text": answer}
        else:
            return {}, "it holds no complete JSON object"
    try:
        check_json(found, "answer")
    except ValueProblem as exc:
        return {}, exc.message
    return found, misfit(found, schema) if schema is not None else ""


def misfit(value: JSON, schema: Mapping[str, JSON]) -> str:
    """Say where a value does not fit a draft-07 schema, "" if it does; references are never fetched.

    Raises:
        ContractError: The schema itself is wrong.
    """
    from jsonschema import Draft7Validator  # slow to import, and needed only by agents with a schema
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        Draft7Validator.check_schema(dict(schema))
        errors = list(islice(Draft7Validator(dict(schema), registry=Registry()).iter_errors(value), _LISTED))
    except (SchemaError, Unresolvable, RecursionError, re.error) as exc:
        reason = shorten(str(exc).partition("\n")[0] or type(exc).__name__, 300)
        raise ContractError(f"its output schema is wrong: {reason}", hint="correct `output.schema`") from exc
    return "; ".join(f"{error.json_path}: {shorten(error.message, 200)}" for error in errors)


def parse_object(text: str) -> dict[str, JSON] | None:
    """Take a JSON object out of a model's text: all of it, a fenced block, or the first that is complete.

    An object that was cut off gives nothing, not one of its parts.

    >>> parse_object('Sure! {"a": {"b": 1}} Anything else?')
    {'a': {'b': 1}}
    """
    whole = _loaded(text.strip())
    if whole is not _NOTHING:
        return whole if isinstance(whole, dict) else None
    for block in text.split("```")[1::2]:
        found = _loaded(block.removeprefix("json").strip())
        if isinstance(found, dict):
            return found
    start = text.find("{")
    for _ in range(_CANDIDATES):
        end = _end_of_object(text, start) if start >= 0 else 0
        if not end:
            break
        found = _loaded(text[start:end])
        if isinstance(found, dict) and found:  # `{}` within prose or code is no answer
            return found
        start = text.find("{", end)
    return None


_NOTHING: Final = object()


def _loaded(text: str) -> JSON:
    try:
        return load_json(text)
    except ValueProblem:
        return _NOTHING


def _end_of_object(text: str, start: int) -> int:
    """Return where the brace at `start` is closed, 0 if it never is. Braces within strings do not count."""
    depth, quoted, escaped = 0, False, False
    for position in range(start, len(text)):
        sign = text[position]
        if quoted:
            quoted = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            quoted = True
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                return position + 1
    return 0
