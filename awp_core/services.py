"""What running nodes may ask for, wired to the real things: sandbox, agents, channels, environment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from awp_core.channels.base import Channel, DeliveryContext, Envelope, Receipt
from awp_core.engine.plan import Plan
from awp_core.engine.ports import AgentCall, NestedCall, NestedOutcome
from awp_core.errors import CodeError, EngineUnavailableError
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import LLMSettings
from awp_core.nested import run_nested
from awp_core.preflight import CALLABLE, NO_PROVIDER, providers_in
from awp_core.runs.layout import new_run_id
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.sandbox.runner import Sandbox

if TYPE_CHECKING:
    from awp_core.agents.spec import AgentSpec
    from awp_core.app import App
    from awp_core.execution import Job
    from awp_core.providers.base import Provider


class _Target(NamedTuple):
    """What a node's call goes to."""

    spec: AgentSpec
    provider: str
    model: str


class AppServices:
    """The services of one run. Providers are made only when the graph calls an agent.

    Raises:
        EngineUnavailableError: A provider that the graph needs cannot be used; names the nodes and what to set.
    """

    def __init__(
        self,
        app: App,
        workflow: Workflow,
        plan: Plan,
        provider: str | None,
        chat_id: str,
        children: Mapping[str, Job],
    ) -> None:
        self._app = app
        self._children = children
        self._workflow = workflow
        self._chat_id = chat_id
        self._sandbox = Sandbox(app.environ)
        self._targets: dict[str, _Target] = {}
        self._providers: dict[str, Provider] = {}
        self._env = declared_env(workflow, app.environ)
        self._aim(plan, provider)
        self._connect()

    @property
    def provider_name(self) -> str:
        """The providers in use, for the record; `none` for a graph without agents."""
        own = {target.provider for target in self._targets.values()}
        nested = {name for job in self._children.values() for name in providers_in(job.provider)}
        return ", ".join(sorted((own | nested) - {NO_PROVIDER})) or NO_PROVIDER

    def _aim(self, plan: Plan, explicit: str | None) -> None:
        """Decide for every node that calls an agent which agent, provider and model that is."""
        from awp_core.agents.resolve import resolve_agent
        from awp_core.providers.choose import choose_provider

        meta = self._workflow.manifest.workflow if self._workflow.manifest is not None else None
        llm = meta.settings.llm if meta is not None else LLMSettings()
        for node, name in plan.agents().items():
            spec = resolve_agent(name, node, self._workflow, self._app.functions)
            model = spec.model or llm.default_model or ""
            chosen = choose_provider(explicit, self._app.environ, spec.provider, llm.default_provider, model)
            self._targets[node] = _Target(spec, CALLABLE if spec.function is not None else chosen, model)

    def _connect(self) -> None:
        """Make the providers that are needed; one that cannot be used stops the run before its first node."""
        if not self._targets:
            return
        from awp_core.providers import load_providers

        known = load_providers()
        for name in sorted({target.provider for target in self._targets.values()}):
            kind = known.get(name)
            missing = (
                f"this version has no provider {name!r}, it has {', '.join(known)}"
                if kind is None
                else kind.missing(self._app.environ)
            )
            if kind is None or missing:
                nodes = ", ".join(node for node, target in self._targets.items() if target.provider == name)
                raise EngineUnavailableError(
                    f"engine_unavailable: {name!r} is needed by {nodes}: {missing}",
                    hint="choose another one with --provider, such as --provider stub",
                )
            self._providers[name] = kind.create(self._app.environ)

    @property
    def env(self) -> Mapping[str, str]:
        """Declared environment variables that are not sensitive."""
        return self._env

    @property
    def chat_id(self) -> str:
        """The chat that started the run."""
        return self._chat_id

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python in the sandbox, with the workflow's `data/input/` readable."""
        return await self._sandbox.run(job, policy)

    async def run_function(self, reference: str, arguments: Mapping[str, Any], log: Callable[[str], None]) -> Any:
        """Call an installed function in a process of its own, from the workflow's folder."""
        from awp_core.executors.local import call_function

        try:
            computed = await call_function(reference, arguments, self._workflow.root)
        except CodeError as error:
            log(error.prints)  # what was printed before it failed is how people find out why
            raise
        log(computed.prints)
        return computed.value

    async def call_agent(self, call: AgentCall) -> dict[str, Any]:
        """Call an agent and record `provider.called`."""
        from awp_core.agents.call import call_agent

        target = self._targets[call.node]
        provider = self._providers.get(target.provider)
        began = time.monotonic()
        answer = await call_agent(
            target.spec,
            provider,
            model=target.model,
            instructions=call.instructions,
            inputs=call.inputs,
            visible=call.visible,
        )
        facts: dict[str, Any] = {
            "provider": answer.provider,
            "model": answer.model,
            "agent": target.spec.id,
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "duration_s": round(time.monotonic() - began, 6),
            "request": call.request,
        }
        if call.keep_answer:
            facts["output"] = answer.output
        call.emit("provider.called", facts)
        return answer.output

    def new_run_id(self) -> str:
        """Return an id for a nested run."""
        return new_run_id()

    async def run_workflow(self, call: NestedCall) -> NestedOutcome:
        """Start a nested run, or go on with it, until it ends or waits."""
        return await run_nested(self._children[call.node], call)

    def confirms(self, channel: str) -> bool:
        """Whether a channel confirms what it delivered."""
        return self._app.channels.find(channel).confirms

    async def deliver(self, envelope: Envelope, run_id: str, node: str, key: str) -> Receipt:
        """Hand an envelope, already on disk, to its channel."""
        context = DeliveryContext(run_id, node, key, self._app.environ)
        return await self._app.channels.find(envelope.channel).deliver(envelope, context)

    def place(self, node: str, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a node's field starts."""
        return self._workflow.place(node, field)

    async def aclose(self) -> None:
        """Close the sandbox and every provider."""
        await self._sandbox.aclose()
        for provider in self._providers.values():
            await provider.aclose()
        for job in self._children.values():
            await job.services.aclose()


def declared_env(workflow: Workflow, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the declared variables that nodes may read; an empty string counts as set."""
    return _declared(workflow, environ, sensitive=False)


def _declared(workflow: Workflow, environ: Mapping[str, str], *, sensitive: bool) -> dict[str, str]:
    variables = workflow.manifest.workflow.env if workflow.manifest is not None else ()
    values = ((v.name, environ.get(v.name, v.default)) for v in variables if v.sensitive is sensitive)
    return {name: value for name, value in values if value is not None}


def secrets_of(
    workflow: Workflow, plan: Plan, channels: Mapping[str, Channel], environ: Mapping[str, str]
) -> dict[str, str]:
    """Return what a run must never give away: its sensitive variables, and the settings of the channels it uses."""
    secrets = _declared(workflow, environ, sensitive=True)
    for channel in sorted(set(plan.channels().values()) & set(channels)):
        secrets.update(channels[channel].secrets(environ))  # such as an address with a key in it
    return secrets


def sensitive_fields(workflow: Workflow) -> tuple[str, ...]:
    """Return the field names whose values are secret, whatever they are."""
    state = workflow.manifest.state if workflow.manifest is not None else {}
    sharing = state.get("sharing")
    fields = sharing.get("sensitive_fields") if isinstance(sharing, dict) else None
    return tuple(name for name in fields if isinstance(name, str)) if isinstance(fields, list) else ()
