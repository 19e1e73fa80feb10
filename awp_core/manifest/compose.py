"""Build data with positions from YAML events, whichever scanner they come from.

The limits stand here and not in a scanner, so they hold with and without libyaml (spec 01).
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from awp_core.diagnostics.model import Severity
from awp_core.errors import AwpError, nearest
from awp_core.manifest.scalars import (
    MAPPING_TAGS,
    SEQUENCE_TAGS,
    TAG_HINT,
    Scalar,
    ScalarError,
    brief,
    resolve_plain,
    resolve_tagged,
    short_tag,
)
from awp_core.manifest.scanner import NextEvent

MAX_NODES = 250_000
"""Most keys and values in one document, each alias counted as what it stands for."""
MAX_DEPTH = 100
"""Deepest nesting, aliases included."""
MAX_PROBLEMS = 200
"""Most problems listed for one document."""

DUPLICATE_HINT = "rename one of them, or remove it"
TEMPLATE_HINT = "put it in quotes: '{{ name }}'"

_BROKEN_PATH = re.compile(r'"[A-Za-z]:\\[abefnrtv0]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_PROPERTIES = re.compile(r"\A(?:[&!]\S*\s+)*")


class Problem(NamedTuple):
    """What is wrong at a character offset."""

    offset: int
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    first: int | None = None
    """Offset of an earlier place whose line number the message ends with."""


class RefusedError(AwpError):
    """The document breaks a limit; nothing after `problem` is read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message, hint=problem.hint)
        self.problem = problem


class Node:
    """A value and where it stands: offsets into the text, and the same for its children.

    Attributes:
        value: The plain data; shared between an anchor and its aliases.
        start: Offset of its first character, anchor and tag included.
        end: Offset behind its last character.
        style: "|", ">", '"', "'" for a scalar written so; "" otherwise.
        children: Of a mapping: key to (offset of the key, child). Of a sequence: the items. Else None.
    """

    __slots__ = ("children", "end", "start", "style", "value")

    def __init__(self, value: object, start: int, end: int, style: str, children: Children | None = None) -> None:
        self.value = value
        self.start = start
        self.end = end
        self.style = style
        self.children = children


Children = dict[str, tuple[int, Node]] | list[Node]


class _Anchor(NamedTuple):
    node: Node
    size: int
    height: int


class Composer:
    """Read one document from a stream of events.

    Args:
        next_event: Returns the next event; may raise the scanner's own error.
        text: The text the events come from.
        restore: Table for `str.translate` from characters hidden from the scanner to the real ones.
    """

    def __init__(self, next_event: NextEvent, text: str, restore: dict[int, str]) -> None:
        self.problems: list[Problem] = []
        self._next = next_event
        self._text = text
        self._restore = restore
        self._anchors: dict[str, _Anchor | None] = {}
        self._count = 0
        self._deepest = 0

    def compose(self) -> Node | None:
        """Return the document's root, or None when there is no document.

        Raises:
            RefusedError: A limit is exceeded, or there is more than one document.
        """
        self._next()  # the start of the stream
        if isinstance(self._next(), StreamEndEvent):
            return None
        root = self._node(self._next(), 1)
        self._next()  # the end of the document
        after = self._next()
        if isinstance(after, DocumentStartEvent):
            raise RefusedError(
                Problem(
                    _start(after),
                    "a second document starts here; a file holds exactly one",
                    "remove this '---' line, or move what follows to a file of its own",
                )
            )
        return root

    def _node(self, event: Event, depth: int) -> Node:
        if isinstance(event, ScalarEvent) and event.anchor is None:
            self._count_values(event)
            return self._scalar(event)
        if isinstance(event, AliasEvent):
            return self._alias(event, depth)
        self._enter(event, depth)
        anchor = event.anchor if isinstance(event, NodeEvent) else None
        if anchor is None:
            return self._content(event, depth)
        before, deepest = self._count, self._deepest
        self._anchors[anchor] = None
        self._deepest = depth
        node = self._content(event, depth)
        self._anchors[anchor] = _Anchor(node, self._count - before + 1, self._deepest - depth)
        self._deepest = max(deepest, self._deepest)
        return node

    def _content(self, event: Event, depth: int) -> Node:
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, depth)
        assert isinstance(event, MappingStartEvent)  # noqa: S101  the parser emits no other node
        return self._mapping(event, depth)

    def _enter(self, event: Event, depth: int, size: int = 1, height: int = 0) -> None:
        """Count what comes, and refuse the document when it is too much or too deep."""
        self._count_values(event, size)
        self._deepest = max(self._deepest, depth + height)
        if depth + height > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            raise RefusedError(Problem(_start(event), message, "use a flatter structure"))

    def _count_values(self, event: Event, size: int = 1) -> None:
        self._count += size
        if self._count > MAX_NODES:
            message = f"the document holds more than {MAX_NODES:,} keys and values"
            hint = "each alias counts as everything it stands for" if self._anchors else "split the file"
            raise RefusedError(Problem(_start(event), message, hint))

    def _report(self, problem: Problem) -> None:
        if len(self.problems) == MAX_PROBLEMS:
            message = f"more than {MAX_PROBLEMS} problems; the rest is not listed"
            raise RefusedError(Problem(problem.offset, message, "correct the ones above first"))
        self.problems.append(problem)

    def _scalar(self, event: ScalarEvent) -> Node:
        style = event.style or ""
        text = self._content_text(event)
        value: Scalar = text
        start = _start(event)
        try:
            if event.tag is not None:
                value = resolve_tagged(text, event.tag)
            elif not style:
                value = resolve_plain(text)
        except ScalarError as exc:
            self._report(Problem(start, exc.message, exc.hint))
        return Node(value, start, _end(event), style)

    def _content_text(self, event: ScalarEvent) -> str:
        """Return the text of a scalar with hidden characters restored and JSON's surrogate pairs joined."""
        text: str = event.value
        if self._restore:
            text = text.translate(self._restore)
        if event.style == '"' and _SURROGATE.search(text):
            units = text.encode("utf-16-le", "surrogatepass")
            text = units.decode("utf-16-le", "replace")
            if text.encode("utf-16-le") != units:
                hint = "write the character itself instead of half of an escape pair"
                self._report(Problem(_start(event), "half of a surrogate pair is no character", hint))
        if event.style == '"' and _BROKEN_PATH.match(self._text, _start(event)):
            message = "a backslash in this path became a control character"
            hint = "use single quotes, or double the backslashes"
            self._report(Problem(_start(event), message, hint, Severity.WARNING))
        return text

    def _alias(self, event: AliasEvent, depth: int) -> Node:
        start = _start(event)
        name = event.anchor or ""
        shown = brief(name)
        anchor = self._anchors.get(name)
        if anchor is not None:
            self._enter(event, depth, anchor.size, anchor.height)
            return anchor.node
        if name in self._anchors:
            message = f"the alias '*{shown}' stands inside the value it refers to"
            raise RefusedError(Problem(start, message, "a value cannot contain itself"))
        close = nearest(shown, [brief(anchor) for anchor in islice(self._anchors, 100)])
        hint = f"did you mean '*{close}'?" if close else "put it in quotes if the '*' belongs to the text"
        self._report(Problem(start, f"the alias '*{shown}' has no anchor '&{shown}' before it", hint))
        return Node(None, start, _end(event), "")

    def _sequence(self, event: SequenceStartEvent, depth: int) -> Node:
        self._check_tag(event, SEQUENCE_TAGS)
        items: list[Node] = []
        while True:
            item = self._next()
            if isinstance(item, SequenceEndEvent):
                break
            items.append(self._node(item, depth + 1))
        values = [node.value for node in items]
        return Node(values, _start(event), _end(item), "", items)

    def _mapping(self, event: MappingStartEvent, depth: int) -> Node:
        self._check_tag(event, MAPPING_TAGS)
        children: dict[str, tuple[int, Node]] = {}
        merges: dict[str, tuple[int, Node]] = {}
        while True:
            key_event = self._next()
            if isinstance(key_event, MappingEndEvent):
                break
            key = self._key(key_event, depth)
            child = self._node(self._next(), depth + 1)
            if key is None:
                continue
            start = _start(key_event)
            if child.start == child.end:  # the scanners place a missing value differently
                child.start = child.end = _end(key_event)
            target = merges if key == "<<" and _is_plain(key_event) else children
            if key in target:
                self._duplicate(key, start, target[key][0])
            else:
                target[key] = (start, child)
        if merges:
            children = {**self._merged(merges["<<"][1]), **children}
        data = {key: child.value for key, (_, child) in children.items()}
        return Node(data, _start(event), _end(key_event), "", children)

    def _key(self, event: Event, depth: int) -> str | None:
        """Return a key as text: `1`, `true` and `null` as they are written; None when it cannot be one."""
        if isinstance(event, ScalarEvent) and event.anchor is None and event.tag is None:
            self._count_values(event)
            return self._content_text(event)
        node = self._node(event, depth + 1)
        if node.children is None:
            return node.value if isinstance(node.value, str) else written(self._text, node)
        start = _start(event)
        if self._text[max(start - 1, 0) : start + 1] == "{{":
            self._report(Problem(start - 1, "'{{' starts a YAML mapping here, not a template", TEMPLATE_HINT))
        else:
            hint = "put it in quotes if the bracket belongs to the text"
            self._report(Problem(start, "a list or a mapping cannot be a key", hint))
        return None

    def _duplicate(self, key: str, start: int, first: int) -> None:
        # The first line is a number only the caller's `Lines` can tell, so it is filled in there.
        self._report(Problem(start, f"the key {brief(key)!r} is there twice", DUPLICATE_HINT, first=first))

    def _merged(self, node: Node) -> dict[str, tuple[int, Node]]:
        """Return the entries `<<` brings in; of several mappings the first wins."""
        merged: dict[str, tuple[int, Node]] = {}
        for source in node.children if isinstance(node.children, list) else [node]:
            if isinstance(source.children, dict):
                for key, entry in source.children.items():
                    merged.setdefault(key, entry)
            else:
                message = "'<<' merges mappings, and this is none"
                self._report(Problem(source.start, message, "write '<<: *name' for an anchor '&name' of a mapping"))
        return merged

    def _check_tag(self, event: SequenceStartEvent | MappingStartEvent, allowed: frozenset[str]) -> None:
        if event.tag is not None and event.tag not in allowed:
            message = f"the tag {short_tag(event.tag)!r} is not supported here"
            self._report(Problem(_start(event), message, TAG_HINT))


def _start(event: Event) -> int:
    mark = event.start_mark
    return mark.index if mark is not None else 0


def _end(event: Event) -> int:
    mark = event.end_mark
    return mark.index if mark is not None else 0


def _is_plain(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and not event.style and event.tag is None


def written(text: str, node: Node) -> str:
    """Return a scalar as it is written, without its anchor and tag."""
    return _PROPERTIES.sub("", text[node.start : node.end], count=1)
