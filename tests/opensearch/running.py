"""Servers of the tests' own, which may be killed: scripts/opensearch starts them in a folder of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kaijuan.settings import ROOT

SCRIPT = ROOT / "scripts" / "opensearch"
#: Ports that nobody gets by chance: below those that the system hands out.
_PORTS = range(9500, 9900)
#: Seconds until a port that should have been closed long ago is given up.
_PATIENCE = 60.0
# The second compiler costs as much as it saves in a server that lives for seconds.
_HEAP = "-Xms256m -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class CannotStart(Exception):
    """There is no server to be had here (no Java, no Maven, no network); the reason is the script's own."""


class OwnServer:
    """A server that keeps its port and its data while it is killed and started again."""

    def __init__(self, folder: Path, port: int, scheme: str = "http") -> None:
        self.folder, self.url = folder, f"{scheme}://127.0.0.1:{port}"
        self._port = port

    @property
    def config(self) -> Path:
        """Folder of the server's configuration."""
        [home] = self.folder.glob("server-*/config")
        return home

    def start(self) -> None:
        """Start it, unless it runs, and wait until it answers; raises CannotStart."""
        started = _script(self.folder, "start", "--port", str(self._port))
        if started.returncode:
            # Once it has said something, it is no longer a matter of what is installed.
            began = (self.folder / "console.log").is_file()
            raise (RuntimeError if began else CannotStart)(started.stderr.strip())
        assert started.stdout.split()[-1] == self.url

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the server's process; raises ProcessLookupError where it does not run."""
        try:
            pid = int((self.folder / "server.pid").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ProcessLookupError from None
        # The system may have given the number to somebody else since.
        args = ["ps", "-ww", "-p", str(pid), "-o", "args="]
        if str(self.folder) not in subprocess.run(args, capture_output=True, text=True, check=False).stdout:
            raise ProcessLookupError
        os.kill(pid, number)

    def kill(self) -> None:
        """End it at once, as a power cut would; nothing happens where it does not run."""
        with suppress(ProcessLookupError):
            self.send(signal.SIGKILL)
        end = time.monotonic() + _PATIENCE
        while self.listens():
            assert time.monotonic() < end, "the killed server still listens"
            time.sleep(0.02)

    def listens(self) -> bool:
        """Whether anything takes connections at its port."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


@contextmanager
def own_server(settings: Sequence[str] = (), plugins: Sequence[str] = (), scheme: str = "http") -> Iterator[OwnServer]:
    """A server that is not started yet, its files shared with the assembled one; ended and removed afterwards.

    `settings` are lines of opensearch.yml; `plugins` are optional plugins that scripts/opensearch can fetch.
    """
    if shutil.which("java") is None:
        raise CannotStart("java was not found")
    assembled = Path(os.environ.get("KAIJUAN_OPENSEARCH_HOME") or ROOT / ".opensearch").resolve()
    fetched = _script(assembled, "fetch", *(f"--{name}" for name in plugins))
    if fetched.returncode:
        raise CannotStart(fetched.stderr.strip())
    # Open to the account that runs the server when root starts it.
    folder = Path(tempfile.mkdtemp(prefix="kaijuan-opensearch-"))
    folder.chmod(0o755)
    server = OwnServer(folder, _free_port(), scheme)
    try:
        _link(assembled, folder, plugins)
        (folder / "opensearch.yml").write_text("".join(f"{line}\n" for line in settings), encoding="utf-8")
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _link(assembled: Path, folder: Path, plugins: Sequence[str]) -> None:
    [tree] = assembled.glob("server-*")
    home = folder / tree.name
    (home / "config").mkdir(parents=True)
    shutil.copy(tree / "config" / "log4j2.properties", home / "config")
    for name in ("lib", "modules"):
        (home / name).symlink_to(tree / name)
    # The server takes a plugin behind a symbolic link for two of the same.
    shutil.copytree(tree / "plugins", home / "plugins", copy_function=_hard_link)
    for name in plugins:
        [laid] = assembled.glob(f"opensearch-{name}-*")
        shutil.copytree(laid, home / "plugins" / f"opensearch-{name}", copy_function=_hard_link)


def _hard_link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or somebody else's files
        shutil.copy(source, target)


def _free_port() -> int:
    for port in _PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise CannotStart(f"no free port in {_PORTS}")


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "KAIJUAN_OPENSEARCH_HOME": str(folder), "KAIJUAN_OPENSEARCH_HEAP": _HEAP}


def _script(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments],
        env=_environment(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
