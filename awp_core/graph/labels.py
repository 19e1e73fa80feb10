"""Text that comes from outside, made fit to be drawn: harmless, on one line, of known width.

Labels are hostile: a node id can hold a line break, a control that reverses the text after it, half of a
surrogate pair, or a thousand accents on one letter. `clean` makes all of that visible instead of effective.
"""

from __future__ import annotations

import unicodedata
from html import escape

ELLIPSIS = "…"

LONGEST = 300
"""A label is cut here before anything looks at it, so that no text can make a picture slow."""

_JOINERS = "\u200c\u200d"  # invisible, but words in Persian and many emoji need them
_MOST_MARKS = 4  # accents on one letter; more would draw over the neighbours

_NARROW = frozenset("ijlI|!.,:;'` ")
_SLIM = frozenset('ftr()[]{}-/\\"*')
_BROAD = frozenset("mwMW@%&")


def clean(text: str) -> str:
    r"""Return `text` as one harmless line: controls shown as pictures or `\u…`, at most `LONGEST` characters.

    >>> print(clean("a\nb"), clean("pay\u202eeve"))
    a␊b pay\u202eeve
    """
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + ELLIPSIS
    if cut.isascii() and cut.isprintable():
        return cut
    shown: list[str] = []
    marks = 0
    for char in cut:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks <= _MOST_MARKS:
            shown.append(_visible(char))
    return "".join(shown)


def xml_text(text: str) -> str:
    """Return `text` cleaned and escaped for XML content and attributes."""
    return escape(clean(text))


def cells(text: str) -> int:
    """Return how many terminal columns a cleaned text takes; wide characters take two."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def shorten(text: str, most: int) -> str:
    """Cut a cleaned text to at most `most` terminal columns, with an ellipsis if anything is lost.

    >>> shorten("summarise_everything", 10)
    'summarise…'
    """
    if cells(text) <= most:
        return text
    kept, used = [], 0
    for char in text:
        used += _cells_of(char)
        if used > most - 1:
            break
        kept.append(char)
    return "".join(kept) + ELLIPSIS if most > 0 else ""


def pixels(text: str, size: float) -> float:
    """Return about how wide a cleaned text is in a sans-serif font of `size` pixels; rather more than less."""
    return size * sum(map(_ems_of, text))


def shorten_to_pixels(text: str, most: float, size: float) -> str:
    """Cut a cleaned text to at most `most` pixels, with an ellipsis if anything is lost."""
    if pixels(text, size) <= most:
        return text
    kept, used = [], pixels(ELLIPSIS, size)
    for char in text:
        used += size * _ems_of(char)
        if used > most:
            break
        kept.append(char)
    return "".join(kept) + ELLIPSIS


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    category = unicodedata.category(char)
    if category in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char not in _JOINERS:
        return f"\\u{code:04x}"
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:  # never characters; some are not allowed in XML
        return f"\\u{code:04x}"
    return char


def _cells_of(char: str) -> int:
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in {"Mn", "Me"} or char in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _ems_of(char: str) -> float:
    """The width in ems, after DejaVu Sans, which is among the widest fonts a browser falls back to."""
    if char in _NARROW:
        return 0.36
    if char in _SLIM:
        return 0.46
    if char in _BROAD:
        return 0.98
    if "A" <= char <= "Z":
        return 0.72
    return 0.64 if char < "\u0300" else (0, 0.72, 1.1)[_cells_of(char)]
