"""Replace secrets before anything leaves the engine (spec 01, Processing order 7).

Each secret is looked for as it is, escaped for JSON and in Python's quoting, URL-encoded and in base64. Text
inside a longer base64 text can start at three byte positions, each with its own spelling. The characters that
depend on the secret alone are searched for, and the one on each side that holds some of its bits goes too.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote, quote_plus

from awp_core.values import MAX_DEPTH, ValueProblem, dump_json

JSON = Any
T = TypeVar("T")
MARK: Final = "[REDACTED]"
SHORT: Final = 4  # characters; a shorter secret is replaced as a whole token only
MIN_NUMBER: Final = 3  # digits; a number of one or two is everywhere, and says nothing
_LINE: Final = 16  # characters; a longer line of a secret in several lines, such as a key, is a secret itself
_LEARNED: Final = 200  # values of sensitive fields that are remembered
_LEARNED_LENGTH: Final = 10_000
_BASE64: Final = "[A-Za-z0-9+/_-]"
_ESCAPED: Final = re.compile(r"%[0-9A-F]{2}|\\u[0-9a-f]{4}")


class Redactor:
    """Replaces secrets in texts and JSON values.

    Looking costs one serialisation of the value and a few searches. Only a value with a hit is walked.

    Args:
        secrets: Secret values by name, of environment variables and providers. Empty ones are ignored.
        fields: Names of sensitive fields. What stands under one is replaced, whatever it is, and remembered
            as a secret: text and numbers of at least 4 characters are replaced elsewhere too, from then on.
    """

    def __init__(self, secrets: Mapping[str, JSON], fields: Iterable[str] = ()) -> None:
        self._secrets = {text for value in secrets.values() if value is not None for text in _spellings(str(value))}
        self._fields = frozenset(fields)
        self._field_marks = tuple(dump_json(name).decode() for name in self._fields)
        self._learned = 0
        self._compile()

    @property
    def enabled(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._secrets or self._fields)

    def field(self, names: Iterable[str]) -> Redactor:
        """Return a redactor that also replaces whatever stands under these field names."""
        other = Redactor({}, self._fields.union(names))
        other._secrets = set(self._secrets)
        other._compile()
        return other

    def text(self, text: str) -> str:
        """Return the text with every secret replaced."""
        if self._pattern is None or not _has_any(self._needles, text):
            return text
        return self._replace(text)

    def clean(self, value: T) -> T:
        """Return the value with every secret replaced, in keys too; the same object when there is none.

        Only what changes is copied.
        """
        if not self.enabled or not self._may_contain(value):
            return value
        if self._fields:
            self._learn(value)
        cleaned: T = self._walk(value, 0)
        return cleaned

    def _compile(self) -> None:
        short = {secret for secret in self._secrets if len(secret) < SHORT}
        patterns = {form: re.escape(form) for secret in self._secrets - short for form in _forms(secret)}
        for secret in self._secrets - short:
            patterns |= dict(_base64_cores(secret))
        for secret in short:
            patterns |= {form: _as_token(form) for form in (*_forms(secret), *_base64_whole(secret))}
        longest_first = sorted(patterns, key=len, reverse=True)
        # A lookahead finds overlapping secrets, which `re.sub` would cut in two.
        found = "|".join(patterns[form] for form in longest_first)
        self._pattern = re.compile(f"(?=({found}))") if found else None
        self._needles = _shortest(patterns)
        # A needle with half a character is left out: a value that holds one cannot be written, and is walked.
        writable = filter(_is_unicode, self._needles)
        self._line_needles = tuple(dump_json(needle)[1:-1].decode() for needle in writable)
        self._numbers = frozenset(secret for secret in self._secrets if len(secret) >= MIN_NUMBER)

    def _may_contain(self, value: JSON) -> bool:
        try:
            line = dump_json(value).decode()  # text is searched several times faster than bytes
        except ValueProblem:
            return True
        return _has_any(self._line_needles, line) or _has_any(self._field_marks, line)

    def _replace(self, text: str) -> str:
        if self._pattern is None:
            return text
        parts: list[str] = []
        end = 0
        for start, stop in _merged(match.span(1) for match in self._pattern.finditer(text)):
            parts += [text[end:start], MARK]
            end = stop
        return "".join((*parts, text[end:])) if parts else text

    def _walk(self, value: JSON, depth: int) -> JSON:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return MARK if str(value) in self._numbers else value
        if depth > MAX_DEPTH:
            return MARK
        if isinstance(value, Mapping):
            return self._walk_mapping(value, depth)
        if isinstance(value, list | tuple):
            items = [self._walk(item, depth + 1) for item in value]
            return value if all(map(_same, items, value)) else items
        return value

    def _walk_mapping(self, value: Mapping[JSON, JSON], depth: int) -> Mapping[JSON, JSON]:
        cleaned: dict[JSON, JSON] = {}
        changed = False
        for key, item in value.items():
            name = self.text(key) if isinstance(key, str) else key
            new = MARK if key in self._fields else self._walk(item, depth + 1)
            changed = changed or name is not key or new is not item
            cleaned[_free(name, cleaned)] = new
        return cleaned if changed else value

    def _learn(self, value: JSON) -> None:
        """Remember what stands under sensitive fields, before the value is cleaned."""
        texts = {text for item in _under(value, self._fields, 0) for text in _spellings(item)}
        new = {text for text in texts if SHORT <= len(text) <= _LEARNED_LENGTH} - self._secrets
        if new and self._learned < _LEARNED:
            self._learned += len(new)
            self._secrets |= new
            self._compile()


def _spellings(secret: str) -> Iterator[str]:
    """Yield a secret, without surrounding space, and the long lines of one that has several."""
    stripped = secret.strip()
    if not stripped:
        return
    yield stripped
    if "\n" in stripped:
        yield stripped.replace("\r\n", "\n")
        yield from (line.strip() for line in stripped.splitlines() if len(line.strip()) >= _LINE)


def _forms(secret: str) -> set[str]:
    """Return how a text may be written: plain, in JSON, JSON inside JSON, Python's quotes, and in a URL."""
    forms = {secret, repr(secret)[1:-1]}
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        forms |= {once, once.replace("/", "\\/"), json.dumps(once, ensure_ascii=ascii_only)[1:-1]}
    data = secret.encode("utf-8", "surrogatepass")
    forms |= {quote(data), quote(data, safe=""), quote_plus(data)}
    return forms | {_ESCAPED.sub(_other_case, form) for form in forms}


def _other_case(match: re.Match[str]) -> str:
    text = match[0]
    return text.lower() if text[0] == "%" else text[:2] + text[2:].upper()


def _base64_cores(secret: str) -> Iterator[tuple[str, str]]:
    """Yield what of each base64 spelling depends on the secret alone, and a pattern for the whole."""
    data = secret.encode("utf-8", "surrogatepass")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for offset in range(3):
            bits = (offset + len(data)) * 8
            first = -(-offset * 8 // 6)
            core = encode(b"\0" * offset + data).decode()[first : bits // 6]
            before = f"{_BASE64}?" if offset else ""
            after = f"{_BASE64}?={{0,2}}" if bits % 6 else ""
            yield core, before + re.escape(core) + after


def _base64_whole(secret: str) -> set[str]:
    data = secret.encode("utf-8", "surrogatepass")
    padded = {encode(data).decode() for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    return padded | {text.rstrip("=") for text in padded}


def _as_token(form: str) -> str:
    """Return a pattern for a short secret: not inside a longer word, or a longer run of signs."""

    def edge(character: str) -> str:
        return r"\w" if re.match(r"\w", character) else r"[^\w\s\"']"

    return f"(?<!{edge(form[0])}){re.escape(form)}(?!{edge(form[-1])})"


def _shortest(needles: Iterable[str]) -> tuple[str, ...]:
    """Drop every needle that contains another; the shorter one finds both."""
    kept: list[str] = []
    for needle in sorted(needles, key=len):
        if not any(shorter in needle for shorter in kept):
            kept.append(needle)
    return tuple(kept)


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join overlapping spans; they come in the order of their start."""
    start = end = -1
    for next_start, next_end in spans:
        if next_start >= end:
            if start >= 0:
                yield start, end
            start = next_start
        end = max(end, next_end)
    if start >= 0:
        yield start, end


def _under(value: JSON, fields: frozenset[str], depth: int, *, inside: bool = False) -> Iterator[str]:
    """Yield each text and number that stands under one of the fields, at any depth."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _under(item, fields, depth + 1, inside=inside or key in fields)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _under(item, fields, depth + 1, inside=inside)
    elif inside and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _free(name: JSON, taken: Mapping[JSON, JSON]) -> JSON:
    """Return a key that is not taken: two keys may be alike once redacted."""
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def _has_any(needles: tuple[str, ...], text: str) -> bool:
    for needle in needles:  # noqa: SIM110 - `any` with a generator takes twice as long
        if needle in text:
            return True
    return False


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _same(left: JSON, right: JSON) -> bool:
    return left is right
