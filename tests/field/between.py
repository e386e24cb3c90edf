"""A real HTTP server between the product and OpenSearch: notes what was asked, and may answer in the server's place."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_HEADERS = ("content-type", "accept", "authorization")
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the product sent it; `path` without its parameters."""

    method: str
    path: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back."""

    status: int
    body: bytes
    content_type: str = "application/json; charset=UTF-8"


#: Passes a request on to the server.
Forward = Callable[[Request], Reply]
#: Answers a request, by passing it on or otherwise.
Answer = Callable[[Request, Forward], Reply]


@dataclass(slots=True)
class Between:
    """What was asked so far, in order, with the status of each answer; `url` is where the product has to ask."""

    url: str = ""
    seen: list[tuple[Request, int]] = field(default_factory=list)

    def writes(self, part: str) -> list[Request]:
        """Requests that change something and have this part in their path."""
        return [request for request, _ in self.seen if request.method not in ("GET", "HEAD") and part in request.path]

    def steps(self, *parts: str) -> list[str]:
        """Those of these parts of paths that were asked for, in the order in which they were."""
        return [part for request, _ in self.seen for part in parts if request.path.endswith(part)]


@contextmanager
def between(url: str, answer: Answer | None = None) -> Iterator[Between]:
    """Stand in front of the server at `url`; every answer is its own unless `answer` has another."""
    server = urlsplit(url)
    watched = Between()

    def forward(request: Request) -> Reply:
        connection = http.client.HTTPConnection(server.hostname or "", server.port, timeout=_PATIENCE)
        try:
            connection.request(request.method, request.target, request.body or None, request.headers)
            response = connection.getresponse()
            return Reply(response.status, response.read(), response.getheader("content-type") or "")
        finally:
            connection.close()

    class Handler(BaseHTTPRequestHandler):
        """Hands every request over, whatever its method."""

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name: self.headers[name] for name in _HEADERS if self.headers[name]}
            request = Request(self.command, urlsplit(self.path).path, self.path, headers, body)
            reply = answer(request, forward) if answer else forward(request)
            watched.seen.append((request, reply.status))
            self.send_response(reply.status)
            self.send_header("content-type", reply.content_type)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            if request.method != "HEAD":
                self.wfile.write(reply.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _any

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the terminal."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    watched.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield watched
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
