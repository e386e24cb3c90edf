"""The labelled sentences of support_cases.jsonl, their passages, and how well the check agrees with the labels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kaijuan.answering.support import SentenceCheck, check_answer
from kaijuan.chunking import chunk
from kaijuan.readers import read_folder
from kaijuan.settings import ROOT
from kaijuan.types import Chunk

_HERE = Path(__file__).parent
VERDICTS = ("supported", "weak", "unsupported", "uncited", "exempt")


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence with its passages (numbered from 1) and what the check should find."""

    id: str
    split: str
    kind: str
    verdict: str
    sources: tuple[str, ...]
    answer: str
    wrong: tuple[str, ...]
    added: int | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one verdict: how often it was given and right, given, and due."""

    right: int
    given: int
    due: int

    @property
    def precision(self) -> float:
        """Share of what was given that was right."""
        return self.right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        """Share of what was due that was given."""
        return self.right / self.due if self.due else 1.0


def load_cases() -> list[Case]:
    """All labelled sentences, in order."""
    rows = (json.loads(line) for line in (_HERE / "support_cases.jsonl").read_text(encoding="utf-8").splitlines())
    return [Case(**{**row, "sources": tuple(row["sources"]), "wrong": tuple(row["wrong"])}) for row in rows]


@cache
def passages() -> dict[str, Chunk]:
    """The passages by id: both demo corpora as they are cut for the index, and those of support_passages.jsonl."""
    found: dict[str, Chunk] = {}
    for collection in ("shop", "yunti"):
        for document in read_folder(ROOT / "corpus" / collection).documents:
            found |= {c.id: c for c in chunk(document, 512, 64)}
    for line in (_HERE / "support_passages.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["id"]] = Chunk(**{**row, "headings": tuple(row["headings"])})
    return found


def outcome(case: Case) -> SentenceCheck:
    """What the check finds of a case's one sentence."""
    sources = {number: passages()[id_] for number, id_ in enumerate(case.sources, start=1)}
    (found,) = check_answer(case.answer, sources).sentences
    return found


def said(found: SentenceCheck) -> str:
    """The verdict before a citation was added: an uncited sentence counts as such, whether it was given one or not."""
    return "uncited" if found.added is not None else found.verdict


def agreement(cases: Iterable[Case]) -> dict[str, Agreement]:
    """Agreement with the labels, verdict by verdict."""
    pairs = [(case.verdict, said(outcome(case))) for case in cases]
    return {
        verdict: Agreement(
            right=sum(due == given == verdict for due, given in pairs),
            given=sum(given == verdict for _, given in pairs),
            due=sum(due == verdict for due, _ in pairs),
        )
        for verdict in VERDICTS
    }


def marked(cases: Iterable[Case]) -> Agreement:
    """Figures and codes marked as wrong, against those that are."""
    pairs = [(set(case.wrong), set(outcome(case).wrong)) for case in cases if case.wrong or case.verdict == "supported"]
    return Agreement(
        right=sum(len(due & given) for due, given in pairs),
        given=sum(len(given) for _, given in pairs),
        due=sum(len(due) for due, _ in pairs),
    )


def added(cases: Iterable[Case]) -> Agreement:
    """Citations added to sentences that cite nothing, against those that should be."""
    pairs = [(case.added, outcome(case).added) for case in cases if case.verdict == "uncited"]
    return Agreement(
        right=sum(due is not None and due == given for due, given in pairs),
        given=sum(given is not None for _, given in pairs),
        due=sum(due is not None for due, _ in pairs),
    )
