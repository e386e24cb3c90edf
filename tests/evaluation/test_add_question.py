"""Questions added on the bench: one line more, nothing else changed, a frozen set left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError
from kaijuan.evaluation.add_question import add_question
from kaijuan.evaluation.questions import load_questions

FIRST = '{"id": "q1", "question": "退款几天到账", "gold": ["d1"]}'


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    (tmp_path / "questions.jsonl").write_text(FIRST, encoding="utf-8")  # without a line end, as editors leave it
    return Collection("tiny", tmp_path, "小集合")


def test_a_question_is_one_line_more(collection: Collection) -> None:
    first = add_question(collection, " 邮费\u200b怎么算 ", ["s1#0", "s1#0", "s2#1"])
    second = add_question(collection, "发票怎么开", ["s3#0"])
    lines = collection.questions_file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == FIRST and len(lines) == 3 and (first.id, second.id) == ("n01", "n02")
    assert load_questions(collection.questions_file)[1:] == (first, second)
    assert first.text == "邮费怎么算" and first.gold == ("s1#0", "s2#1")


def test_the_first_question_makes_the_file(tmp_path: Path) -> None:
    made = Collection("new", tmp_path, "新")
    added = add_question(made, "退款", ["a#0"])
    assert load_questions(made.questions_file) == (added,)


@pytest.mark.parametrize(
    ("text", "gold", "said"), [("", ["a#0"], "文字"), ("退货", [], "片段"), ("退款几天到账", ["a"], "q1")]
)
def test_what_cannot_be_added_is_one_sentence(collection: Collection, text: str, gold: list[str], said: str) -> None:
    before = collection.questions_file.read_bytes()
    with pytest.raises(CorpusError, match=said) as error:
        add_question(collection, text, gold)
    assert str(error.value).count("。") == 1 and collection.questions_file.read_bytes() == before


def test_a_frozen_set_stays_frozen(collection: Collection) -> None:
    (collection.folder / "frozen.sha256").write_text("x", encoding="utf-8")
    with pytest.raises(CorpusError, match="冻结"):
        add_question(collection, "邮费怎么算", ["s1#0"])
    assert [p.name for p in collection.folder.iterdir() if p.name.startswith(".")] == []
