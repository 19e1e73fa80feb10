"""Which agent a name means (spec 01, Two forms of one thing)."""

from __future__ import annotations

from awp_core.agents.functions import AgentFunctions
from awp_core.agents.resolve import resolve_agent
from awp_core.agents.spec import AgentSpec
from awp_core.manifest.load import read_text

MANIFEST = """
awp: "1.0.0"
workflow: {name: demo-flow, version: 1.0.0, description: a demo}
orchestration:
  engine: dag
  graph:
    - {id: write, agent: writer}
agents:
  writer:
    identity: {id: writer, role: a writer, description: Writes well.}
    model: {name: gpt-5, provider: openrouter, parameters: {temperature: 0.5, max_tokens: 100}}
    prompt: {system: Write.}
    output:
      contract: {type: object, properties: {title: {type: string}}, required: [title]}
  legacy:
    agent: {role: a critic, description: Is strict.}
    llm: {model: claude-x, temperature: 1}
    output:
      contract:
        type: {type: string, required: true, description: kind of text}
        score: {type: number, minimum: 0, maximum: 1, required: false}
        note: string
  short:
    model: ollama/llama3
    prompt: Be short.
    output: {contract: contract.json}
  odd:
    model: [1]
    prompt: 7
    output: none
    identity: []
"""
WORKFLOW = read_text(MANIFEST, "demo")


def resolved(name: str, functions=None, finders=()) -> AgentSpec:
    return resolve_agent(name, "node1", WORKFLOW, functions or AgentFunctions(), finders)


def test_an_agent_of_the_session_wins_over_all_others():
    functions = AgentFunctions()
    functions.agent("writer")(len)
    spec = resolved("agents/writer", functions, [lambda _name: AgentSpec("found")])
    assert spec == AgentSpec("writer", function=len)


def test_finders_come_next_in_their_order():
    finders = [lambda _name: None, lambda name: AgentSpec(f"second {name}"), lambda _name: AgentSpec("third")]
    assert resolved("agents/writer/", finders=finders).id == "second writer"


def test_then_the_mapping_of_the_manifest():
    assert resolved("writer") == AgentSpec(
        "writer",
        system="Write.",
        schema={"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
        provider="openrouter",
        model="gpt-5",
        temperature=0.5,
        max_tokens=100,
    )


def test_a_legacy_layout_and_a_flat_contract_are_converted():
    spec = resolved("legacy")
    assert spec.system == "You are a critic. Is strict."
    assert (spec.model, spec.temperature, spec.max_tokens) == ("claude-x", 1.0, None)
    assert spec.schema == {
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "note": {"type": "string"},
        },
        "required": ["type"],
    }


def test_short_spellings_are_read_and_a_path_is_no_schema_yet():
    assert resolved("short") == AgentSpec("short", system="Be short.", model="ollama/llama3")


def test_wrong_types_are_left_out():
    assert resolved("odd") == AgentSpec("odd")


def test_else_a_generic_agent_named_as_written_or_after_its_node():
    assert resolved("nobody") == AgentSpec("nobody")
    assert resolved("") == AgentSpec("node1")


def test_no_finder_is_asked_for_the_generic_agent():
    assert resolved("", finders=[lambda _name: AgentSpec("found")]) == AgentSpec("node1")
