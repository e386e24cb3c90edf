"""Figures of one version of a collection on its frozen questions, for the gate of an ingest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from kaijuan.collection import Collection
from kaijuan.errors import QuestionError
from kaijuan.evaluation.metrics import QuestionScores, score
from kaijuan.evaluation.questions import Question, load_questions
from kaijuan.evaluation.run import EVALUATOR, ranked_ids
from kaijuan.indexing.gate import Figures
from kaijuan.retrieval.retrieve import Options, Stages, retrieve


def frozen_figures(collection: Collection, version: str, stages: Stages, options: Options) -> Figures | None:
    """Figures of the final ranking over all questions with gold; None when the collection has none.

    Raises CorpusError for a question file that cannot be read, IndexMismatch for a version of another model.
    """
    if not collection.questions_file.is_file():
        return None
    questions = [question for question in load_questions(collection.questions_file) if question.gold]
    if not questions:
        return None
    asked = replace(options, version=version)
    own = {question.id: final_scores(question, collection.name, stages, asked) for question in questions}
    return Figures(
        questions=questions_hash(questions),
        scored=len(own),
        recall5=_mean([scores.recall5 for scores in own.values()]),
        recall20=_mean([scores.recall20 for scores in own.values()]),
        rr=_mean([scores.rr for scores in own.values()]),
        by_question={id_: (scores.recall5, scores.recall20, scores.rr) for id_, scores in own.items()},
    )


def questions_hash(questions: Sequence[Question]) -> str:
    """SHA-256 over ids, texts and labels."""
    rows = [[question.id, question.text, list(question.gold)] for question in questions]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode("utf-8")).hexdigest()


def final_scores(question: Question, collection: str, stages: Stages, options: Options) -> QuestionScores:
    """Figures of the final ranking for one question with gold; all 0 where nothing in it can be searched."""
    try:
        trace = retrieve(question.text, collection, stages, options, EVALUATOR)
    except QuestionError:
        return score(question.gold, [])  # nothing searchable in it
    return score(question.gold, ranked_ids([candidate.chunk for candidate in trace.candidates], question.gold))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
