"""A real HTTP server on 127.0.0.1 that plays a script: statuses, headers, streams with pauses, cut connections, silence.

>>> with ScriptedServer(failed(429, "rate_limit_exceeded"), text_stream("可以", "退。")) as server:
...     chat = OpenAIChat(Service(server.url + "/v1", "m", "chat"), 8000)

plays one reply a request, in order; a request that the script does not have is answered with 599 and noted.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

#: Seconds of a reply in which nothing is sent.
Pause = float


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, and when (time.monotonic)."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its parts are sent one by one, numbers among them are pauses.

    `end` says what comes after the parts: a proper end, a cut in the middle of the body, or silence until the script
    is over. `status` 0 sends nothing at all. A function makes the reply out of the request.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    parts: Sequence[bytes | Pause] = ()
    end: Literal["whole", "cut", "silent"] = "whole"


class ScriptedServer:
    """The server; `requests` holds what came, `left` is set as soon as a client goes away during a reply."""

    def __init__(self, *script: Reply | Callable[[Request], Reply]) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.left = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Address of the server, without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_reply(self, request: Request) -> Reply:
        """Note the request and take the next reply of the script."""
        with self._lock:
            self.requests.append(request)
            reply = self.script.pop(0) if self.script else Reply(599, parts=(b"the script is over",))
        return reply(request) if callable(reply) else reply

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than the script lasts."""
        self._over.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.path, dict(self.headers.items()), json.loads(body), time.monotonic(), body)
                try:
                    self._play(script.next_reply(request))
                except OSError:
                    script.left.set()
                self.close_connection = True

            def _play(self, reply: Reply) -> None:
                if reply.status:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Transfer-Encoding", "chunked")
                    self.send_header("Connection", "close")
                    self.end_headers()
                for part in reply.parts:
                    if isinstance(part, bytes):
                        self._send(b"%x\r\n%s\r\n" % (len(part), part) if reply.status else part)
                    else:
                        self._wait(part)
                if reply.end == "whole":
                    self._send(b"0\r\n\r\n" if reply.status else b"")
                elif reply.end == "silent":
                    self._wait(3600)
                else:
                    # A reset at once instead of an orderly goodbye, as when a process is killed.
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()

            def _send(self, data: bytes) -> None:
                if data:
                    self.wfile.write(data)
                    self.wfile.flush()

            def _wait(self, seconds: float) -> None:
                """Pause; ends with an OSError as soon as the client has gone."""
                until = time.monotonic() + seconds
                self.connection.settimeout(0.02)
                while (now := time.monotonic()) < until and not script._over.is_set():
                    try:
                        if not self.connection.recv(1, socket.MSG_PEEK):
                            raise ConnectionResetError
                    except TimeoutError:
                        continue
                    finally:
                        script.pause(min(0.01, max(0.0, until - now)))
                self.connection.settimeout(None)

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    script.left.set()

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def answered(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """A JSON answer."""
    sent = {"Content-Type": "application/json", **(headers or {})}
    return Reply(status, sent, (json.dumps(body, ensure_ascii=False).encode("utf-8"),))


def failed(status: int, code: str = "", message: str = "no", headers: dict[str, str] | None = None) -> Reply:
    """An error in the shape of the official service."""
    return answered({"error": {"message": message, "type": code or None, "param": None, "code": code}}, status, headers)


def page(status: int = 200) -> Reply:
    """A page of HTML, as proxies and wrong addresses give."""
    html = b"<!DOCTYPE html><html><head><title>Gateway</title></head><body>Hello</body></html>"
    return Reply(status, {"Content-Type": "text/html"}, (html,))


def stream(events: Sequence[Any | Pause], end: Literal["whole", "cut", "silent"] = "whole", done: bool = True) -> Reply:
    """Server-sent events, numbers among them being pauses; `done` sends the closing mark after them."""
    parts: list[bytes | Pause] = [event if isinstance(event, float) else sse(event) for event in events]
    if done and end == "whole":
        parts.append(b"data: [DONE]\n\n")
    return Reply(200, {"Content-Type": "text/event-stream"}, parts, end)


def sse(event: Any) -> bytes:
    """One event as it goes over the wire."""
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def piece(text: str | None, finish: str | None = None) -> dict[str, Any]:
    """An event of a chat stream."""
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": text} if text is not None else {}, "finish_reason": finish}],
    }


def text_stream(*texts: str, finish: str | None = "stop", usage: dict[str, int] | None = None) -> Reply:
    """A stream that says these texts, as it should be."""
    events = [*map(piece, texts), piece(None, finish)]
    return stream([*events, {"choices": [], "usage": usage}] if usage else events)


def vectors(*rows: Sequence[float], order: Sequence[int] | None = None) -> Reply:
    """An answer of an embeddings endpoint, its entries in this order."""
    places = range(len(rows)) if order is None else order
    data = [{"object": "embedding", "index": i, "embedding": list(rows[i])} for i in places]
    return answered({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}})
