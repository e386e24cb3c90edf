"""The pinned files: what is refused, what is put in place, and a tokenizer rebuilt from another copy's vocabulary."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kaijuan.errors import ModelUnavailable
from kaijuan.models.bge_files import BGE, ModelFiles, bge_folder, rebuilt_tokenizer
from kaijuan.settings import Settings

MODEL, TOKENIZER = b"model", b"tokenizer"


def pinned(model: bytes, tokenizer: bytes) -> ModelFiles:
    return ModelFiles("m.onnx", hashlib.sha256(model).hexdigest(), "t.json", hashlib.sha256(tokenizer).hexdigest())


def test_installed_files_are_without_problem(tmp_path: Path) -> None:
    files = pinned(MODEL, TOKENIZER)
    files.install(tmp_path / "new", MODEL, TOKENIZER)
    assert files.problem(tmp_path / "new") is None
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["m.onnx", "t.json"]


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    files = pinned(MODEL, TOKENIZER)
    assert files.problem(tmp_path) == "缺少文件 m.onnx"
    files.install(tmp_path, MODEL, TOKENIZER)
    (tmp_path / "t.json").write_bytes(TOKENIZER[:-1])
    assert files.problem(tmp_path) == "文件 t.json 已损坏（哈希不符）"


@pytest.mark.parametrize(("model", "tokenizer", "name"), [(b"other", TOKENIZER, "m.onnx"), (MODEL, b"other", "t.json")])
def test_another_hash_is_refused_and_replaces_nothing(
    tmp_path: Path, model: bytes, tokenizer: bytes, name: str
) -> None:
    files = pinned(MODEL, TOKENIZER)
    files.install(tmp_path, MODEL, TOKENIZER)
    with pytest.raises(ModelUnavailable, match=name):
        files.install(tmp_path, model, tokenizer)
    assert files.problem(tmp_path) is None


def test_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="无法写入"):
        pinned(MODEL, TOKENIZER).install(tmp_path / "file" / "folder", MODEL, TOKENIZER)


def test_tokenizer_with_other_settings_is_rebuilt_from_its_vocabulary(tmp_path: Path) -> None:
    vocab = {"[PAD]": 0, "退": 1, "货": 2}
    theirs = {"truncation": {"max_length": 512}, "normalizer": {"lowercase": True}, "model": {"vocab": vocab}}
    shuffled = {**theirs, "model": {"vocab": dict(reversed(vocab.items()))}}
    ours = rebuilt_tokenizer(json.dumps(theirs).encode())
    assert ours is not None
    files = pinned(MODEL, ours)

    files.install(tmp_path, MODEL, json.dumps(shuffled).encode())
    assert (tmp_path / "t.json").read_bytes() == ours

    theirs["model"] = {"vocab": {**vocab, "款": 3}}
    with pytest.raises(ModelUnavailable, match="词表也不同"):
        files.install(tmp_path, MODEL, json.dumps(theirs).encode())


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", b"[]", b"{}", b'{"model": {"vocab": ["a"]}}', b'{"model": {"vocab": {"a": null, "b": 1}}}']
)
def test_what_holds_no_vocabulary_cannot_be_rebuilt(raw: bytes) -> None:
    assert rebuilt_tokenizer(raw) is None


def test_real_tokenizer_is_its_vocabulary_and_the_fixed_settings() -> None:
    folder = bge_folder(Settings().model_dir)
    if problem := BGE.problem(folder):
        pytest.skip(f"no local model: {problem}")
    pinned_bytes = (folder / BGE.tokenizer).read_bytes()
    theirs = json.loads(pinned_bytes)
    theirs["normalizer"]["lowercase"] = True
    theirs["truncation"] = {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0}
    assert rebuilt_tokenizer(json.dumps(theirs).encode()) == pinned_bytes
