"""Which provider answers (spec 03, Providers)."""

from __future__ import annotations

import pytest

from awp_core.providers.choose import choose_provider, route

ENV = {"AWP_PROVIDER": "from_env"}


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        (("said", ENV, "agent", "workflow", "gpt-5"), "said"),
        ((None, ENV, "agent", "workflow", "gpt-5"), "from_env"),
        ((None, {"AWP_PROVIDER": ""}, "agent", "workflow", "gpt-5"), "agent"),
        ((None, {}, None, "workflow", "gpt-5"), "workflow"),
        ((None, {}, None, None, "gpt-5"), "openai"),
        ((None, {}, None, None, None), "stub"),
        ((None, {}, "", "", ""), "stub"),
        (("claude", {}, None, None, None), "claude_cli"),
    ],
)
def test_the_closest_choice_wins(arguments, chosen):
    assert choose_provider(*arguments) == chosen


def test_a_key_in_the_environment_chooses_nothing():
    assert choose_provider(None, {"OPENAI_API_KEY": "sk-1"}, None, None, None) == "stub"


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("gpt-5-mini", "openai"),
        ("o1", "openai"),
        ("o3-mini", "openai"),
        ("o4-mini", "openai"),
        ("claude-sonnet-4", "anthropic"),
        ("anthropic/claude-sonnet-4", "openrouter"),
        ("openai/gpt-5-mini", "openrouter"),
        ("openrouter/x/y", "openrouter"),
        ("ollama/llama3", "ollama"),
        ("llama3", ""),
        ("ollama/", ""),
        ("", ""),
    ],
)
def test_a_model_string_names_its_provider(model, provider):
    assert route(model) == provider
