"""Everything that can stand between us and the server ends in one sentence that names the setting to look at."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.faults import TimedOut, Unreachable
from kaijuan.errors import EngineError
from tests.opensearch.certificates import MISSING, Authority, Certificate
from tests.opensearch.sentences import one_sentence

needs_openssl = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that hang up."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Silent."""


class _Empty(BaseHTTPRequestHandler):
    """Answers with an empty JSON object."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def listening(certificate: Certificate | None = None) -> Iterator[int]:
    """Port of a server, with TLS where it has a certificate."""
    server = _Quiet(("127.0.0.1", 0), _Empty)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.file, certificate.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def greeted(url: str, ca_file: str | Path = "", verify: bool = True, timeout: float = 30.0) -> object:
    """What the server says."""
    client = Client(Server(url, ca_file=str(ca_file), verify=verify, timeout=timeout))
    try:
        return client.read("GET", "/")
    finally:
        client.close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.made(tmp_path_factory.mktemp("authority"), "authority")


@needs_openssl
def test_a_certificate_of_the_own_authority(authority: Authority) -> None:
    with listening(authority.sign("good")) as port:
        assert greeted(f"https://127.0.0.1:{port}", authority.own.file) == {}
        assert greeted(f"https://localhost:{port}", authority.own.file) == {}
        assert greeted(f"https://127.0.0.1:{port}", verify=False) == {}


@needs_openssl
@pytest.mark.parametrize(
    ("hosts", "days", "words"),
    [("DNS:elsewhere.example", 2, ("主机名", "KAIJUAN_OPENSEARCH_URL")), ("IP:127.0.0.1", -1, ("过期",))],
)
def test_a_certificate_that_does_not_hold(authority: Authority, hosts: str, days: int, words: tuple[str, ...]) -> None:
    certificate = authority.sign("bad", hosts, days)
    with listening(certificate) as port, one_sentence("证书无法验证", *words, kind=EngineError):
        greeted(f"https://127.0.0.1:{port}", authority.own.file)


@needs_openssl
def test_an_authority_that_is_not_known(authority: Authority, tmp_path: Path) -> None:
    stranger = Authority.made(tmp_path, "stranger")
    with listening(authority.sign("good")) as port:
        for ca_file in ("", stranger.own.file):
            with one_sentence("证书无法验证", "KAIJUAN_OPENSEARCH_CA", kind=EngineError):
                greeted(f"https://127.0.0.1:{port}", ca_file)


@needs_openssl
def test_a_file_that_holds_no_authority(authority: Authority, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("no certificate\n", encoding="utf-8")
    with listening(authority.sign("good")) as port:
        for ca_file in (tmp_path / "nowhere.pem", tmp_path, tmp_path / "empty.pem"):
            with one_sentence("CA 证书读不出来", "KAIJUAN_OPENSEARCH_CA", kind=EngineError):
                greeted(f"https://127.0.0.1:{port}", ca_file)


@needs_openssl
def test_http_and_https_mixed_up(authority: Authority) -> None:
    with listening() as port, one_sentence("没有用 TLS", "KAIJUAN_OPENSEARCH_URL", kind=EngineError):
        greeted(f"https://127.0.0.1:{port}", authority.own.file)
    with listening(authority.sign("good")) as port, one_sentence("连接不上", "http/https", kind=Unreachable):
        greeted(f"http://127.0.0.1:{port}")


def test_a_name_that_does_not_exist() -> None:
    with one_sentence("连接不上", "nowhere.invalid", "KAIJUAN_OPENSEARCH_URL", kind=Unreachable):
        greeted("http://nowhere.invalid:9200")


def test_a_connection_that_is_never_taken_is_tried_once() -> None:
    """As behind a firewall that drops everything: the queue of connections is full and nobody takes one out."""
    with ExitStack() as stack:
        deaf = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())
        with one_sentence("规定时间", "防火墙", kind=TimedOut):
            greeted(f"http://127.0.0.1:{deaf.getsockname()[1]}", timeout=0.5)


def test_a_server_that_says_nothing() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        one_sentence("规定时间", "KAIJUAN_OPENSEARCH_TIMEOUT", kind=TimedOut),
    ):
        greeted(f"http://127.0.0.1:{mute.getsockname()[1]}", timeout=0.5)
