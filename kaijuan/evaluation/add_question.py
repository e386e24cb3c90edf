"""Adding a labelled question to a collection's questions.jsonl, in one atomic step; a frozen set is left alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError
from kaijuan.evaluation.questions import Question, load_questions
from kaijuan.text import clean, fold

_FROZEN = "frozen.sha256"
_NUMBERED = re.compile(r"n(\d+)\Z")


def add_question(collection: Collection, text: str, gold: Sequence[str]) -> Question:
    """The question as it was added, under the next free id n01, n02, …

    Raises CorpusError for a frozen collection, an empty question, one without gold or one that is there already, and
    where the file cannot be read or written.
    """
    asked = " ".join(clean(text).split())
    if not asked or not gold:
        raise CorpusError("加入评测的问题要有文字和至少一个应找到的片段，请补上后再保存。")
    if (collection.folder / _FROZEN).is_file():
        raise CorpusError(f"集合 {collection.name} 的评测问题是冻结的（{_FROZEN}），不能加入新问题，请换一个集合。")
    file = collection.questions_file
    known = load_questions(file) if file.is_file() else ()
    if double := next((question for question in known if fold(question.text) == fold(asked)), None):
        raise CorpusError(f"这个问题已经在评测集里（{double.id}），请直接修改 {file.name}。")
    question = Question(_next_id(known), asked, tuple(dict.fromkeys(gold)), "added")
    row = {"id": question.id, "question": question.text, "gold": list(question.gold), "kind": question.kind}
    _append(file, json.dumps(row, ensure_ascii=False))
    return question


def _next_id(known: Sequence[Question]) -> str:
    numbers = [int(match[1]) for question in known if (match := _NUMBERED.match(question.id))]
    return f"n{max(numbers, default=0) + 1:02d}"


def _append(file: Path, line: str) -> None:
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        gap = "\n" if before and not before.endswith("\n") else ""
        temporary.write_text(f"{before}{gap}{line}\n", encoding="utf-8")
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CorpusError(f"评测问题没有写进 {file.name}（{error.strerror}），请检查目录权限。") from error
