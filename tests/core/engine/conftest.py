"""An app with an empty runs folder, and how the tests of this folder run a workflow."""

from __future__ import annotations

import asyncio

import pytest

from awp_core.app import App


@pytest.fixture
def app(tmp_path):
    return App(environ={}, runs_dir=tmp_path / "runs", directory=tmp_path)


@pytest.fixture
def run(app):
    """Run a workflow given as text, to its end or its pause."""

    def start(text: str, replies: dict[str, object] | None = None, **inputs: object):
        return asyncio.run(app.arun(app.load_text(text), inputs, replies=replies))

    return start
