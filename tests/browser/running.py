"""The real app on a free port and a real browser, for the browser tests, the screenshots and the first-text benchmark."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60
_BROWSER_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str | None:
    """The browser to drive: KAIJUAN_CHROMIUM, else the one of the system."""
    named = os.environ.get("KAIJUAN_CHROMIUM")
    candidates = [named] if named else ["/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in candidates if (path := shutil.which(name))), None)


def what_is_missing() -> str | None:
    """Why no browser can be driven here, None when one can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None if chromium_path() else "no Chromium found (KAIJUAN_CHROMIUM, /usr/bin/chromium)"


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_app(environment: dict[str, str] | None = None, port: int | None = None) -> Iterator[str]:
    """Start the app, on a free port unless one is given, and give its address.

    Raises RuntimeError with the app's last output when it does not come up.
    """
    port = port or free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "asgi.py", f"--server.port={port}"]
    with tempfile.TemporaryFile() as output:
        app = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **(environment or {})}, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            if not _is_healthy(app, address):
                output.seek(0)
                said = output.read().decode("utf-8", "replace")[-2000:]
                raise RuntimeError(f"the app did not start within {START_SECONDS} s:\n{said}")
            yield address
        finally:
            app.terminate()
            try:
                app.wait(10)
            except subprocess.TimeoutExpired:
                app.kill()
                app.wait()


def _is_healthy(app: subprocess.Popen[bytes], address: str) -> bool:
    end = time.monotonic() + START_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and app.poll() is None:
        try:
            with direct.open(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.1)
    return False


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A headless Chromium; raises RuntimeError when there is none."""
    if missing := what_is_missing():
        raise RuntimeError(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(_BROWSER_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
