"""A real JupyterLab in a real browser, driven as a person would drive it.

`Lab` is the server, `NotebookPage` a notebook open in Chromium. Everything waits for a condition, never for a time.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

START_S = 60
STEP_MS = 30_000
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# No pop-up over the page, and nothing that asks the network.
SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    # Every cell is in the page, also below the fold, or its text could not be waited for.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}


class Lab:
    """A JupyterLab server with folders of its own.

    Attributes:
        notebooks: The folder it serves; put notebooks here before they are opened.
        environ: Environment variables of the server and its kernels, over those of this process.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir(parents=True)
        self.environ = dict(environ or {})
        self._folder = folder
        self._token = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    def start(self) -> None:
        """Start the server and wait until it answers."""
        homes = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        for name, content in SETTINGS.items():
            file = self._folder / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content), encoding="utf-8")
        environ = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
        environ |= {name: str(self._folder / place) for name, place in homes.items()} | self.environ
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
            *(
                "--ServerApp.port=0",
                f"--ServerApp.root_dir={self.notebooks}",
                f"--IdentityProvider.token={self._token}",
            ),
        ]
        with (self._folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(command, env=environ, cwd=self.notebooks, stdout=log, stderr=log)
        self._wait_until_it_answers(self._process)

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        for _ in range(START_S * 10):
            for file in (self._folder / "runtime").glob("jpserver-*.json"):
                try:
                    self._url = json.loads(file.read_text(encoding="utf-8"))["url"].replace("localhost", "127.0.0.1")
                    self.ask("GET", "api/status")
                except (OSError, ValueError):
                    continue  # half written, or not listening yet
                return
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            break
        raise RuntimeError("JupyterLab did not start:\n" + self.log())

    def write_notebook(self, name: str, *sources: str) -> str:
        """Write a notebook of code cells and return its name.

        It names its kernel, as every saved notebook does; without that JupyterLab asks the person for one.
        """
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        cells = [
            {
                "id": f"cell-{n}",
                "cell_type": "code",
                "source": s,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for n, s in enumerate(sources)
        ]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
        (self.notebooks / name).write_text(json.dumps(notebook), encoding="utf-8")
        return name

    def ask(self, method: str, path: str) -> Any:
        """Send a request to the server's own interface and return its JSON answer."""
        headers = {"Authorization": f"token {self._token}"}
        request = urllib.request.Request(self._url + path, method=method, headers=headers)  # noqa: S310 - our own server
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.loads(answer.read() or b"null")

    def address(self, notebook: str) -> str:
        """Return the address that opens a notebook in a fresh workspace."""
        return f"{self._url}lab/tree/{notebook}?reset&token={self._token}"

    def end_kernels(self) -> None:
        """Shut down every kernel; a notebook that is opened after this gets a fresh one."""
        for session in self.ask("GET", "api/sessions"):
            self.ask("DELETE", f"api/sessions/{session['id']}")

    def log(self) -> str:
        """Return what the server has said."""
        return (self._folder / "server.log").read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        """End the kernels and the server."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self.end_kernels()
            self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class NotebookPage:
    """One browser tab with JupyterLab.

    Attributes:
        page: The playwright page, for what the methods here do not cover.
    """

    def __init__(self, lab: Lab, context: BrowserContext, pictures: Path) -> None:
        self._lab = lab
        self._context = context
        self._pictures = pictures
        self._name = ""
        self.page: Page = context.new_page()

    def open_notebook(self, path: Path | str) -> None:
        """Open a notebook, by its path below `Lab.notebooks`, and wait until its kernel is attached."""
        self._name = str(path)
        self.page.goto(self._lab.address(self._name))
        expect(self.notebook).to_be_visible(timeout=STEP_MS * 2)
        self.wait_until_idle()

    @property
    def notebook(self) -> Locator:
        """The notebook itself, without menus and side bars."""
        return self.page.locator(".jp-Notebook:visible").first

    @property
    def outputs(self) -> Locator:
        """The outputs of all cells, in order."""
        return self.notebook.locator(".jp-OutputArea-output")

    def wait_until_idle(self) -> None:
        """Wait for the status bar: the circle above says idle even before there is a kernel."""
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=STEP_MS * 2)

    def run_all(self) -> None:
        """Run all cells, from the menu; return when none waits or runs. Forms may still wait for a person."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        prompts = self.notebook.locator(".jp-CodeCell .jp-InputPrompt")
        # A cell that has not run says `[ ]:`, one that waits or runs `[*]:`, one that has run `[3]:`.
        expect(prompts.filter(has_text=re.compile(r"\[[\d*]+\]")).first).to_be_visible(timeout=STEP_MS)
        expect(prompts.filter(has_text="[*]:")).to_have_count(0, timeout=STEP_MS * 2)
        self.wait_until_idle()

    def wait_for_text(self, text: str) -> Locator:
        """Wait until an output shows `text`, and return that output."""
        found = self.outputs.filter(has_text=text).last
        expect(found).to_be_visible(timeout=STEP_MS)
        return found

    def save(self) -> dict[str, Any]:
        """Save as a person would, wait until the file is written, and return the notebook in it."""
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("Control+s")
        expect(self.page.locator(".jp-mod-dirty")).to_have_count(0, timeout=STEP_MS)
        saved: dict[str, Any] = json.loads((self._lab.notebooks / self._name).read_text(encoding="utf-8"))
        return saved

    def reopen(self) -> None:
        """Close the tab, end the kernel, open the same file again: what is seen now was saved."""
        self.page.close()
        self._lab.end_kernels()
        self.page = self._context.new_page()
        self.open_notebook(self._name)

    def screenshot(self, name: str) -> Path:
        """Take a picture of the page, into `AWP_SCREENSHOTS` or a temporary folder, and return its path."""
        target = self._pictures / f"{name}.png"
        self.page.screenshot(path=target)
        return target
