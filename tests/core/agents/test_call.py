"""Calling an agent: one question, up to two repairs, and an error that names the agent."""

from __future__ import annotations

import pytest

from awp_core.agents.call import call_agent
from awp_core.agents.spec import AgentSpec
from awp_core.errors import ProviderError
from awp_core.providers.base import Response
from awp_core.providers.builtin.stub import StubProvider

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Script:
    """A provider that says its lines in turn and keeps what it was asked."""

    name = "script"

    def __init__(self, *lines):
        self.lines = list(lines)
        self.requests = []

    async def complete(self, request):
        self.requests.append(request)
        line = self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return Response(line, "m1", prompt_tokens=10, completion_tokens=1)

    async def aclose(self):
        pass


async def called(provider, spec=None, **options):
    options = {"model": "", "instructions": "Count.", "inputs": {}, "visible": {}} | options
    return await call_agent(spec or AgentSpec("counter", schema=SCHEMA), provider, **options)


async def test_asks_once_with_instructions_inputs_results_and_schema():
    provider = Script('{"n": 1}')
    answer = await called(provider, inputs={"topic": "ä"}, visible={"load": {"rows": 2}}, model="m1")
    assert answer == ({"n": 1}, "script", "m1", 10, 1)
    (request,) = provider.requests
    (message,) = request.messages
    assert message.role == "user"
    for part in ("Count.", '"topic": "ä"', '"rows": 2', '"required"'):
        assert part in message.content
    assert (request.agent, request.model, request.schema) == ("counter", "m1", SCHEMA)


async def test_asks_again_with_the_errors_and_adds_up_the_tokens():
    provider = Script("no", '{"n": "1"}', '{"n": 3}')
    answer = await called(provider)
    assert answer == ({"n": 3}, "script", "m1", 30, 3)
    told = [message.content for message in provider.requests[-1].messages]
    assert told[1] == "no"
    assert "no complete JSON object" in told[2]
    assert told[3] == '{"n": "1"}'
    assert "$.n" in told[4]


async def test_gives_up_after_two_repairs_and_names_the_agent():
    provider = Script(*["no"] * 5)
    with pytest.raises(ProviderError, match=r"agent 'counter': no answer of script fits"):
        await called(provider)
    assert len(provider.requests) == 3


async def test_without_a_schema_plain_text_is_the_answer():
    assert (await called(Script("Two."), AgentSpec("x"))).output == {"text": "Two."}


async def test_a_foreign_error_names_agent_and_provider():
    with pytest.raises(ProviderError, match=r"agent 'counter': provider script failed: KeyError") as caught:
        await called(Script(KeyError("choices")))
    assert isinstance(caught.value.__cause__, KeyError)


async def test_an_error_of_our_own_passes():
    with pytest.raises(ProviderError, match="quota"):
        await called(Script(ProviderError("quota")))


async def test_a_wrong_schema_is_not_asked_again():
    provider = Script("{}", "{}")
    with pytest.raises(ProviderError, match=r"agent 'x': its output schema is wrong"):
        await called(provider, AgentSpec("x", schema={"type": "nothing"}))
    assert len(provider.requests) == 1


async def test_without_a_provider_it_says_so():
    with pytest.raises(ProviderError, match="'counter' has no provider"):
        await called(None)


async def test_a_function_needs_no_provider():
    answer = await called(None, AgentSpec("f", function=lambda topic: f"on {topic}"), inputs={"topic": "x"})
    assert answer.output == {"text": "on x"}
    assert answer.provider == "callable"


async def test_canned_text_is_read_like_a_model_s():
    stub = StubProvider({"counter": ['Sure: {"n": 4}', "no", {"n": 5}]})
    assert (await called(stub)).output == {"n": 4}
    assert (await called(stub)).output == {"n": 5}
