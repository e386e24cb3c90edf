"""A node over real HTTP that answers what the test says, and everything else as the real server behind it does."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: A JSON value, (status, JSON value), raw text, None to hang up, or a function of the real server's answer.
Answer = Any
NOTHING = {"error": {"type": "index_not_found_exception", "reason": "no such index"}}
_REAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def node(answers: Mapping[str, Answer], behind: str = "") -> Iterator[str]:
    """URL of a node with answers by path (query left out), "*" for all others; without that, they are the server's, or 404."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            path = path if path in answers else "*"
            if path not in answers:
                status, answer = self._real() if behind else (404, NOTHING)
            elif answers[path] is None:
                return  # hangs up without a word
            elif callable(answers[path]):
                status, answer = self._real()
                answer = answers[path](answer)
            else:
                answer = answers[path]
                status, answer = answer if isinstance(answer, tuple) else (200, answer)
            raw = isinstance(answer, str)
            body = (answer if raw else json.dumps(answer)).encode()
            self.send_response(status)
            self.send_header("content-type", "text/html" if raw else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PUT = do_DELETE = do_GET

        def _real(self) -> tuple[int, Any]:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length) if length else None
            headers = {"content-type": self.headers.get("content-type") or "application/json"}
            request = urllib.request.Request(behind + self.path, body, headers, method=self.command)
            try:
                with _REAL.open(request, timeout=30) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
