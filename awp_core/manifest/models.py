"""The manifest as frozen models: what seed manifest's tables and spec 01 and 02 name, and nothing about node types.

A graph entry is read in two phases. `GraphNode` reads the fields that every node has and keeps the rest raw; the
node type's own `Config` reads those later (`awp_core.nodes`). So this package need not know any node type.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

SEMVER = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$"
WORKFLOW_NAME = r"^[a-z][a-z0-9_-]{0,62}[a-z0-9]$"
SNAKE_CASE = r"^[a-z][a-z0-9_]*$"

# Limits of spec 02 on what a manifest may ask for; larger values are clamped and reported (rule N8).
MAX_RETRIES = 10
MAX_DELAY_S = 60.0
MAX_ITERATIONS = 100
MAX_ITEMS = 500

SemVer = Annotated[str, StringConstraints(pattern=SEMVER)]
Autonomy = Literal["A0", "A1", "A2", "A3", "A4"]
Engine = Literal["dag", "chat", "delegation_loop"]
Raw = dict[str, Any]


class Model(BaseModel):
    """A part of the manifest. Unknown fields are ignored here and listed by rule M4."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, hide_input_in_errors=True)


class Runtime(Model):
    """`workflow.runtime`: what the workflow needs from the machine (rule M5)."""

    min_awp_version: SemVer | None = None
    python: str | None = None
    required_providers: tuple[str, ...] = ()
    required_capabilities: tuple[str, ...] = ()


class Requirement(Model):
    """A named dependency with a version range."""

    name: str
    version: str


class Dependencies(Model):
    """`workflow.dependencies`."""

    tools: tuple[Requirement, ...] = ()
    workflows: tuple[Requirement, ...] = ()
    skills: tuple[Requirement, ...] = ()
    python: tuple[str, ...] = ()


class EnvVariable(Model):
    """An entry of `workflow.env`."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    description: str = ""
    required: bool = False
    sensitive: bool = False
    default: str | None = None


class LLMSettings(Model):
    """`workflow.settings.llm`."""

    default_provider: str | None = None
    default_model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None


class Settings(Model):
    """`workflow.settings`; `custom` is passed through untouched."""

    llm: LLMSettings = LLMSettings()
    custom: Raw = {}


class WorkflowMeta(Model):
    """The `workflow` section."""

    name: Annotated[str, StringConstraints(pattern=WORKFLOW_NAME)]
    version: SemVer
    description: Annotated[str, StringConstraints(max_length=500)]
    author: str | None = None
    license: str | None = None
    tags: tuple[str, ...] = ()
    homepage: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    repository: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    autonomy: Autonomy | None = None
    runtime: Runtime = Runtime()
    dependencies: Dependencies = Dependencies()
    env: tuple[EnvVariable, ...] = ()
    settings: Settings = Settings()


class ExecutionTimeout(Model):
    """`execution.timeout`, the spelling of the public examples."""

    per_agent: Annotated[float, Field(gt=0)] | None = None
    total: Annotated[float, Field(gt=0)] | None = None


class Execution(Model):
    """`orchestration.execution`. Times are seconds."""

    mode: str = "parallel"
    max_parallel: Annotated[int, Field(ge=1)] | None = Field(
        default=None, validation_alias=AliasChoices("max_parallel", "max_parallel_agents")
    )
    timeout_per_agent: Annotated[float, Field(gt=0)] | None = None
    timeout_total: Annotated[float, Field(gt=0)] | None = None
    timeout: ExecutionTimeout = ExecutionTimeout()

    @property
    def node_timeout(self) -> float:
        """Seconds one attempt of an agent may take (default 120)."""
        return self.timeout_per_agent or self.timeout.per_agent or 120.0

    @property
    def total_timeout(self) -> float:
        """Seconds the run may work, not counting time spent paused (default 300)."""
        return self.timeout_total or self.timeout.total or 300.0


class Orchestration(Model):
    """The `orchestration` section without its graph, which is read node by node."""

    engine: Engine = "dag"
    execution: Execution = Execution()
    delegation_loop: Raw | None = None
    result: str | None = None


class InputSpec(Model):
    """One declared input; a bare JSON Schema is accepted too and kept in `schema_`."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"] | None = None
    description: str = ""
    required: bool | None = None
    default: Any = None
    enum: tuple[Any, ...] | None = None


class Manifest(Model):
    """A whole `workflow.awp.yaml`. Sections that belong to other layers stay raw until their layer reads them."""

    awp: SemVer
    workflow: WorkflowMeta
    orchestration: Orchestration = Orchestration()
    inputs: dict[str, InputSpec] = {}
    agents: dict[str, Raw] = {}
    state: Raw = {}
    memory: Raw = {}
    communication: Raw = {}
    observability: Raw = {}
    security: Raw = {}
    capabilities: Raw = {}
    dynamic_tools: Raw = {}
    custom_tools: Any = None
    meta: Raw = {}


class Retry(Model):
    """A node's `retry` block, both spellings (spec 02, Failure rule); limits are applied in `engine.retry`."""

    max_retries: Annotated[int, Field(ge=0)] | None = None
    retry_interval_s: Annotated[float, Field(ge=0)] | None = None
    error_strategy: Literal["abort", "fail_branch"] | None = None
    max_attempts: Annotated[int, Field(ge=1)] | None = None
    backoff: Literal["fixed", "linear", "exponential"] | None = None
    backoff_base: Annotated[float, Field(ge=0)] | None = None
    backoff_max: Annotated[float, Field(ge=0)] | None = None
    retryable_errors: tuple[str, ...] = ()
    non_retryable_errors: tuple[str, ...] = ()


class Dependency(Model):
    """One entry of `depends_on`; `when` makes it conditional."""

    id: str = Field(validation_alias=AliasChoices("id", "agent"))
    when: str | None = Field(default=None, validation_alias=AliasChoices("when", "expr"))


class BranchGate(Model):
    """A case that must have been chosen; `route` is None when any route dependency with that case will do."""

    case: str
    route: str | None = None


class Loop(Model):
    """`loop` of a node: run it again while a condition holds, at most 100 times (spec 02, Loops)."""

    type: Literal["standard", "interactive"] = "standard"
    max_iterations: Annotated[int, Field(ge=1)] = 10
    condition: str | None = Field(default=None, validation_alias=AliasChoices("condition", "until_condition"))
    prompt_field: str | None = None
    input_channel: str = "notebook"

    @model_validator(mode="after")
    def _stops(self) -> Loop:
        if self.type == "standard" and self.condition is None and "max_iterations" not in self.model_fields_set:
            raise ValueError("a standard loop needs 'condition' or 'max_iterations'")
        return self

    @property
    def limit(self) -> int:
        """How often it runs at most (rule N8 reports a larger wish)."""
        return min(self.max_iterations, MAX_ITERATIONS)


class FanOut(Model):
    """`fan_out` of an agent node: one isolated call for each item of a list."""

    source: Annotated[str, Field(min_length=1)]
    variable: Annotated[str, StringConstraints(pattern=SNAKE_CASE)] = "item"
    max_parallel: Annotated[int, Field(ge=1)] = 1
    truncate: bool = False


class FanIn(Model):
    """`fan_in` of an agent node: how the results of its `fan_out` become one."""

    strategy: Literal["merge", "reduce", "first", "majority"] = "merge"
    target_field: str | None = None
    reduce: str | None = Field(default=None, validation_alias=AliasChoices("reduce", "reducer"))

    @model_validator(mode="after")
    def _reducer(self) -> FanIn:
        if self.strategy == "reduce" and not self.reduce:
            raise ValueError("strategy 'reduce' needs 'reduce': sum, min, max, concat, or the id of a code node")
        return self


def _as_dependencies(value: object) -> object:
    if isinstance(value, str):
        return [{"id": value}]
    if isinstance(value, list):
        return [{"id": item} if isinstance(item, str) else item for item in value]
    return [] if value is None else value


def _as_gates(value: object) -> object:
    if value is None:
        return []
    if isinstance(value, dict):
        return [{"route": route, "case": case} for route, cases in value.items() for case in _as_list(cases)]
    return [{"case": item} if isinstance(item, str) else item for item in _as_list(value)]


def _as_list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


class GraphNode(Model):
    """The fields every graph entry has; `config` holds the others, raw, for the node type."""

    id: str
    type: str = "agent"
    depends_on: Annotated[tuple[Dependency, ...], BeforeValidator(_as_dependencies)] = ()
    branch: Annotated[tuple[BranchGate, ...], BeforeValidator(_as_gates)] = ()
    enabled: bool | str = True
    when: str | None = None
    share_input: Raw | list[str] | None = None
    share_output: tuple[str, ...] = ()
    description: str = ""
    timeout: Annotated[float, Field(gt=0)] | None = None
    on_failure: Literal["abort", "stop", "continue", "skip"] = "abort"
    retry: Retry = Retry()
    loop: Loop | None = None
    fan_out: FanOut | None = None
    fan_in: FanIn | None = None
    raw: Raw = Field(default={}, exclude=True, repr=False)
    index: int = Field(default=0, exclude=True)

    @cached_property
    def config(self) -> Raw:
        """The fields that belong to the node type."""
        return {name: value for name, value in self.raw.items() if name not in COMMON_FIELDS}

    @cached_property
    def dependency_ids(self) -> tuple[str, ...]:
        """Ids this node depends on, in the order written."""
        return tuple(dependency.id for dependency in self.depends_on)


COMMON_FIELDS = frozenset(GraphNode.model_fields) - {"raw", "index"}
