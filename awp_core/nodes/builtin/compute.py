"""`compute`: work for an executor, as sandboxed Python or as a function of the environment (spec 02).

Python in `source` runs in the sandbox, exactly as a code node. A `function` is the user's own installed code: it runs
with the user's rights, in a process of its own. Packages may not name one (spec 05).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from awp_core.errors import AwpError
from awp_core.nodes.base import JSON, Lane, NodeContext, NodeType, Output
from awp_core.nodes.python import DEFAULT_TIMEOUT_S, PythonConfig, run_source, selectors_of

FUNCTION = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$"


class ComputeConfig(PythonConfig):
    """Fields of a compute node."""

    function: str | None = Field(default=None, pattern=FUNCTION, description="module:name of an installed function")
    executor: Literal["local"] = Field(default="local", description="where it runs")

    @model_validator(mode="after")
    def _one_of_two(self) -> ComputeConfig:
        if (self.source is None) == (self.function is None):
            raise ValueError("needs exactly one of 'source' and 'function'")
        return self


async def _run(context: NodeContext, config: ComputeConfig) -> Output:
    if config.function is None:
        return await run_source(context, config)
    arguments = {name: context.select(selector) for name, selector in config.inputs.items()}
    return _chosen(await context.run_function(config.function, arguments), config)


def _chosen(value: JSON, config: ComputeConfig) -> Output:
    if not isinstance(value, dict):
        raise AwpError(
            f"{config.function} returned {type(value).__name__}, not a mapping", hint='return {"field": value}'
        )
    missing = [name for name in config.outputs if name not in value]
    if missing:
        returned = ", ".join(map(str, value)) or "nothing"
        raise AwpError(f"{config.function} did not return {', '.join(missing)}", hint=f"it returned {returned}")
    return {name: value[name] for name in config.outputs} if config.outputs else value


NODE = NodeType(
    "compute",
    "Runs sandboxed Python, or an installed function in a process of its own.",
    ComputeConfig,
    _run,
    lane=Lane.COMPUTE,
    selectors=selectors_of,
    fields=lambda config: frozenset(config.outputs) or None,
    timeout=lambda _config: DEFAULT_TIMEOUT_S,
)
