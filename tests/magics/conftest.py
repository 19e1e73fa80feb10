"""Shells, kernels and small notebooks for the tests of the magics."""

from __future__ import annotations

import atexit
import queue
import time
from types import SimpleNamespace

import nbformat
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from awp_core.app import App
from awp_magics.registration import register, unregister
from awp_magics.session import Session


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A real shell with the extension loaded; what it shows is in `shell.shown`."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    made = InteractiveShell(display_pub_class=CapturingDisplayPublisher)
    made.history_manager.enabled = False
    made.display_pub = CapturingDisplayPublisher(parent=made)
    session = Session(made, App(environ={}, directory=tmp_path))
    register(made, session)
    made.session = session
    made.shown = made.display_pub.outputs
    yield made
    unregister(made)
    made.history_manager.end_session()
    atexit.unregister(made.atexit_operations)  # it is done here, and cannot be done twice
    made.atexit_operations()


@pytest.fixture
def do(shell):
    """Run a cell that must succeed, and return its value."""

    def run(source):
        outcome = shell.run_cell(source, store_history=True)
        outcome.raise_error()
        return outcome.result

    return run


@pytest.fixture
def fail(shell):
    """Run a cell that must fail, and return its error."""

    def run(source):
        outcome = shell.run_cell(source, store_history=True)
        error = outcome.error_in_exec or outcome.error_before_exec
        assert error is not None, f"no error from {source!r}"
        return error

    return run


def text_of(shell):
    """Return everything a shell showed as text."""
    return "\n".join(output["data"].get("text/plain", "") for output in shell.shown)


@pytest.fixture
def shown(shell):
    return lambda: text_of(shell)


@pytest.fixture
def notebook(tmp_path):
    """Execute cells as a notebook in a real kernel and return it, with the error if a cell failed."""

    def execute(*cells, allow_errors=False):
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(
            made, timeout=60, allow_errors=allow_errors, resources={"metadata": {"path": str(tmp_path)}}
        )
        error = None
        try:
            client.execute()
        except CellExecutionError as exc:
            error = exc
        return SimpleNamespace(cells=made.cells, notebook=made, error=error)

    return execute


class Kernel:
    """A kernel that one talks to by messages, as a front end does."""

    def __init__(self, folder):
        self.manager = KernelManager()
        self.manager.start_kernel(cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.messages = []
        self._send("%load_ext awp_magics")
        self.until_idle()

    def _send(self, code):
        self.parent = self.client.execute(code)

    def start(self, code):
        """Send a cell and return at once."""
        self._send(code)

    def cell(self, code, timeout=60):
        """Run a cell to its end and return its iopub messages."""
        self._send(code)
        return self.until_idle(timeout)

    def until_idle(self, timeout=60):
        mine = self.parent
        got = self.until(
            lambda m: (
                m["msg_type"] == "status"
                and m["content"]["execution_state"] == "idle"
                and m["parent_header"].get("msg_id") == mine
            ),
            timeout,
        )
        return [m for m in got if m["parent_header"].get("msg_id") == mine]

    def until(self, found, timeout=60):
        """Read messages until one fits; return all that were read."""
        got = []
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                continue
            got.append(message)
            self.messages.append(message)
            if found(message):
                return got
        said = [m["content"].get("traceback") or m["msg_type"] for m in got[-12:]]
        raise AssertionError(f"nothing fits; the last messages: {said}")

    def click(self, comm_id, times=1, *, subshell=False):
        """Click a button, as ipywidgets does; in a subshell as JupyterLab does."""
        header = {"subshell_id": self._subshell()} if subshell else {}
        for _ in range(times):
            message = self.client.session.msg(
                "comm_msg",
                {"comm_id": comm_id, "data": {"method": "custom", "content": {"event": "click"}}},
            )
            message["header"] |= header
            self.client.shell_channel.send(message)

    def fill(self, comm_id, value):
        """Type into a field, as ipywidgets does."""
        data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
        message = self.client.session.msg("comm_msg", {"comm_id": comm_id, "data": data})
        self.client.shell_channel.send(message)

    def _subshell(self):
        request = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(request)
        while True:
            reply = self.client.get_control_msg(timeout=20)
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                return reply["content"]["subshell_id"]

    def widgets(self, model):
        """Return the open comms of a widget class, oldest first, with their state."""
        return [
            (m["content"]["comm_id"], m["content"]["data"]["state"])
            for m in self.messages
            if m["msg_type"] == "comm_open" and m["content"]["data"]["state"].get("_model_name") == model
        ]

    def close(self):
        if self.manager.has_kernel:
            self.client.stop_channels()
            self.manager.shutdown_kernel(now=True)


@pytest.fixture
def start_kernel(tmp_path):
    """Start a kernel in the test's folder; it ends with the test."""
    started = []

    def start():
        started.append(Kernel(tmp_path))
        return started[-1]

    yield start
    for made in started:
        made.close()


@pytest.fixture
def kernel(start_kernel):
    return start_kernel()
