"""scripts/container, the entry point of the image, run on this machine: the app, the ingest command, the certificates."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kaijuan.settings import ROOT

SCRIPT = ROOT / "scripts" / "container"


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "KAIJUAN_DATA_DIR": str(tmp_path), "KAIJUAN_EMBEDDER": "none", **more}


def container(tmp_path: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments],
        env=environment(tmp_path, **more),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_script_serves_the_app(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = {"STREAMLIT_SERVER_PORT": str(probe.getsockname()[1])}
    before = container(tmp_path, "health", **port)
    app = subprocess.Popen([SCRIPT, "serve"], env=environment(tmp_path, **port), stdout=subprocess.DEVNULL)
    try:
        healthy = False
        for _ in range(120):
            if app.poll() is not None or (healthy := container(tmp_path, "health", **port).returncode == 0):
                break
            time.sleep(0.5)
    finally:
        app.terminate()
        app.wait(20)
    assert healthy
    assert before.returncode == 1
    assert "does not answer" in before.stderr


def test_the_script_hands_its_words_on(tmp_path: Path) -> None:
    assert container(tmp_path, "ingest").returncode == 2
    assert container(tmp_path, "echo", "a  b").stdout == "a  b\n"
    wrong = container(tmp_path, "serve", KAIJUAN_EMBEDDER="bert")
    assert wrong.returncode == 2
    assert "KAIJUAN_EMBEDDER" in wrong.stderr


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("the certificates are made with openssl")
    for name in ("node", "ca"):
        (tmp_path / name).mkdir()
    return tmp_path / "node", tmp_path / "ca"


@contextmanager
def tls_server(node: Path) -> Iterator[int]:
    """A server with the node's certificate that takes one connection; its port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(node / "node.pem", node / "node-key.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def take() -> None:
            connection, _ = listening.accept()
            try:
                context.wrap_socket(connection, server_side=True).close()
            except OSError:  # the client turned away
                connection.close()

        thread = threading.Thread(target=take)
        thread.start()
        yield listening.getsockname()[1]
        thread.join(10)


@pytest.mark.parametrize(
    ("host", "trusted"), [("opensearch", True), ("localhost", True), ("node-0.example.com", False)]
)
def test_the_certificates_hold_for_the_service_alone(folders: tuple[Path, Path], host: str, trusted: bool) -> None:
    node, ca = folders
    made = container(ca.parent, "certificates", str(node), str(ca))
    assert made.returncode == 0, made.stderr
    context = ssl.create_default_context(cafile=ca / "ca.pem")
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    with tls_server(node) as port, socket.create_connection(("127.0.0.1", port), 10) as plain:
        if trusted:
            context.wrap_socket(plain, server_hostname=host).close()
        else:
            with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
                context.wrap_socket(plain, server_hostname=host)


def test_certificates_are_made_once_and_again_when_they_are_spoilt(folders: tuple[Path, Path]) -> None:
    node, ca = folders

    def serial() -> bytes:
        assert container(ca.parent, "certificates", str(node), str(ca)).returncode == 0
        return (node / "node.pem").read_bytes()

    first = serial()
    assert serial() == first
    assert sorted(path.name for path in [*node.iterdir(), *ca.iterdir()]) == [
        "ca.pem",
        "ca.pem",
        "node-key.pem",
        "node.pem",
    ]
    assert (node / "node-key.pem").stat().st_mode & 0o077 == 0
    (ca / "ca.pem").unlink()
    assert serial() != first
