"""What `code` and `compute` nodes share: Python with a top-level `main`, in a sandbox, never in this process."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from awp_core.errors import AwpError, CodeError
from awp_core.nodes.base import NodeConfig, NodeContext, Output, SelectorUse
from awp_core.sandbox.policy import CodeJob, SandboxPolicy

DEFAULT_TIMEOUT_S = 30.0
_NO_LIMIT_S = 24 * 3600.0


class PythonConfig(NodeConfig):
    """Fields of a node that runs Python."""

    language: Literal["python3", "python"] = Field(default="python3", description="only Python")
    source: str | None = Field(default=None, description="Python with a top-level `def main(...)` that returns a dict")
    inputs: dict[str, str] = Field(default={}, description="parameter of main: selector")
    outputs: tuple[str, ...] = Field(default=(), description="fields that main must return")
    packages: bool = Field(default=False, description="let it import the installed packages")


async def run_source(context: NodeContext, config: PythonConfig) -> Output:
    """Run `main` with the values of its inputs.

    Raises:
        CodeError: It raised, or did not return its outputs.
        SandboxError: It was stopped.
    """
    if config.source is None:
        raise AwpError("it has no source", hint=f"write it in a cell that starts with %%awp_code {context.node}")
    filename, line = context.place("source")
    arguments = {name: context.select(selector) for name, selector in config.inputs.items()}
    job = CodeJob(config.source, arguments, config.outputs, filename, line)
    policy = SandboxPolicy(timeout_s=context.timeout or _NO_LIMIT_S, packages=config.packages)
    try:
        result = await context.run_code(job, policy)
    except CodeError as error:
        context.log(error.prints)  # what was printed before it failed is how people find out why
        raise
    context.log(result.prints)
    return result.value


def selectors_of(config: PythonConfig) -> list[SelectorUse]:
    """Return the selectors of its inputs."""
    return [SelectorUse(("inputs", name), selector) for name, selector in config.inputs.items()]
