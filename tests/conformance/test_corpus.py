"""Real manifests load, with only the findings that somebody who read them expects.

The files are the public reference's examples and conformance fixtures and the complete example of the manifest
document, unchanged. The expectations were worked out by reading them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from awp_core.app import App
from awp_core.errors import ManifestError

CORPUS = Path(__file__).parent / "corpus"
# file -> (rule, severity, line) of every finding that does not depend on this machine (M5 does)
EXPECTED = {
    "l0-minimal.yaml": [("M3", "info", 2)],  # no orchestration: nothing to run, but valid
    "l1-dag.yaml": [],
    "l3-memory.yaml": [],
    "l5-enterprise.yaml": [],
    "missing-awp-version.yaml": [("M1", "error", 2), ("M3", "info", 2)],
    "cyclic-graph.yaml": [("R12", "error", 21)],
    "reserved-namespace.yaml": [("M3", "info", 2)],  # its R15 is a rule of tools
    "manifest-complete-example.awp.yaml": [],
    "02-research-pipeline": [],
    "04-memory-workflow": [],
    "08-delegation-loop": [],
    "01-hello-world": [("M4", "info", 17)],
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items(), ids=EXPECTED)
def test_a_real_manifest_has_the_expected_findings(name, expected):
    app = App(environ={})
    findings = app.validate(app.load(CORPUS / name))
    assert [(f.rule, str(f.severity), f.location.line) for f in findings if f.rule != "M5"] == expected


def test_the_complete_example_of_the_manifest_document_is_read_field_by_field():
    flow = App(environ={}).load(CORPUS / "manifest-complete-example.awp.yaml")
    assert flow.manifest is not None
    meta = flow.manifest.workflow
    assert (meta.name, meta.version, meta.autonomy, meta.license) == ("research-and-write", "1.0.0", "A1", "MIT")
    assert meta.runtime.required_capabilities == ("tool_calling",)
    assert [(v.name, v.required, v.sensitive, v.default) for v in meta.env] == [
        ("OPENROUTER_API_KEY", True, True, None),
        ("MAX_SEARCH_RESULTS", False, False, "10"),
    ]
    assert meta.settings.llm.max_tokens == 32768
    assert meta.settings.custom == {"output_format": "markdown", "max_report_length": 5000}
    assert flow.manifest.orchestration.execution.mode == "sequential"
    assert flow.graph.dependencies["report_writer"] == ("research_analyst",)


def test_a_run_without_a_required_variable_stops_before_the_first_node(tmp_path):
    app = App(environ={}, runs_dir=tmp_path / "runs")
    with pytest.raises(ManifestError) as caught:
        app.start(app.load(CORPUS / "manifest-complete-example.awp.yaml"))
    assert "the environment variable OPENROUTER_API_KEY is not set" in str([f.message for f in caught.value.findings])
    assert not (tmp_path / "runs").exists()


def test_a_template_says_that_its_placeholders_must_be_filled():
    app = App(environ={})
    findings = app.validate(app.load(CORPUS / "template.yaml"))
    assert {f.rule for f in findings.errors} == {"M3", "R2"}
    assert all("{{" in f.message for f in findings.errors)
