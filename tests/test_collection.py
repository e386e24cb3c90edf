"""Collections: what their file says, what it leaves out, and names that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.collection import Collection, Stop, Talk, collection_names, load_collection
from kaijuan.errors import CollectionNotFound, CorpusError


def _write(corpus: Path, name: str, content: str | bytes) -> None:
    folder = corpus / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "collection.toml").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def test_everything_that_the_file_says(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "shop",
        'title = "网店"\ndescription = "说明"\nleg_size = 20\nchunk_chars = 256\noverlap_chars = 32\n'
        'examples = ["几天能退", "几时发货"]\n[baseline]\nthreshold = 4.5\n[checks]\ncode_gold = "s07#0"\n',
    )
    assert load_collection(tmp_path, "shop") == Collection(
        name="shop",
        folder=tmp_path / "shop",
        title="网店",
        description="说明",
        leg_size=20,
        chunk_chars=256,
        overlap_chars=32,
        examples=("几天能退", "几时发货"),
        baseline_threshold=4.5,
        checks={"code_gold": "s07#0"},
    )


def test_an_empty_file_is_a_collection_named_after_its_folder(tmp_path: Path) -> None:
    _write(tmp_path, "shop", "")
    found = load_collection(tmp_path, "shop")
    assert found == Collection("shop", tmp_path / "shop", "shop")
    assert found.questions_file == tmp_path / "shop" / "questions.jsonl"


def test_names_are_sorted_and_folders_without_the_file_are_none(tmp_path: Path) -> None:
    for name in ("b", "a-1", "c_2"):
        _write(tmp_path, name, "")
    (tmp_path / "empty").mkdir()
    _write(tmp_path, "Gross", "")
    (tmp_path / "file.toml").write_text("", encoding="utf-8")
    assert collection_names(tmp_path) == ["a-1", "b", "c_2"]
    assert collection_names(tmp_path / "none") == []


def test_stops_and_talks_of_a_demonstration(tmp_path: Path) -> None:
    first, second = '[[tour]]\nstep = 2\nquestion = "问"\nlook = "看"\n', 'step = 1\nquestion = "再问"\nlook = "再看"\n'
    _write(tmp_path, "shop", f'{first}[[tour]]\n{second}role = "管理"\n')
    _write(
        tmp_path, "talking", '[[talks]]\nquestions = ["一", "二"]\nthumb = "down"\nreason = "旧"\nhanded_over = true\n'
    )
    assert load_collection(tmp_path, "talking").talks == (Talk(("一", "二"), "down", "旧", True),)
    assert load_collection(tmp_path, "shop").tour == (Stop(2, "问", "看"), Stop(1, "再问", "再看", "管理"))


@pytest.mark.parametrize(
    "written",
    [
        '[[tour]]\nquestion = "问"\nlook = "看"\n',
        '[[tour]]\nstep = 1\nquestion = "问"\n',
        'tour = "问"\n',
        "tour = 3\n",
    ],
)
def test_a_stop_or_talk_that_says_too_little(written: str, tmp_path: Path) -> None:
    _write(tmp_path, "shop", written)
    with pytest.raises(CorpusError, match=r"shop/collection\.toml.*。$"):
        load_collection(tmp_path, "shop")


@pytest.mark.parametrize(
    "name",
    ["none", "", ".", "..", "../shop", "shop/", "shop/../shop", "Shop", "-shop", "店", "shop\n", "x" * 65, "a\0b"],
)
def test_what_is_no_collection_is_one_sentence_with_the_known_ones(name: str, tmp_path: Path) -> None:
    _write(tmp_path / "corpus", "shop", "")
    _write(tmp_path, "shop", "")
    with pytest.raises(CollectionNotFound) as error:
        load_collection(tmp_path / "corpus", name)
    assert "现有：shop。" in str(error.value) and len(str(error.value)) < 150


@pytest.mark.parametrize(
    "content",
    [
        "title = ",
        "leg_size = 'viele'",
        "leg_size = 0",
        "leg_size = 100000",
        "chunk_chars = [1]",
        "examples = 5",
        "baseline = 4.0",
        "checks = 'x'",
        "[baseline]\nthreshold = 'hoch'",
        b"\xff\xfe",
    ],
)
def test_a_bad_file_is_one_sentence_that_names_it(content: str | bytes, tmp_path: Path) -> None:
    _write(tmp_path, "shop", content)
    with pytest.raises(CorpusError) as error:
        load_collection(tmp_path, "shop")
    said = str(error.value)
    assert "shop" in said and said.endswith("。") and "\n" not in said


def test_a_string_of_examples_is_not_taken_apart(tmp_path: Path) -> None:
    _write(tmp_path, "shop", 'examples = "几天能退"')
    with pytest.raises(CorpusError):
        load_collection(tmp_path, "shop")
