"""`webhook`: POSTed as JSON to a configured address, in the form Slack and its like take (spec 02, Channels).

Every attempt carries the same `Idempotency-Key`, so a receiver that keeps keys takes a message once however often it
is sent: after a lost answer, after a crash. The address is a secret; no text of ours holds it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any, Final

from awp_core.channels.base import Channel, DeliveryContext, Envelope, Receipt

if TYPE_CHECKING:
    import httpx

URL: Final = "AWP_WEBHOOK_URL"
TOKEN: Final = "AWP_WEBHOOK_TOKEN"  # noqa: S105 - the name of the variable, not a secret
TIMEOUT_S: Final = 10.0  # of one attempt
DELAYS_S: Final = (0.5, 2.0, 5.0)  # before the second, third and fourth attempt
_MAX_DELAY_S: Final = 30.0  # whatever `Retry-After` wants
_MAX_BODY: Final = 64 * 1024  # bytes that are read of an answer; nothing in it matters
_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


async def post(
    envelope: Envelope,
    context: DeliveryContext,
    *,
    delays: tuple[float, ...] = DELAYS_S,
    limit_s: float = TIMEOUT_S,
) -> Receipt:
    """Send an envelope, again if that may help, and return what became of it.

    Args:
        envelope: The message.
        context: Whose it is, and where the address is configured.
        delays: Seconds to wait before each further attempt; `Retry-After` of the receiver counts more, up to 30 s.
        limit_s: Seconds one attempt may take.
    """
    url = address(context.environ, envelope.chat_id)
    if not url:
        return Receipt(False, f"no address for chat {envelope.chat_id!r}: set {URL}")
    import httpx

    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        return Receipt(False, f"{URL} is no http or https address")
    token = context.environ.get(TOKEN, "")
    if not (token.isascii() and token.isprintable()):
        return Receipt(False, f"{TOKEN} has characters that no header can hold")
    reason = ""
    async with httpx.AsyncClient(timeout=limit_s, follow_redirects=False) as client:
        for attempt in range(len(delays) + 1):
            reason, wait = await _attempt(client, parsed, envelope, context, limit_s)
            if not reason:
                return Receipt(True)
            if wait is None or attempt == len(delays):
                break
            await asyncio.sleep(min(max(wait, delays[attempt]), _MAX_DELAY_S))
    return Receipt(False, f"the webhook {parsed.host} did not take it: {reason}")


async def _attempt(
    client: httpx.AsyncClient, url: httpx.URL, envelope: Envelope, context: DeliveryContext, limit_s: float
) -> tuple[str, float | None]:
    """Send once; return why it failed ("" if it did not), and the seconds to wait (None: do not try again)."""
    import httpx

    headers = {"Idempotency-Key": context.key}
    if context.environ.get(TOKEN):
        headers["Authorization"] = f"Bearer {context.environ[TOKEN]}"
    try:
        async with (
            asyncio.timeout(limit_s),  # httpx bounds each read, and a slow drip has no end
            client.stream("POST", url, json=body(envelope, context), headers=headers) as response,
        ):
            size = 0
            async for chunk in response.aiter_raw():
                size += len(chunk)
                if size > _MAX_BODY:
                    break
    except (TimeoutError, httpx.TimeoutException):
        return f"no answer within {limit_s:g} s", 0.0
    except httpx.HTTPError as error:
        return f"it cannot be reached ({type(error).__name__})", 0.0
    status = response.status_code
    if status < 300:
        return "", None
    if status in _AGAIN:
        return f"HTTP {status}", _retry_after(response.headers.get("Retry-After", ""))
    if status < 400:
        return f"HTTP {status}, a redirect; set {URL} to where it leads", None
    return f"HTTP {status}; check {URL} and {TOKEN}", None


def body(envelope: Envelope, context: DeliveryContext) -> dict[str, Any]:
    """Return what is POSTed: `text`, which Slack and its like show, and the rest under `awp`."""
    about: dict[str, Any] = {
        "run_id": context.run_id,
        "node": context.node,
        "idempotency_key": context.key,
        "kind": envelope.kind,
        "chat_id": envelope.chat_id,
        "format": envelope.format,
    }
    if envelope.expect is not None:
        about["expect"] = dict(envelope.expect)
    return {"text": envelope.text, "awp": about}


def address(environ: Mapping[str, str], chat_id: str) -> str:
    """Return the address for a chat: its own, such as `AWP_WEBHOOK_URL_OWNER`, else the common one."""
    own = re.sub(r"[^A-Z0-9]", "_", chat_id.upper())
    return environ.get(f"{URL}_{own}", "") or environ.get(URL, "")


def _retry_after(text: str) -> float:
    """Return the seconds a `Retry-After` header wants, in either of its forms (RFC 9110, 10.2.3); 0 for none."""
    if text.strip().isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _missing(environ: Mapping[str, str]) -> str:
    return "" if _addresses(environ) else f"set {URL}, or {URL}_CHAT for one chat"


def _secrets(environ: Mapping[str, str]) -> dict[str, str]:
    token = environ.get(TOKEN, "")
    return _addresses(environ) | ({TOKEN: token} if token else {})


def _addresses(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: url for name, url in environ.items() if url and (name == URL or name.startswith(f"{URL}_"))}


CHANNEL = Channel(
    "webhook",
    f"POSTed as JSON to {URL}.",
    post,
    confirms=True,
    missing=_missing,
    secrets=_secrets,
)
