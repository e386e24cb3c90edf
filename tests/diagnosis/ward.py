"""A small real collection in which one stage is made to lose a passage, and the diagnosis of it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kaijuan.answering.generate import Chatting
from kaijuan.diagnosis.diagnose import Examining, diagnose
from kaijuan.diagnosis.types import Diagnosis
from kaijuan.models.base import Reranker
from kaijuan.types import Candidate, Hit, Viewer
from tests.indexing.workplace import DOCUMENTS, NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder

ALL = Viewer(name="examiner", sees_all=True)
ANYBODY = Viewer()


class Reversed:
    """A reranker that likes the worst best."""

    name = "reversed"

    def scores(
        self, question: str, candidates: Sequence[Candidate], vector_hits: Sequence[Hit], term_weights: dict[str, float]
    ) -> list[float]:
        """See Reranker.scores."""
        return [float(place) for place in range(len(candidates))]


class FarEmbedder(LetterEmbedder):
    """The same model, which counts everything as off-topic."""

    floor = 9.0


@dataclass(frozen=True)
class Ward:
    """The collection under `root` with these files beside (or in place of) nothing else."""

    root: Path
    files: dict[str, str | bytes]
    toml: str = ""
    embedder: LetterEmbedder | None = field(default_factory=LetterEmbedder)

    def admit(self) -> Ward:
        """Write the files and ingest them."""
        place = self.place
        for name in DOCUMENTS:
            (place.folder / name).unlink(missing_ok=True)
        self.settings(self.toml)
        for name, text in self.files.items():
            self.write(name, text)
        place.ingest(self.embedder)
        return self

    @property
    def place(self) -> Workplace:
        """Where it stands."""
        return Workplace(self.root)

    def write(self, name: str, text: str | bytes, later: bool = False) -> None:
        """Write a file, `later` than everything done so far, or as long ago as not to look newer than the index."""
        self.place.write(name, text)
        moment = time.time() + (60 if later else -60)
        os.utime(self.place.folder / name, (moment, moment))

    def settings(self, toml: str) -> None:
        """Other settings of the collection."""
        self.place.write("collection.toml", f'title = "小集合"\n{toml}')

    def diagnose(
        self,
        question: str,
        wanted: str,
        viewer: Viewer = ANYBODY,
        examiner: Viewer = ALL,
        reranker: Reranker | None = None,
        chatting: Chatting | None = None,
        **options: Any,
    ) -> Diagnosis:
        """The diagnosis under options of this question alone."""
        services = self.place.services(self.embedder)
        collection = services.collection(NAME)
        answering = services.answering(replace(services.options(collection), **options))
        if reranker:
            answering = replace(answering, stages=replace(answering.stages, reranker=reranker))
        answering = replace(answering, chatting=chatting)
        return diagnose(question, wanted, collection, Examining(answering, examiner), viewer)


def said(found: Diagnosis) -> str:
    """Everything that the diagnosis gives as evidence, remedy and verdict."""
    facts = "\n".join(f"{fact.name}：{fact.seen}" for fact in found.evidence)
    return f"{found.said}\n{facts}\n{found.remedy}\n{found.command}"


def verdicts(found: Diagnosis) -> dict[str, str]:
    """Each stage's verdict."""
    return {check.stage: check.verdict for check in found.checks}
