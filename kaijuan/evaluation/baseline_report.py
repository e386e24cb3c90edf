"""The baseline's report on a collection's baseline questions: printed lines and baseline.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kaijuan.collection import Collection
from kaijuan.errors import CorpusError
from kaijuan.evaluation.questions import load_questions
from kaijuan.readers import read_folder
from kaijuan.retrieval.baseline import Baseline, BaselineHit

#: The collection that the baseline is defined on, and the ids of its questions.
COLLECTION = "yunti"
_BASELINE_ID = re.compile(r"b\d+\Z")


def baseline_report(collection: Collection, k1: float, b: float, threshold: float | None = None) -> dict[str, Any]:
    """Top 3 of every baseline question with per-term shares; raises CorpusError without a threshold."""
    threshold = collection.baseline_threshold if threshold is None else threshold
    if threshold is None:
        raise CorpusError(
            f"集合 {collection.name} 的 collection.toml 没有 [baseline] threshold，请补上或用 --threshold 给出。"
        )
    baseline = Baseline(read_folder(collection.folder).documents, k1, b)
    questions = [q for q in load_questions(collection.questions_file) if _BASELINE_ID.match(q.id)]
    rows = []
    for question in questions:
        answer = baseline.answer(question.text, threshold)
        hits = [_hit(hit) for hit in answer.hits]
        rows.append(
            {
                "id": question.id,
                "question": question.text,
                "refused": answer.refused,
                "answer": answer.answer,
                "hits": hits,
            }
        )
    return {"k1": k1, "b": b, "threshold": threshold, "questions": rows}


def baseline_lines(report: dict[str, Any]) -> Iterator[str]:
    """The report as text, one line a hit."""
    yield f"k1={report['k1']} b={report['b']} threshold={report['threshold']}"
    for question in report["questions"]:
        yield f"{question['id']} {question['question']}{'（拒答）' if question['refused'] else ''}"
        for hit in question["hits"]:
            yield f"  {hit['score']:8.3f}  {hit['id']}  {hit['title']}  {hit['department'] or '-'}"


def _hit(hit: BaselineHit) -> dict[str, Any]:
    return {
        "id": hit.document.id,
        "score": hit.score,
        "title": hit.document.title,
        "department": hit.document.department,
        "terms": [{"term": share.term, "score": share.score} for share in hit.terms],
    }
