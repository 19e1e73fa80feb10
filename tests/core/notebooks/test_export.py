"""A notebook file becomes a workflow that runs without it, and nothing is lost or silently changed on the way."""

from __future__ import annotations

import json

import pytest

from awp_core.app import App
from awp_core.errors import ManifestError, NotFoundError, UsageError
from awp_core.notebooks.export import export_notebook

FLOW = """%%awp greeting --run who=Ada
inputs: {who: {type: string, default: you}}
graph:
  - {id: make, type: code, inputs: {who: who}, outputs: [text]}
  - {id: told, type: answer, depends_on: [make], text_from: make.text}
"""
CODE = '%%awp_code make\ndef main(who):\n    return {"text": f"Hi {who}, {{}} $x"}\n'


@pytest.fixture
def app(tmp_path):
    return App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)


def write(path, *cells: tuple[str, str] | tuple[str, str, list[str]]):
    body = [
        {"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": {"tags": rest[0]} if rest else {},
         **({} if kind == "markdown" else {"outputs": [], "execution_count": None})}
        for kind, text, *rest in cells
    ]  # fmt: skip
    path.write_text(json.dumps({"cells": body, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_an_export_runs_without_the_notebook_and_keeps_code_byte_for_byte(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("markdown", "# Greeting"), ("code", FLOW), ("code", CODE))
    written = export_notebook(app, notebook, tmp_path / "greeting")
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "greeting/workflow.awp.yaml", "greeting/agents/.gitkeep", "greeting/README.md",
    ]  # fmt: skip
    flow = app.load("greeting")
    assert flow.node("make").raw["source"] == CODE.partition("\n")[2]
    assert (tmp_path / "greeting" / "README.md").read_text() == "# Greeting\n"
    assert app.validate(flow).ok
    assert app.start(flow, {"who": "Bo"}).wait().result == "Hi Bo, {} $x"


def test_a_code_cell_above_its_workflow_is_found(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", CODE), ("code", FLOW))
    export_notebook(app, notebook, tmp_path / "greeting")
    assert app.start(app.load("greeting")).wait().result == "Hi you, {} $x"


def test_a_later_cell_replaces_an_earlier_one_of_the_same_name(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW.replace("told", "said")), ("code", CODE), ("code", FLOW))
    export_notebook(app, notebook, tmp_path / "greeting")
    assert app.load("greeting").has_node("told")


def test_cells_tagged_awp_skip_are_left_out(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW, ["awp-skip"]))
    with pytest.raises(NotFoundError, match="defines no workflow"):
        export_notebook(app, notebook, tmp_path / "greeting")


def test_missing_code_stops_the_export_before_anything_is_written(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW))
    with pytest.raises(ManifestError) as caught:
        export_notebook(app, notebook, tmp_path / "greeting")
    assert [finding.rule for finding in caught.value.findings.errors] == ["N9"]
    assert not (tmp_path / "greeting").exists()


def test_a_function_of_the_notebook_cannot_be_exported_and_its_cell_is_named(app, tmp_path):
    flow = "%%awp greeting\n- {id: hello, type: agent, agent: greeter}\n"
    function = '@awp_core.agent("greeter")\ndef greet():\n    return {}\n'
    notebook = write(tmp_path / "n.ipynb", ("markdown", "x"), ("code", function), ("code", flow))
    with pytest.raises(UsageError, match="node 'hello' calls 'greeter', a Python function of cell 2"):
        export_notebook(app, notebook, tmp_path / "greeting")


def test_another_directory_name_needs_rename(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW), ("code", CODE))
    with pytest.raises(UsageError, match="R1: the workflow is called 'greeting' and the directory 'hello'"):
        export_notebook(app, notebook, tmp_path / "hello")
    export_notebook(app, notebook, tmp_path / "hello", rename=True)
    assert app.load("hello").name == "hello"


def test_an_existing_workflow_is_not_overwritten_unless_forced(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW), ("code", CODE))
    export_notebook(app, notebook, tmp_path / "greeting")
    with pytest.raises(UsageError, match="exists"):
        export_notebook(app, notebook, tmp_path / "greeting")
    export_notebook(app, notebook, tmp_path / "greeting", force=True)


def test_a_single_file_is_the_same_workflow(app, tmp_path):
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW), ("code", CODE))
    export_notebook(app, notebook, tmp_path / "greeting.awp.yaml", single_file=True)
    export_notebook(app, notebook, tmp_path / "greeting")
    assert (tmp_path / "greeting.awp.yaml").read_text() == (tmp_path / "greeting" / "workflow.awp.yaml").read_text()


def test_several_workflows_need_a_choice(app, tmp_path):
    other = "%%awp other\n- {id: one, type: static, value: 1}\n"
    notebook = write(tmp_path / "n.ipynb", ("code", FLOW), ("code", CODE), ("code", other))
    with pytest.raises(UsageError, match="defines 2 workflows: greeting, other"):
        export_notebook(app, notebook, tmp_path / "other")
    export_notebook(app, notebook, tmp_path / "other", workflow="other")
    assert app.start(app.load("other")).wait().result == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": [], "nbformat": 3}', "\x00"])
def test_what_is_no_notebook_is_said(app, tmp_path, text):
    (tmp_path / "n.ipynb").write_text(text)
    with pytest.raises(UsageError, match="is no notebook"):
        export_notebook(app, tmp_path / "n.ipynb", tmp_path / "x")
