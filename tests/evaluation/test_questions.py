"""Labelled questions and data sets: what is read, and one clear sentence with file and line for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kaijuan.errors import CorpusError
from kaijuan.evaluation.questions import Question, frozen_hash, load_dataset, load_questions

GOOD = '{"id": "q1", "question": "几天能退", "gold": ["s01#0", "s02#0"], "kind": "number"}'
UNANSWERABLE = '{"id": "n1", "question": "今天下雨吗", "gold": []}'


def _sentence(error: pytest.ExceptionInfo[CorpusError]) -> str:
    said = str(error.value)
    assert "\n" not in said and said.endswith("。") and said.count("。") == 1, said
    return said


def test_questions_in_file_order(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{GOOD}\n\n{UNANSWERABLE}\n", encoding="utf-8")
    assert load_questions(file) == (
        Question("q1", "几天能退", ("s01#0", "s02#0"), "number"),
        Question("n1", "今天下雨吗", (), ""),
    )


@pytest.mark.parametrize("content", [f"\ufeff{GOOD}\n", f"{GOOD}\r\n", GOOD])
def test_byte_order_mark_and_line_ends_do_no_harm(content: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_bytes(content.encode("utf-8"))
    assert [q.id for q in load_questions(file)] == ["q1"]


def test_a_line_separator_inside_a_question_is_no_line_end(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(GOOD.replace("几天", "几\u2028天"), encoding="utf-8")
    assert load_questions(file)[0].text == "几\u2028天能退"


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ("{broken", "JSON"),
        ('{"id": "q2", "gold": []}', "question"),
        ('{"question": "q", "gold": []}', "id"),
        ('{"id": "q2", "question": "q"}', "gold"),
        ("[1, 2]", "id"),
        ('"text"', "id"),
        ('{"id": "q2", "question": "q", "gold": "s01#0"}', "gold"),
        ('{"id": "q2", "question": "q", "gold": null}', "gold"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(bad: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{GOOD}\n\n{bad}\n", encoding="utf-8")
    with pytest.raises(CorpusError) as error:
        load_questions(file)
    said = _sentence(error)
    assert "questions.jsonl" in said and "第 3 行" in said and named in said


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_missing_or_undecodable_file_is_named(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CorpusError) as error:
        load_questions(file)
    assert "questions.jsonl" in _sentence(error)


CORPUS = [{"id": "p1", "text": "七天内可退。", "title": "退货"}, {"id": "p2", "text": "满 99 元免运费。"}]
QUERIES = [{"id": "1", "text": "几天能退"}, {"id": "2", "text": "下雨吗"}]
QRELS = "query-id\tcorpus-id\tscore\n1\tp1\t1\n1\tp2\t0\n"


def _dataset(folder: Path, **files: str) -> Path:
    content = {
        "corpus.jsonl": "".join(json.dumps(row) + "\n" for row in CORPUS),
        "queries.jsonl": "".join(json.dumps(row) + "\n" for row in QUERIES),
        "qrels.tsv": QRELS,
        **{name.replace("_", "."): text for name, text in files.items()},
    }
    for name, text in content.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_data_set_is_read(tmp_path: Path) -> None:
    dataset = load_dataset(_dataset(tmp_path))
    assert dataset.name == tmp_path.name
    assert [(c.id, c.source_id, c.title, c.text) for c in dataset.chunks] == [
        ("p1", "p1", "退货", "七天内可退。"),
        ("p2", "p2", "", "满 99 元免运费。"),
    ]
    assert dataset.questions == (Question("1", "几天能退", ("p1",)), Question("2", "下雨吗", ()))


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_of_a_data_set_is_named(name: str, tmp_path: Path) -> None:
    (_dataset(tmp_path) / name).unlink()
    with pytest.raises(CorpusError) as error:
        load_dataset(tmp_path)
    assert name in _sentence(error)


@pytest.mark.parametrize(
    ("file", "content", "line"),
    [
        ("corpus_jsonl", '{"id": "p1", "text": "甲"}\n{"id": "p2"}\n', 2),
        ("queries_jsonl", "{\n", 1),
        ("qrels_tsv", "query-id\tcorpus-id\tscore\n1\tp1\t1\n1\tp2\n", 3),
        ("qrels_tsv", "query-id\tcorpus-id\tscore\n1 p1 1\n", 2),
        ("qrels_tsv", "query-id\tcorpus-id\tscore\n1\tp1\tyes\n", 2),
    ],
)
def test_a_bad_line_of_a_data_set_is_named(file: str, content: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as error:
        load_dataset(_dataset(tmp_path, **{file: content}))
    said = _sentence(error)
    assert file.replace("_", ".") in said and f"第 {line} 行" in said


def test_a_blank_line_at_the_end_of_the_labels_does_no_harm(tmp_path: Path) -> None:
    assert load_dataset(_dataset(tmp_path, qrels_tsv=f"{QRELS}\n")).questions[0].gold == ("p1",)


def test_labels_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    (_dataset(tmp_path) / "qrels.tsv").write_bytes(b"q\tc\ts\n\xff\tp1\t1\n")
    with pytest.raises(CorpusError) as error:
        load_dataset(tmp_path)
    assert "qrels.tsv" in _sentence(error)


def test_the_frozen_hash_sees_every_change_but_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("甲\n".encode())
    (tmp_path / "questions.jsonl").write_text(GOOD + "\n", encoding="utf-8")
    before = frozen_hash(tmp_path)
    (tmp_path / "a.md").write_bytes("甲\r\n".encode())
    (tmp_path / "collection.toml").write_text("title = 'x'", encoding="utf-8")
    assert frozen_hash(tmp_path) == before
    seen = {before}
    for name, text in (("a.md", "乙\n"), ("b.md", "甲\n"), ("questions.jsonl", GOOD.replace("几天", "多久") + "\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        seen.add(frozen_hash(tmp_path))
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    seen.add(frozen_hash(tmp_path))
    assert len(seen) == 5
