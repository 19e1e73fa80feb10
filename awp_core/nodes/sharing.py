"""What `share_input` lets through to a node (spec 02, Loops, fan-out, subworkflows)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

JSON = Any
Select = Callable[[str], JSON]
Share = list[str] | Mapping[str, JSON]


def shared_values(share: Share, select: Select) -> dict[str, JSON]:
    """Return what an agent may see, by source: only the named nodes and fields.

    Args:
        share: `[draft, review.score]`, or `{review: [score]}`; a source with `true` or `"*"` is shared whole, and
            `{name: node.field}` gives a value a name of its own.
        select: Returns the value at a selector.

    >>> state = {"draft": {"text": "Hi"}, "review.score": 7}
    >>> shared_values(["draft", "review.score"], state.get)
    {'draft': {'text': 'Hi'}, 'review': {'score': 7}}
    """
    values: dict[str, JSON] = {}
    for part in _parts(share):
        if part.field is None:
            values[part.source] = select(part.selector)
            continue
        fields = values.setdefault(part.source, {})
        if isinstance(fields, dict):  # else the whole of it is shared already
            values[part.source] = {**fields, part.field: select(part.selector)}
    return values


def shared_inputs(share: Share, select: Select) -> dict[str, JSON]:
    """Return inputs for a subworkflow: each field under its own name.

    Args:
        share, select: As for `shared_values`.

    >>> shared_inputs({"who": "intake.name", "review": ["score"]}, {"intake.name": "Ada", "review.score": 7}.get)
    {'who': 'Ada', 'score': 7}
    """
    return {(part.field or part.source).rpartition(".")[2]: select(part.selector) for part in _parts(share)}


def share_selectors(share: Share) -> list[str]:
    """Return every selector in a `share_input`, for rule N5."""
    return [part.selector for part in _parts(share)]


class _Part(NamedTuple):
    """A source or a name, one of its fields (None for all of it), and where the value is."""

    source: str
    field: str | None
    selector: str


def _parts(share: Share) -> Iterator[_Part]:
    if not isinstance(share, Mapping):
        for selector in share:
            source, dot, field = selector.partition(".")
            yield _Part(source, field if dot else None, selector)
        return
    for source, fields in share.items():
        if isinstance(fields, list) and fields:
            yield from (_Part(source, str(field), f"{source}.{field}") for field in fields)
        elif isinstance(fields, str) and "." in fields:
            yield _Part(source, None, fields)
        elif isinstance(fields, str) and fields != "*":
            yield _Part(source, fields, f"{source}.{fields}")
        elif fields is not False and fields != []:
            yield _Part(source, None, source)
