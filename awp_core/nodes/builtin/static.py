"""`static`: a value, as given."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from awp_core.nodes.base import JSON, NodeConfig, NodeContext, NodeType


class StaticConfig(NodeConfig):
    """Fields of a static node."""

    value: Any = Field(description="the output, any JSON value")


def _run(_context: NodeContext, config: StaticConfig) -> JSON:
    return config.value


def _fields(config: StaticConfig) -> frozenset[str] | None:
    return frozenset(config.value) if isinstance(config.value, dict) else None


NODE = NodeType("static", "Gives a value, as written.", StaticConfig, _run, fields=_fields)
