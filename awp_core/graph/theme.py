"""The colours of a picture as a style sheet inside the SVG, for light and dark surroundings.

The picture has a background of its own, so it can be read on any page. With the theme "auto" it follows the reader's
preference, which an SVG inside an `<img>` can see; the theme of the page around it, it cannot. Only plain class
selectors are used: converters to PDF and PNG know no custom properties.
"""

from __future__ import annotations

from typing import NamedTuple

FONT = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif"


class _State(NamedTuple):
    ink: str
    fill: str


class _Palette(NamedTuple):
    card: str
    rim: str
    box: str
    line: str
    text: str
    quiet: str
    arrow: str
    accents: dict[str, tuple[str, str]]  # name to ink and tint
    states: dict[str, _State]


_LIGHT = _Palette(
    card="#ffffff",
    rim="#e4e7ec",
    box="#ffffff",
    line="#cbd2dc",
    text="#1d2433",
    quiet="#5b6576",
    arrow="#8d97a8",
    accents={
        "violet": ("#6941c6", "#f2eefc"),
        "blue": ("#1f5fbf", "#eaf2fd"),
        "teal": ("#0b7568", "#e4f5f2"),
        "amber": ("#a15c07", "#fdf3dd"),
        "slate": ("#4a5568", "#eef1f5"),
    },
    states={
        "pending": _State("#667085", "#ffffff"),
        "running": _State("#1d5fd0", "#eff5ff"),
        "waiting": _State("#a15c07", "#fff8e6"),
        "finished": _State("#17743b", "#f0faf3"),
        "failed": _State("#c0261c", "#fff1f0"),
        "skipped": _State("#667085", "#f7f8fa"),
        "cancelled": _State("#7a4a66", "#faf3f7"),
    },
)

_DARK = _Palette(
    card="#15181e",
    rim="#2a2f39",
    box="#1e222a",
    line="#424a58",
    text="#e8ebf0",
    quiet="#a3acba",
    arrow="#79839a",
    accents={
        "violet": ("#bda7f5", "#2e2749"),
        "blue": ("#8dbbf8", "#1d2f4a"),
        "teal": ("#6fd3c3", "#16342f"),
        "amber": ("#f0bd6a", "#3b2d14"),
        "slate": ("#b9c2d0", "#2c323d"),
    },
    states={
        "pending": _State("#98a2b3", "#1e222a"),
        "running": _State("#79aefc", "#1a2a45"),
        "waiting": _State("#f0bd6a", "#33280f"),
        "finished": _State("#6fd08f", "#16301f"),
        "failed": _State("#ff8f85", "#401c1b"),
        "skipped": _State("#98a2b3", "#1a1d23"),
        "cancelled": _State("#d9a5c2", "#33222c"),
    },
)


def style_sheet(theme: str) -> str:
    """Return the CSS for the theme "light", "dark", or "auto" (any other word too)."""
    if theme == "dark":
        return _LAYOUT + _colours(_DARK)
    if theme == "light":
        return _LAYOUT + _colours(_LIGHT)
    return f"{_LAYOUT}{_colours(_LIGHT)}@media(prefers-color-scheme:dark){{{_colours(_DARK)}}}"


_LAYOUT = (
    f".awp text{{font-family:{FONT}}}"
    ".awp .t{font-size:13px;font-weight:600}.awp .k,.awp .l{font-size:11px}.awp .l{text-anchor:middle}"
    ".awp .w{font-weight:600}"
    ".awp .b{stroke-width:1.25}.awp .e{fill:none;stroke-width:1.4}.awp .d{stroke-dasharray:5 4}"
    ".awp .f{fill:none}.awp .i,.awp .m{fill:none;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}"
    ".awp .m{stroke-width:1.8}.awp .running .b,.awp .waiting .b,.awp .failed .b{stroke-width:2}"
    ".awp .skipped .b,.awp .unknown .b{stroke-dasharray:4 3}.awp .off{opacity:.5}"
)


def _colours(colours: _Palette) -> str:
    rules = [
        f".awp .c{{fill:{colours.card};stroke:{colours.rim}}}",
        f".awp .b{{fill:{colours.box};stroke:{colours.line}}}.awp .f{{stroke:{colours.line}}}",
        f".awp .t{{fill:{colours.text}}}.awp .k,.awp .l{{fill:{colours.quiet}}}",
        f".awp .e{{stroke:{colours.arrow}}}.awp .h{{fill:{colours.arrow}}}",
        f".awp .p{{fill:{colours.card};stroke:{colours.rim}}}",
        *(
            f".awp .{name} .i{{stroke:{ink}}}.awp .{name} .a{{fill:{tint}}}"
            for name, (ink, tint) in colours.accents.items()
        ),
    ]
    for name, (ink, fill) in colours.states.items():
        rules.append(
            f".awp .{name} .b{{fill:{fill};stroke:{colours.line if name == 'pending' else ink}}}"
            f".awp .{name} .w,.awp .{name} .o{{fill:{ink}}}"
        )
    rules.append(f".awp .m{{stroke:{colours.card}}}.awp .skipped .t{{fill:{colours.quiet}}}")
    return "".join(rules)
