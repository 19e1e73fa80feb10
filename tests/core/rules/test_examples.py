"""Every rule's examples are its tests: the valid ones are silent, the invalid ones are not, errors come with a hint."""

from __future__ import annotations

import pytest

from awp_core.app import App
from awp_core.rules.runner import load_rules

RULES = load_rules()
APP = App(environ={})
VALID = [pytest.param(r.name, text, id=f"{r.name}-{n}") for r in RULES.values() for n, text in enumerate(r.valid)]
INVALID = [pytest.param(r.name, text, id=f"{r.name}-{n}") for r in RULES.values() for n, text in enumerate(r.invalid)]


def findings(rule: str, text: str):
    return [found for found in APP.validate(APP.load_text(text, "example.awp.yaml")) if found.rule == rule]


@pytest.mark.parametrize(("rule", "text"), VALID)
def test_a_valid_example_has_no_finding_of_its_rule(rule, text):
    assert findings(rule, text) == []


@pytest.mark.parametrize(("rule", "text"), INVALID)
def test_an_invalid_example_has_a_finding_with_a_hint_and_its_line(rule, text):
    found = findings(rule, text)
    assert found
    for finding in found:
        assert finding.hint, finding
        assert finding.message
        assert 1 <= finding.location.line <= text.count("\n") + 1


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_says_what_and_why(rule):
    assert rule.summary.endswith(".")
    assert rule.why.endswith(".")
    assert len(rule.valid) >= 1
    assert len(rule.invalid) >= 3 or rule.name == "M7"
