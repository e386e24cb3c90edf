"""Telling another system about a ticket: one signed POST, and what its answer means.

The body is the ticket as JSON. `X-Kaijuan-Signature: t=UNIX,v1=HEX` carries HMAC-SHA256 under the shared secret of "UNIX."
and the body; `Idempotency-Key` is the ticket's id and the same at every try, so that a receiver opens one ticket only.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass, field
from typing import IO, Any, Literal
from urllib.parse import urlsplit

from kaijuan.errors import SettingsError
from kaijuan.records.moments import to_text
from kaijuan.records.types import Ticket

Outcome = Literal["sent", "again", "failed"]
#: Answers that may be others a little later, besides those of 500 and more.
_LATER = (408, 425, 429)
_AT_HOME = ("localhost", "127.0.0.1", "::1")
#: Bytes of an answer that are read, so that the connection ends properly.
_READ = 4096
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where tickets are told: an https address, or one of this machine; seconds that an answer may take."""

    url: str
    secret: str = field(repr=False)
    timeout: float

    def __post_init__(self) -> None:
        """Raises SettingsError without a secret."""
        if not self.secret:
            raise SettingsError("设置了 KAIJUAN_WEBHOOK_URL 却没有签名的密钥，请设置 KAIJUAN_WEBHOOK_SECRET。")

    @property
    def host(self) -> str:
        """The host, which may be shown; the rest of the address can hold a token."""
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of one try, with one sentence where it went wrong; `wait` is seconds that the receiver asks for."""

    outcome: Outcome
    said: str = ""
    wait: float = 0.0


def body_of(ticket: Ticket) -> bytes:
    """The ticket as JSON, the same at every try: nothing of it that changes later is told."""
    told = ("id", "question", "asked", "reason", "viewer", "collection", "answer_id", "conversation_id")
    values: dict[str, Any] = {"kind": "ticket", **{name: getattr(ticket, name) for name in told}}
    values["at"] = to_text(ticket.at)
    values["transcript"] = [asdict(said) for said in ticket.transcript]
    values["chunks"] = [asdict(chunk) for chunk in ticket.chunks]
    return json.dumps(values, ensure_ascii=True, sort_keys=True).encode("ascii")


def signature(secret: str, at: int, body: bytes) -> str:
    """The header's value for a body sent at a time (seconds since 1970).

    >>> signature("secret", 1700000000, b"{}")[:24]
    't=1700000000,v1=b8569b78'
    """
    digest = hmac.new(secret.encode("utf-8"), f"{at}.".encode("ascii") + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def tell(receiver: Receiver, ticket: Ticket) -> Told:
    """Try once; whatever goes wrong is the outcome, nothing is raised."""
    body = body_of(ticket)
    request = urllib.request.Request(
        receiver.url,
        data=body,
        method="POST",
        headers={
            "Content-Type": "application/json",
            "User-Agent": "kaijuan",
            "Idempotency-Key": ticket.id,
            "X-Kaijuan-Signature": signature(receiver.secret, int(time.time()), body),
        },
    )
    try:
        with _opener(receiver).open(request, timeout=receiver.timeout) as answer:
            return _meaning(receiver, answer.status, answer)
    except urllib.error.HTTPError as error:
        with error:
            return _meaning(receiver, error.code, error)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Told(
            "again", f"工单系统 {receiver.host} 连接不上（{_reason(error)}），请检查 KAIJUAN_WEBHOOK_URL 和网络。"
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is meant for one address is not carried to another."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """A redirect is an answer like any other."""
        return


def _opener(receiver: Receiver) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if receiver.host in _AT_HOME:
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _meaning(receiver: Receiver, status: int, answer: IO[bytes]) -> Told:
    answer.read(_READ)
    if 200 <= status < 300:
        return Told("sent")
    if status >= 500 or status in _LATER:
        asked = getattr(answer, "headers", {}).get("Retry-After", "")
        wait = float(asked) if asked.isascii() and asked.isdigit() else 0.0
        return Told("again", f"工单系统 {receiver.host} 暂时不能收（HTTP {status}），请稍后再看。", wait)
    if 300 <= status < 400:
        return Told(
            "failed",
            f"工单系统 {receiver.host} 要求转到别的地址（HTTP {status}），请把 KAIJUAN_WEBHOOK_URL 改成最终的地址。",
        )
    return Told(
        "failed", f"工单系统 {receiver.host} 拒收了这张工单（HTTP {status}），请管理员核对地址、密钥和接收方的要求。"
    )


def _reason(error: Exception) -> str:
    """An error in a few words, without the address."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "超时"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"证书不可信：{cause.verify_message}"[:_SHOWN]
    said = cause.strerror if isinstance(cause, OSError) and cause.strerror else type(cause).__name__
    return str(said)[:_SHOWN]
