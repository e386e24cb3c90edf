"""What the doctor asks of a collection: its examples and those of its labelled questions that have an answer."""

from __future__ import annotations

from kaijuan.collection import Collection
from kaijuan.errors import KaijuanError
from kaijuan.evaluation.questions import load_questions
from kaijuan.indexing.doctor import Patient
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Finding


def patient_of(collection: Collection, options: Options, unreadable: list[Finding]) -> Patient:
    """A collection with its questions; a question file that cannot be read is added to `unreadable`."""
    questions = list(collection.examples)
    try:
        if collection.questions_file.is_file():
            questions += [question.text for question in load_questions(collection.questions_file) if question.gold]
    except KaijuanError as error:
        unreadable.append(Finding.of_sentence("标注问题", error, collection.name, "warn"))
    return Patient(collection, options, tuple(dict.fromkeys(questions)))
