"""`share_input` on an agent node: only what is named is seen (spec 02, Loops, fan-out, subworkflows)."""

from __future__ import annotations

import pytest

ABOVE = """
- {id: draft, type: static, value: {text: Hi, secret: 7}}
- {id: review, type: static, value: {score: 3, notes: [a]}}
- {id: last, agent: looks, depends_on: [draft, review]SHARE}
"""


@pytest.mark.parametrize(
    ("share", "seen"),
    [
        ("", {"draft": {"text": "Hi", "secret": 7}, "review": {"score": 3, "notes": ["a"]}}),
        (", share_input: [draft.text]", {"draft": {"text": "Hi"}}),
        (", share_input: [draft.text, review]", {"draft": {"text": "Hi"}, "review": {"score": 3, "notes": ["a"]}}),
        (", share_input: {review: [score, notes]}", {"review": {"score": 3, "notes": ["a"]}}),
        (", share_input: {draft: '*'}", {"draft": {"text": "Hi", "secret": 7}}),
        (", share_input: []", {}),
    ],
)
def test_an_agent_sees_what_is_shared_with_it(app, run, share, seen):
    got = []

    @app.functions.agent("looks")
    async def looks(state):
        got.append(state)
        return {}

    assert run(ABOVE.replace("SHARE", share)).status == "complete"
    assert got == [seen]


def test_a_field_that_is_not_above_is_found_before_the_run(app):
    findings = app.validate(app.load_text(ABOVE.replace("SHARE", ", share_input: [draft.txt]")))
    assert [f.message for f in findings.warnings] == ["'draft' has no field 'txt'"]
