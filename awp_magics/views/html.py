"""The few pieces of HTML that every view is made of: escaped text, inline styles, a safe subset of Markdown.

No `<style>` and no script: an unsigned notebook keeps neither. Colours are taken from the page where it has them,
and from mid-tones that can be read on white and on black where it has not.
"""

from __future__ import annotations

import base64
import html
import re
from types import MappingProxyType

LIMIT = 2000  # characters of a value that are shown at once (spec 07)
ALL_LIMIT = 100_000  # characters behind "show all"

INK = "var(--jp-ui-font-color1, inherit)"
LINE = "var(--jp-border-color2, rgba(128,128,128,.4))"
TONES = MappingProxyType({
    "pending": "#808896",
    "running": "#3b7de0",
    "waiting": "#b9770e",
    "paused": "#b9770e",
    "finished": "#23924f",
    "complete": "#23924f",
    "partial": "#b9770e",
    "failed": "#d9483b",
    "skipped": "#808896",
    "cancelled": "#9c6b89",
    "interrupted": "#9c6b89",
    "error": "#d9483b",
    "warning": "#b9770e",
    "info": "#3b7de0",
})  # fmt: skip
MARKS = MappingProxyType({
    "pending": "○",
    "running": "▶",
    "waiting": "?",
    "paused": "?",
    "finished": "✓",
    "complete": "✓",
    "partial": "✓",
    "failed": "✗",
    "skipped": "–",
    "cancelled": "⊘",
    "interrupted": "⊘",
})  # fmt: skip
FONT = "font-family:var(--jp-ui-font-family, system-ui, sans-serif);font-size:13px;line-height:1.5"
MONO = "font-family:var(--jp-code-font-family, ui-monospace, monospace);font-size:12px"


def esc(value: object) -> str:
    """Return any value as text that is safe in HTML, also inside a quoted attribute."""
    return html.escape(str(value), quote=True)


def badge(status: str) -> str:
    """Return a status as a mark and a word with a coloured rim; the colour is never the only sign."""
    tone = TONES.get(status, TONES["pending"])
    return (
        f'<span style="border:1px solid {tone};border-left-width:5px;border-radius:4px;padding:0 7px;'
        f'white-space:nowrap;color:{INK}">{MARKS.get(status, "•")} {esc(status)}</span>'
    )


def card(*parts: str, tone: str = "") -> str:
    """Return parts in a frame; `tone` is a key of `TONES` for its left edge."""
    left = f"border-left:4px solid {TONES[tone]};" if tone in TONES else ""
    frame = f"border:1px solid {LINE};{left}border-radius:6px;padding:8px 12px;margin:4px 0;max-width:960px"
    return f'<div style="{FONT};color:{INK};{frame}">{"".join(parts)}</div>'


def row(*parts: str) -> str:
    """Return parts on one line that wraps."""
    return f'<div style="display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline">{"".join(parts)}</div>'


def quiet(text: str) -> str:
    """Return escaped text, less prominent."""
    return f'<span style="opacity:.75">{esc(text)}</span>'


def pre(text: str) -> str:
    """Return text as it is laid out; long text is cut, with a way to see all."""
    style = f"{MONO};white-space:pre-wrap;overflow-wrap:anywhere;margin:4px 0;color:{INK};background:transparent"
    if len(text) <= LIMIT:
        return f'<pre style="{style}">{esc(text)}</pre>'
    rest = text if len(text) <= ALL_LIMIT else f"{text[:ALL_LIMIT]}…"
    return (
        f'<pre style="{style}">{esc(text[:LIMIT])}…</pre>'
        f'<details><summary>show all {len(text):,} characters</summary><pre style="{style}">{esc(rest)}</pre></details>'
    )


def image(svg: str, alt: str) -> str:
    """Return an SVG as an image; unlike inline SVG it is shown in unsigned notebooks, and it can run no script."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return f'<img alt="{esc(alt)}" style="max-width:100%;height:auto" src="data:image/svg+xml;base64,{data}">'


_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
_CODE = re.compile(r"`([^`]+)`")
_BULLET = re.compile(r"\s*[-*+]\s+(.*)")
_HEADING = re.compile(r"#{1,6}\s+(.*)")


def markdown(text: str, limit: int = LIMIT) -> str:
    """Return Markdown from outside as HTML: bold, italic, code, lists, headings, paragraphs.

    Everything is escaped, so what is not in this list, links and tags among it, stays visible text.
    """
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters in all)"
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", cut.strip()):
        lines = block.split("\n")
        bullets = [match for line in lines if (match := _BULLET.fullmatch(line))]
        if len(bullets) == len(lines):
            items = "".join(f"<li>{_inline(match[1])}</li>" for match in bullets)
            parts.append(f'<ul style="margin:4px 0">{items}</ul>')
        else:
            parts.append(f'<p style="margin:4px 0">{"<br>".join(map(_line, lines))}</p>')
    return "".join(parts)


def _line(line: str) -> str:
    heading = _HEADING.fullmatch(line)
    return f"<strong>{_inline(heading[1])}</strong>" if heading else _inline(line)


def _inline(text: str) -> str:
    pieces = _CODE.split(text)
    for index, piece in enumerate(pieces):
        safe = esc(piece)
        if index % 2:
            pieces[index] = f'<code style="{MONO}">{safe}</code>'
        else:
            pieces[index] = _ITALIC.sub(r"<em>\1</em>", _BOLD.sub(r"<strong>\1</strong>", safe))
    return "".join(pieces)
