"""Node types: what a graph entry can be.

One file per type in `builtin/`; third parties use the entry point `awp.nodes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from awp_core.nodes.base import NodeType
    from awp_core.registry import Registry


def load_node_types() -> Registry[NodeType]:
    """Find every node type.

    Raises:
        AwpError: A type is broken, or two have one name.
    """
    from awp_core.nodes.base import NodeType
    from awp_core.registry import collect

    return collect("node type", "awp_core.nodes.builtin", "NODE", NodeType, group="awp.nodes")
