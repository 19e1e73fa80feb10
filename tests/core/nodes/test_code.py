"""code: arguments in, declared outputs out, through the real sandbox (spec 02)."""

from __future__ import annotations

import os

import pytest
from pydantic import ValidationError

from awp_core.errors import AwpError, CodeError
from awp_core.nodes.base import Lane, SelectorUse
from awp_core.nodes.builtin.code import NODE
from awp_core.nodes.testing import RecordingContext, run_node
from awp_core.sandbox.policy import CodeResult
from awp_core.sandbox.runner import Sandbox

SOURCE = "def main(a, b=0):\n    print('adding')\n    return {'sum': a + b, 'more': 1}\n"


@pytest.fixture
async def sandbox():
    box = Sandbox(os.environ)
    yield box
    await box.aclose()


async def test_selects_arguments_and_returns_exactly_the_declared_outputs(sandbox):
    context = RecordingContext({"x": 2}, {"n": {"y": 3}}, run_code=sandbox.run, timeout=60)
    config = {"source": SOURCE, "inputs": {"a": "x", "b": "n.y"}, "outputs": ["sum"]}
    assert await run_node(NODE, config, context) == {"sum": 5}
    assert context.logged == ["adding\n"]


async def test_keeps_what_was_printed_before_it_failed(sandbox):
    source = "def main():\n    print('so far')\n    raise ValueError('bad')\n"
    context = RecordingContext(run_code=sandbox.run, timeout=60)
    with pytest.raises(CodeError, match="bad"):
        await run_node(NODE, {"source": source}, context)
    assert context.logged == ["so far\n"]


async def test_a_missing_output_lists_the_keys_returned(sandbox):
    context = RecordingContext({"x": 2}, run_code=sandbox.run, timeout=60)
    with pytest.raises(AwpError, match="total") as caught:
        await run_node(NODE, {"source": SOURCE, "inputs": {"a": "x"}, "outputs": ["total"]}, context)
    assert "sum" in str(caught.value)
    assert "more" in str(caught.value)


async def test_hands_over_place_limits_and_packages():
    seen = []

    async def run_code(job, policy):
        seen.append((job, policy))
        return CodeResult({}, "", "none", 0.0)

    config = {"source": SOURCE, "packages": True}
    await run_node(NODE, config, RecordingContext(node="n1", run_code=run_code, timeout=7.5))
    await run_node(NODE, config, RecordingContext(node="n1", run_code=run_code))
    (job, policy), (_, unlimited) = seen
    assert (job.filename, job.first_line, job.arguments) == ("<n1.source>", 1, {})
    assert (policy.timeout_s, policy.packages) == (7.5, True)
    assert unlimited.timeout_s > 3600


async def test_without_a_source_it_says_where_to_write_it():
    with pytest.raises(AwpError, match="no source") as caught:
        await run_node(NODE, {}, RecordingContext(node="clean"))
    assert "%%awp_code clean" in caught.value.hint


@pytest.mark.parametrize(
    "config",
    [{"language": "r"}, {"inputs": ["x"]}, {"inputs": {"a": 1}}, {"outputs": "sum"}, {"packages": "numpy"}],
)
def test_refuses_a_wrong_config(config):
    with pytest.raises(ValidationError):
        NODE.config.model_validate({"source": SOURCE, **config})


def test_tells_selectors_fields_lane_and_timeout():
    config = NODE.config.model_validate({"source": SOURCE, "inputs": {"a": "x"}, "outputs": ["sum"]})
    assert list(NODE.selectors(config)) == [SelectorUse(("inputs", "a"), "x")]
    assert NODE.fields(config) == {"sum"}
    assert NODE.fields(NODE.config.model_validate({"source": SOURCE})) is None
    assert NODE.lane is Lane.COMPUTE
    assert NODE.timeout(config) == 30.0
    assert NODE.agent(config) is None
