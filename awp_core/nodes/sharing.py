"""What `share_input` lets through to a node (spec 02, Loops, fan-out, subworkflows)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

JSON = Any
Select = Callable[[str], JSON]
Share = list[str] | Mapping[str, JSON]


def shared_values(share: Share, select: Select) -> dict[str, JSON]:
    """Return what an agent may see, by source: only the named nodes and fields.

    Args:
        share: `[draft, review.score]`, or `{review: [score]}`; a source with `true` or `"*"` is shared whole.
        select: Returns the value at a selector.

    >>> state = {"draft": {"text": "Hi"}, "review.score": 7}
    >>> shared_values(["draft", "review.score"], state.get)
    {'draft': {'text': 'Hi'}, 'review': {'score': 7}}
    """
    values: dict[str, JSON] = {}
    for source, field in _parts(share):
        if field is None:
            values[source] = select(source)
        else:
            fields = values.setdefault(source, {})
            if isinstance(fields, dict):  # else the whole of it is shared already
                values[source] = {**fields, field: select(f"{source}.{field}")}
    return values


def shared_inputs(share: Share, select: Select) -> dict[str, JSON]:
    """Return inputs for a subworkflow: each field under its own name.

    Args:
        share: As for `shared_values`; `{name: selector}` also gives an input a name of its own.
        select: Returns the value at a selector.

    >>> shared_inputs({"who": "intake.name", "review": ["score"]}, {"intake.name": "Ada", "review.score": 7}.get)
    {'who': 'Ada', 'score': 7}
    """
    values: dict[str, JSON] = {}
    named = share.items() if isinstance(share, Mapping) else ()
    for name, selector in named:
        if isinstance(selector, str) and selector != "*":
            values[name] = select(selector)
    rest = {name: fields for name, fields in named if name not in values} if isinstance(share, Mapping) else share
    for source, field in _parts(rest):
        name = (field or source).rpartition(".")[2]
        values[name] = select(source if field is None else f"{source}.{field}")
    return values


def share_selectors(share: Share) -> list[str]:
    """Return every selector in a `share_input`, for rule N5."""
    values = share.values() if isinstance(share, Mapping) else ()
    named = [value for value in values if isinstance(value, str) and "." in value]
    return named + [source if field is None else f"{source}.{field}" for source, field in _parts(share)]


def _parts(share: Share) -> Iterator[tuple[str, str | None]]:
    """Yield each source with one of its fields, or None for all of it."""
    if isinstance(share, Mapping):
        for source, fields in share.items():
            if isinstance(fields, list) and fields:
                yield from ((source, str(field)) for field in fields)
            elif isinstance(fields, str) and fields != "*":
                yield source, fields
            elif fields is not False and fields != []:
                yield source, None
        return
    for selector in share:
        source, dot, field = selector.partition(".")
        yield source, field if dot else None
