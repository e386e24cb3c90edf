"""The keyword baseline: whole documents, seed tokens, BM25, top 3, a score threshold. The yardstick that stays.

score(d) = Σ idf(t) · f·(k1+1) / (f + k1·(1 − b + b·len/avglen)),  idf(t) = ln(1 + (N − n + 0.5)/(n + 0.5)), summed over
the distinct tokens of the question. Robertson & Zaragoza (2009).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.text import seed_tokens, sentences
from kaijuan.types import REFUSAL, Document, TermScore

TOP = 3
#: Documents whose sentences the baseline puts into its answer.
ANSWER_DOCUMENTS = 2


@dataclass(frozen=True, slots=True)
class BaselineHit:
    """One document with its score; the terms' shares add up to it."""

    document: Document
    score: float
    terms: tuple[TermScore, ...]


@dataclass(frozen=True, slots=True)
class BaselineAnswer:
    """The top documents for a question and what the baseline says; refused when the best score is under the threshold."""

    hits: tuple[BaselineHit, ...]
    refused: bool
    answer: str


class Baseline:
    """BM25 over whole documents, everything in memory."""

    def __init__(self, documents: Sequence[Document], k1: float = 1.2, b: float = 0.75) -> None:
        self._documents = sorted(documents, key=lambda d: d.id)
        self._counts = [Counter(seed_tokens(f"{d.title}\n{d.text}")) for d in self._documents]
        self._lengths = [counts.total() for counts in self._counts]
        self._average = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0
        self._frequencies = Counter(token for counts in self._counts for token in counts)
        self._k1, self._b = k1, b

    def search(self, question: str, top: int = TOP) -> list[BaselineHit]:
        """The best documents with a score above 0, by (-score, id)."""
        tokens = list(dict.fromkeys(seed_tokens(question)))
        hits = [self._hit(place, tokens) for place in range(len(self._documents))]
        return sorted((h for h in hits if h.score > 0.0), key=lambda h: (-h.score, h.document.id))[:top]

    def answer(self, question: str, threshold: float) -> BaselineAnswer:
        """What the baseline says: the best sentence of each of the first documents, each with its document id."""
        hits = tuple(self.search(question))
        if not hits or hits[0].score < threshold:
            return BaselineAnswer(hits, True, REFUSAL)
        return BaselineAnswer(hits, False, "\n".join(self._say(hit) for hit in hits[:ANSWER_DOCUMENTS]))

    def idf(self, token: str) -> float:
        """Weight of a token in this corpus."""
        holding = self._frequencies[token]
        return math.log(1.0 + (len(self._documents) - holding + 0.5) / (holding + 0.5))

    def _hit(self, place: int, tokens: Sequence[str]) -> BaselineHit:
        counts, length = self._counts[place], self._lengths[place]
        norm = self._k1 * (1.0 - self._b + self._b * length / self._average)
        shares = tuple(
            TermScore(token, self.idf(token) * counts[token] * (self._k1 + 1.0) / (counts[token] + norm))
            for token in tokens
            if counts[token]
        )
        return BaselineHit(self._documents[place], sum(share.score for share in shares), shares)

    def _say(self, hit: BaselineHit) -> str:
        text = hit.document.text
        lines = [text[start:end] for start, end in sentences(text)]
        weights = {share.term: self.idf(share.term) for share in hit.terms}
        best = max(lines, key=lambda line: sum(weights.get(token, 0.0) for token in set(seed_tokens(line))), default="")
        return f"{best.strip()}（{hit.document.id}《{hit.document.title}》，{hit.document.updated or '未注明日期'}）"
