"""Certificates made on the spot with openssl: an authority, and what it signs."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

#: Why none can be made here, None when they can.
MISSING = None if shutil.which("openssl") else "openssl was not found"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, as PEM files."""

    file: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Authority:
    """A certificate that signs others; all files lie in one folder."""

    folder: Path
    own: Certificate

    @classmethod
    def made(cls, folder: Path, name: str) -> Authority:
        """A new authority of this name."""
        own = _files(folder, name)
        _openssl("req", "-x509", *_NEW_KEY, "-keyout", own.key, "-out", own.file, "-days", "2", "-subj", f"/CN={name}")
        return cls(folder, own)

    def sign(self, name: str, hosts: str = "IP:127.0.0.1,DNS:localhost", days: int = 2) -> Certificate:
        """A certificate for these hosts; `days` below 0 makes one that has expired."""
        signed, request, extra = _files(self.folder, name), self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        extra.write_text(f"subjectAltName={hosts}\n", encoding="utf-8")
        _openssl("req", *_NEW_KEY, "-keyout", signed.key, "-out", request, "-subj", f"/CN={name}")
        by = ("-CA", self.own.file, "-CAkey", self.own.key, "-CAcreateserial", "-extfile", extra)
        _openssl("x509", "-req", "-in", request, "-out", signed.file, "-days", str(days), *by)
        return signed


_NEW_KEY = ("-newkey", "rsa:2048", "-nodes")


def _files(folder: Path, name: str) -> Certificate:
    return Certificate(folder / f"{name}.pem", folder / f"{name}-key.pem")


def _openssl(*arguments: str | Path) -> None:
    done = subprocess.run(["openssl", *arguments], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
