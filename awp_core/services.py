"""What running nodes may ask for, wired to the real things: sandbox, agents, channels, environment."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from awp_core.channels.base import Envelope, Receipt
from awp_core.engine.plan import Plan
from awp_core.engine.ports import AgentCall
from awp_core.errors import EngineUnavailableError
from awp_core.manifest.load import Workflow
from awp_core.manifest.models import LLMSettings
from awp_core.preflight import CALLABLE, NO_PROVIDER
from awp_core.sandbox.policy import CodeJob, CodeResult, SandboxPolicy
from awp_core.sandbox.runner import Sandbox

if TYPE_CHECKING:
    from awp_core.agents.spec import AgentSpec
    from awp_core.app import App
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

    def __init__(self, app: App, workflow: Workflow, plan: Plan, provider: str | None, chat_id: str) -> None:
        self._app = app
        self._workflow = workflow
        self._chat_id = chat_id
        self._sandbox = Sandbox(app.environ)
        self._targets: dict[str, _Target] = {}
        self._providers: dict[str, Provider] = {}
        self._env, self._secrets = _declared(workflow, app.environ)
        self._aim(plan, provider)
        self._connect()

    @property
    def provider_name(self) -> str:
        """The providers in use, for the record; `none` for a graph without agents."""
        return ", ".join(sorted({target.provider for target in self._targets.values()})) or NO_PROVIDER

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
    def secrets(self) -> Mapping[str, str]:
        """Values that must never leave the engine, by name."""
        return self._secrets

    @property
    def sensitive_fields(self) -> tuple[str, ...]:
        """Field names whose values are secret, whatever they are."""
        state = self._workflow.manifest.state if self._workflow.manifest is not None else {}
        sharing = state.get("sharing")
        fields = sharing.get("sensitive_fields") if isinstance(sharing, dict) else None
        return tuple(name for name in fields if isinstance(name, str)) if isinstance(fields, list) else ()

    @property
    def chat_id(self) -> str:
        """The chat that started the run."""
        return self._chat_id

    async def run_code(self, job: CodeJob, policy: SandboxPolicy) -> CodeResult:
        """Run Python in the sandbox, with the workflow's `data/input/` readable."""
        return await self._sandbox.run(job, policy)

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
        facts = {
            "provider": answer.provider,
            "model": answer.model,
            "agent": target.spec.id,
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "duration_s": round(time.monotonic() - began, 6),
        }
        call.emit("provider.called", facts)
        return answer.output

    async def deliver(self, envelope: Envelope) -> Receipt:
        """Hand an envelope, already on disk, to its channel."""
        return await self._app.channels.find(envelope.channel).deliver(envelope)

    def place(self, node: str, field: str) -> tuple[str, int]:
        """Return the file and line where the text of a node's field starts."""
        return self._workflow.place(node, field)

    async def aclose(self) -> None:
        """Close the sandbox and every provider."""
        await self._sandbox.aclose()
        for provider in self._providers.values():
            await provider.aclose()


def _declared(workflow: Workflow, environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split the declared variables into readable ones and secrets; an empty string counts as set."""
    env: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for variable in workflow.manifest.workflow.env if workflow.manifest is not None else ():
        value = environ.get(variable.name, variable.default)
        if value is None:
            continue
        (secrets if variable.sensitive else env)[variable.name] = value
    return env, secrets
