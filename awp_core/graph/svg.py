"""Our own SVG of a layout: shape and icon by node type, state by colour, mark and word.

Every text is cleaned and escaped, class names come from our own tables only, and the file refers to nothing outside
or inside itself: no links, no scripts, no ids, no images.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from types import MappingProxyType

from awp_core.graph.geometry import Box, Layout, Point, Route
from awp_core.graph.labels import clean, pixels, shorten_to_pixels, xml_text
from awp_core.graph.layout import LABEL_SIZE, SMALL_SIZE, TEXT_LEFT, TEXT_RIGHT, second_line
from awp_core.graph.picture import STATES, count_states
from awp_core.graph.shapes import LOOKS, MARKS, look_of
from awp_core.graph.theme import style_sheet

_NO_STATES: Mapping[str, str] = MappingProxyType({})
_MOST_DESCRIBED = 40


def render_svg(layout: Layout, states: Mapping[str, str] = _NO_STATES, *, theme: str = "auto") -> str:
    """Draw a layout as an SVG document.

    Args:
        layout: Where everything is; the same for all states.
        states: Status of each node by id. Without any, the picture shows no states; a node that is missing
            among others is pending.
        theme: "light", "dark", or "auto" to follow the reader's preference.
    """
    width, height = f"{layout.width:g}", f"{layout.height:g}"
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    skipped = {box.node.id for box in layout.boxes if box.node.state(states) == "skipped"}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="awp" role="img" {size}>',
        f"<title>{xml_text(layout.picture.title or 'workflow')}</title>",
        f"<desc>{_description(layout, states)}</desc>",
        f"<style>{style_sheet(theme)}</style>",
        f'<rect class="c" x=".5" y=".5" width="{layout.width - 1:g}" height="{layout.height - 1:g}" rx="12"/>',
    ]
    parts.extend(_arrow(route, off=bool({route.edge.source, route.edge.target} & skipped)) for route in layout.routes)
    parts.extend(_arrow_label(route) for route in layout.routes if route.label)
    for box in layout.boxes:
        parts.extend(_box(box, states))
    if not layout.boxes:
        parts.append(f'<text class="l" x="{layout.width / 2:g}" y="{layout.height / 2 + 4:g}">no nodes yet</text>')
    return "".join([*parts, "</svg>"])


def _description(layout: Layout, states: Mapping[str, str]) -> str:
    """Say in words what the picture shows, for those who do not see it."""
    nodes = layout.picture.nodes
    ids = tuple(member for node in nodes for member in (node.members or (node.id,)))
    waits: dict[str, list[str]] = {}
    for route in layout.routes:
        waits.setdefault(route.edge.target, []).append(route.edge.source)
    known = {node.id: node.label for node in nodes}
    said = []
    for node in nodes[:_MOST_DESCRIBED]:
        facts = [clean(node.kind), node.state(states)]
        if after := waits.get(node.id):
            facts.append("after " + ", ".join(clean(known[other]) for other in after[:8]))
        said.append(f"{clean(node.label)} ({', '.join(clean(fact) for fact in facts if fact)})")
    if len(nodes) > _MOST_DESCRIBED:
        said.append(f"and {len(nodes) - _MOST_DESCRIBED} more")
    counts = f" ({count_states(ids, states)})" if states and ids else ""
    noun = "node" if len(ids) == 1 else "nodes"
    return escape(f"{len(ids)} {noun}{counts}{': ' if said else ''}{'; '.join(said)}.")


def _arrow(route: Route, *, off: bool) -> str:
    kind = "e d" if route.edge.dashed or route.back else "e"
    points = route.points
    tip = points[-1]
    neck, head = _head(points)
    path = _path_data((*points[:-1], neck))
    group = '<g class="off">' if off else "<g>"
    return f'{group}<path class="{kind}" d="{path}"/><path class="h" d="M{_xy(tip)}L{head}z"/></g>'


def _path_data(points: tuple[Point, ...]) -> str:
    """Write curves as curves and upright or level pieces, of which long arrows have many, as short lines."""
    parts = [f"M{_xy(points[0])}"]
    for at in range(0, len(points) - 1, 3):
        start, first, second, end = points[at : at + 4]
        if start[0] == first[0] == second[0] == end[0]:
            parts.append(f"V{_number(end[1])}")
        elif first == start and second[1] == end[1] == start[1]:
            parts.append(f"H{_number(end[0])}")
        else:
            parts.append(f"C{_xy(first)} {_xy(second)} {_xy(end)}")
    return "".join(parts)


def _head(points: tuple[Point, ...]) -> tuple[Point, str]:
    """Return where the line ends, a little before its tip, and the two other corners of the arrow head."""
    tip = points[-1]
    before = next((point for point in reversed(points[:-1]) if point != tip), (tip[0], tip[1] - 1))
    length = math.dist(before, tip)
    x, y = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
    base = tip[0] - 7 * x, tip[1] - 7 * y
    corners = (base[0] - 3.5 * y, base[1] + 3.5 * x), (base[0] + 3.5 * y, base[1] - 3.5 * x)
    return (tip[0] - 5 * x, tip[1] - 5 * y), "L".join(map(_xy, corners))


def _xy(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _arrow_label(route: Route) -> str:
    x, y = route.label_at
    width = pixels(route.label, SMALL_SIZE) + 12
    full = f"<title>{xml_text(route.edge.label)}</title>" if route.label != clean(route.edge.label) else ""
    return (
        f'<g>{full}<rect class="p" x="{x - width / 2:.1f}" y="{y - 9:.1f}" width="{width:.1f}" height="18" rx="9"/>'
        f'<text class="l" x="{x:.1f}" y="{y + 3.8:.1f}">{xml_text(route.label)}</text></g>'
    )


def _box(box: Box, states: Mapping[str, str]) -> Iterator[str]:
    node = box.node
    look = look_of(node.kind)
    state = node.state(states)
    w, h = box.width, box.height
    classes = [look.accent, "" if node.kind in LOOKS else "unknown", state if state in STATES else ""]
    names = " ".join(name for name in classes if name)
    room = w - TEXT_LEFT - TEXT_RIGHT
    about = f"{node.label}: {second_line(node)}" + (f", {node.counts(states) or state}" if state else "")
    yield f'<g class="{names}" transform="translate({box.x:g} {box.y:g})"><title>{xml_text(about)}</title>'
    if look.behind:
        yield f'<path class="f" d="{look.behind(w, h)}"/>'
    yield f'<path class="b" d="{look.outline(w, h)}"/>'
    if look.detail:
        yield f'<path class="f" d="{look.detail(w, h)}"/>'
    yield '<rect class="a" x="11" y="11" width="26" height="26" rx="7"/>'
    yield f'<path class="i" d="{look.icon}" transform="translate(16 16)"/>'
    label = shorten_to_pixels(clean(node.label), room, LABEL_SIZE)
    yield f'<text class="t" x="{TEXT_LEFT:g}" y="21">{xml_text(label)}</text>'
    yield f'<text class="k" x="{TEXT_LEFT:g}" y="36">{_second_line(box, state, states, room)}</text>'
    if state in MARKS:
        yield (
            f'<g transform="translate({w - 25:g} {h / 2 - 8:g})"><circle class="o" cx="8" cy="8" r="8"/>'
            f'<path class="m" d="{MARKS[state]}"/></g>'
        )
    yield "</g>"


def _second_line(box: Box, state: str, states: Mapping[str, str], room: float) -> str:
    node = box.node
    if not state:
        return xml_text(shorten_to_pixels(second_line(node), room, SMALL_SIZE))
    word = shorten_to_pixels(clean(node.counts(states) or state), room, SMALL_SIZE)
    rests = () if node.members else (f" · {second_line(node)}", f" · {clean(node.kind)}")
    left = room - pixels(word, SMALL_SIZE)
    rest = next((rest for rest in rests if pixels(rest, SMALL_SIZE) <= left), "")
    return f'<tspan class="w">{xml_text(word)}</tspan>{xml_text(rest)}'
