"""A preview of synonyms in the background: a thread asks the questions, whoever started it looks how far it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.evaluation.preview import Preview, preview
from kaijuan.evaluation.questions import Question
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.retrieval.synonyms import Synonyms


@dataclass(frozen=True, slots=True)
class Subject:
    """What is previewed: the edited text, the text on disk, the questions, and which build answers.

    Two equal subjects give the same figures.
    """

    collection: str
    edited: str
    present: str | None
    questions: tuple[Question, ...]
    build: str


class PreviewRun:
    """A preview under way or over; `result` or `fault` stands when it is finished."""

    def __init__(self, subject: Subject, stages: Stages, options: Options, edited: Synonyms | None) -> None:
        self.subject = subject
        self.done, self.total = 0, len(subject.questions)
        self.result: Preview | None = None
        self.fault: Exception | None = None
        self._thread = threading.Thread(
            target=self._run, args=(subject.questions, stages, options, edited), name="synonyms", daemon=True
        )
        self._thread.start()

    @property
    def finished(self) -> bool:
        """Whether it is over, one way or the other."""
        return self.result is not None or self.fault is not None

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it is over."""
        self._thread.join(seconds)
        return self.finished

    def _run(self, questions: Sequence[Question], stages: Stages, options: Options, edited: Synonyms | None) -> None:
        try:
            self.result = preview(self.subject.collection, questions, stages, options, edited, self._step)
        except Exception as error:  # whoever looks must learn that it is over, whatever it was
            self.fault = error

    def _step(self, count: int) -> None:
        self.done += count
