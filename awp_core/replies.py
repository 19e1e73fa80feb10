"""Answers given in advance: `--reply`, a replies file, or the variable AWP_REPLIES (spec 07)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from awp_core.errors import UsageError
from awp_core.values import ValueProblem, load_json

VARIABLE = "AWP_REPLIES"


def read_changes(texts: Sequence[str]) -> dict[str, Any]:
    """Read `node.field=value` arguments of a fork; a value that is no JSON is text, and one of an input stays text.

    Raises:
        UsageError: One has no `=`.

    >>> read_changes(["draft.n=3", "inputs.who=Ada"])
    {'draft.n': 3, 'inputs.who': 'Ada'}
    """
    changes: dict[str, Any] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise UsageError(f"{text!r} changes nothing", hint="write node.field=value, or inputs.name=value")
        changes[path] = value
        if not path.startswith("inputs."):  # those are read by their declared type
            with suppress(ValueProblem):
                changes[path] = load_json(value.encode())
    return changes


def gather_replies(texts: Sequence[str], file: Path | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return answers by node; what is said closest to the run wins.

    Args:
        texts: `NODE=VALUE` from the command line or the magic.
        file: A YAML or JSON file with a mapping.
        environ: Where AWP_REPLIES may hold JSON or the path of such a file.

    Raises:
        UsageError: One of them cannot be read.
    """
    replies: dict[str, Any] = {}
    setting = environ.get(VARIABLE, "").strip()
    if setting:
        replies |= _mapping(setting, VARIABLE) if setting.startswith("{") else _read(Path(setting))
    if file is not None:
        replies |= _read(file)
    for text in texts:
        node, equals, value = text.partition("=")
        if not equals or not node:
            raise UsageError(f"{text!r} is no reply", hint="write NODE=VALUE")
        replies[node] = value
    return replies


def _read(path: Path) -> dict[str, Any]:
    try:
        return _mapping(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(f"cannot read the replies file {str(path)!r}: {exc}") from exc


def _mapping(text: str, where: str) -> dict[str, Any]:
    from awp_core.manifest.source import parse_document

    try:
        data = json.loads(text)
    except ValueError:
        document = parse_document(text, where)
        if document.problems:
            raise UsageError(f"{where}: {document.problems[0].message}") from None
        data = document.data
    if not isinstance(data, dict):
        raise UsageError(f"{where}: must map nodes to answers")
    return {str(node): value for node, value in data.items()}
