"""`python -m ingest` as a person calls it: output, exit status, and one sentence for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.__main__ import main as ingest_main
from kaijuan.__main__ import main as kaijuan_main
from tests.commands import Run, check_one_sentence, process, runner
from tests.indexing.workplace import NAME, Workplace

QUESTION = "退货运费由谁承担"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    made = Workplace(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def indexed(place: Workplace) -> Workplace:
    place.ingest()
    return place


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.mark.parametrize("sizes", ["chunk_chars = 0", "chunk_chars = 100\noverlap_chars = 100", "overlap_chars = -1"])
def test_sizes_that_make_no_chunks_are_one_sentence(sizes: str, indexed: Workplace, run: Run) -> None:
    indexed.write("collection.toml", sizes)
    ended = run(ingest_main, NAME)
    assert ended.status == 1 and ended.err.count("\n") == 1 and ended.err.rstrip().endswith("。")
    assert run(kaijuan_main, "ask", NAME, QUESTION).status == 0, "the index that is there goes on answering"


def test_ingest_says_what_it_did_and_then_that_nothing_changed(place: Workplace) -> None:
    first = process("ingest", NAME)
    assert first.status == 0, first.err
    assert "3 篇文档" in first.out and "v0001" in first.out and "秒" in first.out
    again = process("ingest", NAME)
    assert again.status == 0 and "没有变化" in again.out and "新算向量 0 个" in again.out


def test_ingest_without_names_is_one_sentence(place: Workplace, run: Run) -> None:
    ended = run(ingest_main)
    assert (ended.status, ended.out) == (2, "") and ended.err.count("\n") == 1 and "--all" in ended.err


def test_ingest_goes_on_after_an_unknown_collection_and_ends_1(place: Workplace, run: Run) -> None:
    ended = run(ingest_main, "nichts", NAME)
    assert ended.status == 1 and "3 篇文档" in ended.out
    assert "nichts" in ended.err and ended.err.count("\n") == 1 and "Traceback" not in ended.err


def test_ingest_all_takes_every_collection_and_if_missing_only_new_ones(place: Workplace, run: Run) -> None:
    other = place.settings.corpus_dir / "zweite"
    other.mkdir()
    (other / "collection.toml").write_text('title = "第二个"\n', encoding="utf-8")
    (other / "a.md").write_text("别的资料。\n", encoding="utf-8")
    run(ingest_main, NAME)
    ended = run(ingest_main, "--all", "--if-missing")
    assert ended.status == 0
    assert f"{NAME}：已有索引" in ended.out and "zweite：已切换到" in ended.out


@pytest.mark.parametrize(
    ("name", "content"), [("图.png", b"\x89PNG\r\n\x1a\n"), ("坏.md", b"\x00\xff\xfe\x81" * 40), ("断.md", None)]
)
def test_an_unreadable_document_is_named_the_others_are_indexed_and_the_end_is_1(
    name: str, content: bytes | None, place: Workplace, run: Run
) -> None:
    if content is None:
        (place.folder / name).symlink_to(place.folder / "nicht-da.md")
    else:
        place.write(name, content)
    ended = run(ingest_main, NAME)
    assert ended.status == 1 and "3 篇文档" in ended.out
    line = next(line for line in ended.out.splitlines() if "跳过" in line)
    assert name in line and line.endswith("。")


def test_an_empty_document_is_mentioned_but_no_failure(place: Workplace, run: Run) -> None:
    place.write("空.md", b"")
    ended = run(ingest_main, NAME)
    assert ended.status == 0 and "空.md" in ended.out


def test_nothing_to_index_is_one_sentence(place: Workplace, run: Run) -> None:
    for file in place.folder.glob("*.*"):
        if file.name != "collection.toml":
            file.unlink()
    ended = run(ingest_main, NAME)
    assert ended.status == 1 and ended.err.count("\n") == 1 and "没有可以索引的文档" in ended.err


def test_versions_and_rollback(place: Workplace, run: Run) -> None:
    run(ingest_main, NAME)
    check_one_sentence(run(ingest_main, "rollback", NAME), NAME)
    place.write("退货.md", "第二版：八天内可以退货。\n")
    run(ingest_main, NAME)
    listed = run(ingest_main, "versions", NAME).out.splitlines()
    assert [line[:1] for line in listed] == [" ", "*"] and "v0001" in listed[0] and "v0002" in listed[1]
    assert "八天" in run(kaijuan_main, "ask", NAME, "几天内可以退货").out
    assert run(ingest_main, "rollback", NAME).status == 0
    assert "七天" in run(kaijuan_main, "ask", NAME, "几天内可以退货").out
    check_one_sentence(run(ingest_main, "rollback", NAME, "v0099"), "v0099")
    check_one_sentence(run(ingest_main, "rollback", NAME, "../v0001"), "../v0001")
    assert run(ingest_main, "rollback", NAME, "v0002").status == 0


@pytest.mark.parametrize(
    "arguments", [("versions",), ("rollback",), ("rollback", "a", "b", "c"), ("versions", "a", "b")]
)
def test_a_wrong_call_of_ingest_says_how_to_call_it(arguments: tuple[str, ...], place: Workplace, run: Run) -> None:
    ended = run(ingest_main, *arguments)
    assert ended.status == 2 and ended.out == "" and "python -m ingest" in ended.err


def test_a_reindex_that_makes_the_frozen_questions_worse_ends_1_until_it_is_forced(place: Workplace, run: Run) -> None:
    place.write("questions.jsonl", '{"id": "q2", "question": "电子发票什么时候开具", "gold": ["d2"]}\n')
    first = run(ingest_main, NAME)
    assert first.status == 0 and "质量门禁：首次建立" in first.out and "recall@5 100.0%" in first.out
    place.write("发票.md", "---\nid: d2\ntitle: 公告\n---\n\n本页内容已经移走。\n")
    refused = run(ingest_main, NAME)
    assert refused.status == 1 and refused.out == "" and refused.err.count("\n") == 1 and "--no-gate" in refused.err
    assert "v0001" in run(ingest_main, "versions", NAME).out and "v0002" not in run(ingest_main, "versions", NAME).out
    forced = run(ingest_main, NAME, "--no-gate")
    assert forced.status == 0 and "变差的问题：q2" in forced.out
    assert "强制切换" in run(ingest_main, "versions", NAME).out
