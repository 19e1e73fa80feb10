from __future__ import annotations

import pytest

from awp_core.app import App
from awp_core.errors import NotFoundError
from awp_core.manifest.load import read_path, read_text

BLOCK = "- id: aa\n  type: code\n  source: |\n    def main():\n        return 1 / 0\n"
QUOTED = '- {id: aa, type: code, source: "def main():\\n    return 1 / 0"}\n'


def test_code_in_a_block_stands_on_lines_of_the_file():
    flow = read_text(BLOCK, "cell aa", first_line=2, short=True)
    assert flow.place("aa", "source") == ("cell aa", 5)


def test_quoted_code_has_lines_of_its_own(tmp_path):
    app = App(environ={}, runs_dir=tmp_path)
    flow = app.load_text(QUOTED, "flow.awp.yaml")
    assert flow.place("aa", "source") == ("flow.awp.yaml: source of aa", 1)
    run = app.start(flow).wait()
    assert 'File "flow.awp.yaml: source of aa", line 2, in main' in run.nodes["aa"].detail


def test_a_directory_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(NotFoundError, match=r"M7: .* has no workflow\.awp\.yaml"):
        read_path(tmp_path)


def test_a_directory_without_agents_is_a_finding(tmp_path):
    (tmp_path / "workflow.awp.yaml").write_text('awp: "1.0.0"\nworkflow: {name: ok, version: 1.0.0, description: ""}\n')
    flow = read_path(tmp_path)
    assert flow.is_directory
    assert [(f.rule, f.location.line) for f in App(environ={}).validate(flow).errors] == [("M7", 1)]


def test_a_part_that_cannot_be_read_hides_no_other():
    text = "- {id: Bad, type: 1}\n- {id: good, type: static, value: 1}\n- 3\n"
    flow = read_text(text, "x", short=True)
    assert [node.id for node in flow.nodes] == ["good"]
    assert {f.rule for f in App(environ={}).validate(flow).errors} == {"R2", "N2", "M3"}
