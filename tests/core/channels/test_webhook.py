"""`webhook` against a real local HTTP server that takes, fails, hangs, redirects and loses its answers."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from awp_core.app import App
from awp_core.channels.base import DeliveryContext, Envelope
from awp_core.channels.builtin.webhook import address, post
from awp_core.doctor import examine
from awp_core.errors import EngineUnavailableError, ManifestError

ROOT = Path(__file__).parents[3]
PATH = "/hooks/T0-k3y"  # the secret of a webhook is in its address
FLOW = """
awp: "1.0.0"
workflow: {name: told, version: "1.0.0", description: Tells a webhook.}
orchestration:
  graph:
    - {id: tell, type: answer, channel: webhook, text: "Done, {{inputs.who}}"}
inputs: {who: {type: string, default: Ada}}
"""


@dataclass
class Receiver:
    """A receiver that does what its script says, then takes everything; it remembers each request."""

    script: list[Any] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def keys(self) -> list[str]:
        return [request["headers"]["Idempotency-Key"] for request in self.requests]


@pytest.fixture
def receiver():
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append({"path": self.path, "headers": dict(self.headers), "body": json.loads(body)})
            step = receiver.script.pop(0) if receiver.script else 200
            if step == "lose":  # it took the message, and the answer got lost on its way
                self.connection.close()
                return
            if step == "hang":
                receiver.hanging.set()
                receiver.release.wait(30)
                return
            status, headers = step if isinstance(step, tuple) else (step, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}{PATH}"
    yield receiver
    receiver.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def envelope(**fields: Any) -> Envelope:
    return Envelope("webhook", "message", "owner", "Hello", **fields)


def context(receiver: Receiver, **environ: str) -> DeliveryContext:
    return DeliveryContext("r1", "tell", "r1:tell", {"AWP_WEBHOOK_URL": receiver.url, **environ})


async def test_what_is_posted(receiver):
    asked = Envelope("webhook", "question", "ops", "Go on?", format="markdown", expect={"field": "ok"})
    assert (await post(asked, context(receiver, AWP_WEBHOOK_TOKEN="t0ken"))).delivered  # noqa: S106
    (request,) = receiver.requests
    assert request["path"] == PATH
    assert request["headers"]["Content-Type"] == "application/json"
    assert request["headers"]["Idempotency-Key"] == "r1:tell"
    assert request["headers"]["Authorization"] == "Bearer t0ken"
    assert request["body"] == {
        "text": "Go on?",
        "awp": {
            "run_id": "r1", "node": "tell", "idempotency_key": "r1:tell", "kind": "question", "chat_id": "ops",
            "format": "markdown", "expect": {"field": "ok"},
        },
    }  # fmt: skip


async def test_without_a_token_no_authorization_is_sent(receiver):
    assert (await post(envelope(), context(receiver))).delivered
    assert "Authorization" not in receiver.requests[0]["headers"]


@pytest.mark.parametrize("trouble", [500, 502, 503, 429, 408, "lose"])
async def test_trouble_that_may_pass_is_tried_again_with_the_same_key(trouble, receiver):
    receiver.script = [trouble, trouble]
    assert (await post(envelope(), context(receiver), delays=(0, 0, 0))).delivered
    assert receiver.keys() == ["r1:tell"] * 3


async def test_it_gives_up_after_its_last_attempt_and_says_what_was_wrong(receiver):
    receiver.script = [503] * 9
    receipt = await post(envelope(), context(receiver), delays=(0, 0))
    assert len(receiver.requests) == 3
    assert (receipt.delivered, receipt.reason) == (False, "the webhook 127.0.0.1 did not take it: HTTP 503")


@pytest.mark.parametrize(("status", "advice"), [(404, "check AWP_WEBHOOK_URL"), (401, "AWP_WEBHOOK_TOKEN")])
async def test_a_refusal_is_not_tried_again(status, advice, receiver):
    receiver.script = [status]
    receipt = await post(envelope(), context(receiver), delays=(0, 0))
    assert len(receiver.requests) == 1
    assert not receipt.delivered
    assert f"HTTP {status}" in receipt.reason
    assert advice in receipt.reason


async def test_a_redirect_is_not_followed(receiver):
    receiver.script = [(307, {"Location": "/elsewhere"})]
    receipt = await post(envelope(), context(receiver), delays=(0,))
    assert [request["path"] for request in receiver.requests] == [PATH]
    assert "HTTP 307, a redirect" in receipt.reason


async def test_a_receiver_that_hangs_is_given_up(receiver):
    receiver.script = ["hang"]
    receipt = await post(envelope(), context(receiver), delays=(), limit_s=0.2)
    assert receipt.reason == "the webhook 127.0.0.1 did not take it: no answer within 0.2 s"


async def test_retry_after_is_waited_for(receiver, monkeypatch):
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("awp_core.channels.builtin.webhook.asyncio.sleep", wait)
    receiver.script = [(429, {"Retry-After": "7"}), (503, {"Retry-After": "3600"}), (503, {"Retry-After": "soon"})]
    assert (await post(envelope(), context(receiver), delays=(1, 2, 3))).delivered
    assert waits == [7, 30, 3]


async def test_a_closed_port_and_bad_settings_say_what_to_set(receiver):
    refused = DeliveryContext("r1", "tell", "k", {"AWP_WEBHOOK_URL": "http://127.0.0.1:1/x"})
    assert "cannot be reached (ConnectError)" in (await post(envelope(), refused, delays=())).reason
    for url in ("ftp://x/y", "nonsense", "http://", "http://[::1"):
        bad = DeliveryContext("r1", "tell", "k", {"AWP_WEBHOOK_URL": url})
        assert (await post(envelope(), bad)).reason == "AWP_WEBHOOK_URL is no http or https address"
    for token in ("a\nb", "snow☃"):
        receipt = await post(envelope(), context(receiver, AWP_WEBHOOK_TOKEN=token), delays=())
        assert not receipt.delivered
        assert token not in receipt.reason
    assert receiver.requests == []


def test_a_chat_may_have_an_address_of_its_own():
    environ = {"AWP_WEBHOOK_URL": "http://all/", "AWP_WEBHOOK_URL_OPS_TEAM": "http://ops/"}
    assert address(environ, "ops-team") == "http://ops/"
    assert address(environ, "owner") == "http://all/"
    assert address({}, "owner") == ""


# --- in a run ------------------------------------------------------------------------------------------------------


@pytest.fixture
def app(tmp_path, receiver):
    environ = {"AWP_WEBHOOK_URL": receiver.url, "AWP_WEBHOOK_TOKEN": "t0ken-of-the-hook"}
    return App(environ=environ, runs_dir=tmp_path / "runs", directory=tmp_path)


def test_a_run_tells_the_webhook_and_its_folder_holds_no_address(app, receiver):
    run = app.start(app.load_text(FLOW), {"who": f"see {receiver.url} and t0ken-of-the-hook"}).wait()
    assert run.status == "complete"
    assert receiver.keys() == [f"{run.id}:tell"]
    for file in (file for file in run.folder.rglob("*") if file.is_file()):
        data = file.read_bytes()
        for secret in (receiver.url.encode(), b"t0ken-of-the-hook", base64.b64encode(b"t0ken-of-the-hook")):
            assert secret not in data, file.name


def test_a_message_nobody_took_is_told_in_the_output(app, receiver):
    receiver.script = [404]
    run = app.start(app.load_text(FLOW)).wait()
    assert run.nodes["tell"].output["sent"] is False
    assert "HTTP 404" in run.nodes["tell"].output["reason"]


def test_without_an_address_nothing_is_started(tmp_path):
    app = App(environ={}, runs_dir=tmp_path / "runs")
    with pytest.raises(EngineUnavailableError, match="'webhook' is needed by tell") as caught:
        app.start(app.load_text(FLOW))
    assert "AWP_WEBHOOK_URL" in caught.value.hint
    assert not (tmp_path / "runs").exists()


def test_a_run_that_waits_is_cancelled_where_nothing_is_set_up(app, receiver):
    """Also where a nested workflow wants a channel and a variable."""
    asks = FLOW.replace(
        "type: answer, channel: webhook",
        "type: ask_human, channel: webhook, expect: {field: ok, type: boolean}, chat_id: o",
    ).replace("text:", "prompt:")
    needs = asks.replace("description:", "env: [{name: NEEDED, required: true}], description:")
    (app.directory / "child.awp.yaml").write_text(needs)
    outer = "- {id: sub, type: subworkflow, subworkflow: child.awp.yaml}"
    ready = App(environ={**app.environ, "NEEDED": "1"}, runs_dir=app.runs_dir, directory=app.directory)
    bare = App(environ={}, runs_dir=app.runs_dir, directory=app.directory)
    for text in (asks, outer):
        run = ready.start(ready.load_text(text)).wait()
        assert run.status == "paused"
        assert bare.cancel(run.id).status == "cancelled"
    with pytest.raises(ManifestError):
        bare.start(bare.load_text(outer))


def test_doctor_tells_whether_the_webhook_is_set_up(app, tmp_path):
    def line(app):
        (check,) = [check for check in examine(app) if check.name == "channel webhook"]
        return check.ok, check.needed, check.detail

    assert line(app)[0]
    assert line(App(environ={}, directory=tmp_path)) == (
        False, False, "set AWP_WEBHOOK_URL, or AWP_WEBHOOK_URL_CHAT for one chat",
    )  # fmt: skip


def test_a_run_can_be_cancelled_while_the_webhook_hangs(app, receiver):
    receiver.script = ["hang"]
    run = app.start(app.load_text(FLOW))
    assert receiver.hanging.wait(20)
    run.cancel()
    assert run.wait(20).status == "cancelled"


KILLED = """
import os, signal, sys
from pathlib import Path
from awp_core.app import App
from awp_core.runs.recorder import RunRecorder

moment = sys.argv[2]
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if moment == "before delivery":
    import awp_core.channels.builtin.webhook as webhook
    webhook._attempt = die
elif moment == "before the receipt":
    RunRecorder.write_receipt = die
folder = Path(sys.argv[1])
app = App(runs_dir=folder / "runs", directory=folder)
app.start(app.load_text(sys.stdin.read())).wait()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(("moment", "times"), [("before delivery", 1), ("before the receipt", 2)])
def test_a_message_survives_a_crash_and_a_receiver_knows_it_again(moment, times, app, receiver, tmp_path):
    environ = {"PYTHONPATH": str(ROOT), "PATH": "", **app.environ}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), moment],
        input=FLOW.encode(), env=environ, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    (run,) = app.runs()
    run = app.resume(run).wait()
    assert run.status == "complete"
    assert receiver.keys() == [f"{run.id}:tell"] * times
    assert [file.name for file in (run.folder / "outbox").iterdir()] == ["tell.json"]


def test_what_was_confirmed_is_not_sent_again(app, receiver):
    """A process that died between the receipt and the end of the node."""
    run = app.start(app.load_text(FLOW)).wait()
    events = run.folder / "events.jsonl"
    kept = []
    for line in events.read_text().splitlines(keepends=True):
        if '"node.finished"' in line:
            break
        kept.append(line)
    events.write_text("".join(kept))
    (run.folder / "run_completion.json").unlink()
    again = App(environ=app.environ, runs_dir=app.runs_dir)
    run = again.resume(run.id).wait()
    assert run.status == "complete"
    assert len(receiver.requests) == 1
    assert run.nodes["tell"].output["sent"] is True
