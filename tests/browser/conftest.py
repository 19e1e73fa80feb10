"""Fixtures for tests in a browser: a JupyterLab server and a page in Debian's Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.lab import Lab, NotebookPage


@pytest.fixture(scope="module")
def chromium() -> str:
    """The path of Chromium; playwright's own download is never used."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    pytest.importorskip("playwright", reason="playwright is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
def lab(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab server, one per test file."""
    from tests.browser.lab import Lab

    server = Lab(tmp_path_factory.mktemp("lab"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def page(lab: Lab, chromium: str, tmp_path: Path) -> Iterator[NotebookPage]:
    """A browser tab; the browser and its event loop end with the test, so that async tests can follow."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_FLAGS, NotebookPage

    pictures = Path(os.environ.get("AWP_SCREENSHOTS") or tmp_path)
    pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        try:
            yield NotebookPage(lab, context, pictures)
        finally:
            context.close()
            browser.close()
            lab.end_kernels()
