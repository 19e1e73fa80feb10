"""Large pictures made readable: one box per level, or per band of levels."""

from __future__ import annotations

from awp_core.graph.order import levels
from awp_core.graph.picture import Picture, PictureEdge, PictureNode

MOST_NODES = 200
"""Above this many nodes a picture is grouped (spec 07, Graph)."""

MOST_BANDS = 16
"""At most this many boxes, so that a chain of a thousand nodes is not a strip of a thousand boxes."""

GROUP = "group"
"""The kind of a box that stands for several nodes."""


def group_by_level(picture: Picture) -> Picture:
    """Return a picture with one box per level ("level 3: 40 nodes"), counted from 1.

    A level of one node keeps that node. Many levels are put together to bands ("levels 4 to 6: 9 nodes"). An arrow
    says how many arrows enter the box below it, from whichever box above.
    """
    by_level = levels(picture.flow)
    height = max(1, -(-len(by_level) // MOST_BANDS))
    known = {node.id: node for node in picture.nodes}
    boxes: list[PictureNode] = []
    band_of: dict[str, int] = {}
    for top in range(0, len(by_level), height):
        members = tuple(node for level in by_level[top : top + height] for node in level)
        band_of |= dict.fromkeys(members, len(boxes))
        last = min(top + height, len(by_level))
        boxes.append(known[members[0]] if len(members) == 1 else _band(top + 1, last, members))
    entering = [0] * len(boxes)
    for node in picture.graph.ids:
        for other in picture.graph.dependencies[node]:
            entering[band_of[node]] += band_of[other] < band_of[node]
    edges = tuple(
        PictureEdge(upper.id, lower.id, f"{count} arrows" if count > 1 else "")
        for upper, lower, count in zip(boxes, boxes[1:], entering[1:], strict=False)
    )
    return Picture(picture.title, tuple(boxes), edges)


def _band(first: int, last: int, members: tuple[str, ...]) -> PictureNode:
    name = f"level {first}" if first == last else f"levels {first} to {last}"
    # A node id is snake case, so an id with a colon stands for no node.
    return PictureNode(f"levels:{first}", f"{name}: {len(members)} nodes", GROUP, group=name, members=members)
