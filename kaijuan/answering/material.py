"""What there is to say of what was asked: the rated sentences, their disputes, what is thin and what is missing.

Made once for each question, whoever words the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kaijuan.answering.compose import Rated, rate
from kaijuan.answering.conflict import Passage, find_conflicts
from kaijuan.answering.denials import find_denials
from kaijuan.answering.figures import figures
from kaijuan.answering.refusal import COVERED_SHARE, SPOKEN_TO, asked_codes, is_grey, missing_codes, unheld_words
from kaijuan.answering.similarity import Similarity, covered, titled
from kaijuan.answering.standing import label
from kaijuan.answering.types import Conflict
from kaijuan.answering.units import units
from kaijuan.text import without_question_words
from kaijuan.types import Candidate, Trace

#: Sentences of a passage that are looked at for disputed figures.
DISPUTED_SENTENCES = 6
#: Share of a part's characters that nothing found holds, from which it counts as missing.
UNHELD_SHARE = 0.3
_PARTS = re.compile(r"[^？?；;。！!\n]+[？?]?")


@dataclass(frozen=True, slots=True)
class Material:
    """The sentences of a trace's context, best first, and the disputes among them.

    `labels` says of sources that are not in force, by their number, why.
    """

    trace: Trace
    rated: tuple[Rated, ...]
    conflicts: tuple[Conflict, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)


def gather(trace: Trace, similarity: Similarity, weights: dict[str, float], today: str) -> Material:
    """Rate the sentences of the context and look for disputes; empty without sentences."""
    labels = {n: held for n, candidate in trace.numbered().items() if (held := label(candidate.chunk, today))}
    rated = rate(trace.searched, trace.context, similarity, weights, labels)
    return Material(trace, tuple(rated), _conflicts(trace, rated, similarity, weights) if rated else (), labels)


def missing(trace: Trace, rated: Sequence[Rated], similarity: Similarity) -> tuple[str, ...]:
    """What was asked for and not found, while the rest is answered: codes, and parts of a question."""
    return (*missing_codes(trace.searched, trace.candidates), *missing_parts(trace.searched, rated, similarity))


def is_thin(trace: Trace, rated: Sequence[Rated], weights: dict[str, float]) -> bool:
    """Whether the evidence is little above the floor, or the best sentence neither near nor in the question's words."""
    best = rated[0]
    codes = asked_codes(trace.searched)
    if codes and not set(codes).isdisjoint(asked_codes(best.unit.text)):
        return False  # the very code asked for stands in the sentence
    near = best.cosine >= 0.6 if trace.vector else False
    return is_grey(trace, weights) or (not near and covered(weights, best.unit.text) < COVERED_SHARE)


def missing_parts(question: str, rated: Sequence[Rated], similarity: Similarity) -> tuple[str, ...]:
    """Parts of a question of several that ask for what no sentence found speaks of, in these or in other words."""
    parts = [part.strip() for part in _PARTS.findall(question)]
    asking = [part for part in parts if len(part) > 3 and (part[-1] in "？?" or without_question_words(part) != part)]
    if len(asking) < 2:
        return ()
    text = "\n".join(f"{r.compared}\n{r.unit.lead}" for r in rated)
    return tuple(part.rstrip("？?") for part in asking if _is_missing(part, text, rated, similarity))


def _is_missing(part: str, text: str, rated: Sequence[Rated], similarity: Similarity) -> bool:
    """Whether much of a part is not held, and nothing found moves away when what is not held is left out."""
    words = unheld_words(part, text)
    if sum(map(len, words)) < max(2.0, UNHELD_SHARE * len("".join(without_question_words(part).split()))):
        return False
    if not similarity.available:
        return True

    def best(asked: str) -> float:
        return max((similarity.near(asked, r.compared) for r in rated), default=0.0)

    return all(best(part) - best(part.replace(word, "", 1)) < SPOKEN_TO for word in words)


def _conflicts(
    trace: Trace, rated: Sequence[Rated], similarity: Similarity, weights: dict[str, float]
) -> tuple[Conflict, ...]:
    """Disputed figures among the sentences near the question and the figures beside them."""
    passages = [_passage(candidate, rated, weights) for candidate in reversed(trace.context)]
    whole = [_rated_sentences(candidate, rated) for candidate in reversed(trace.context)]
    compared = {s: titled(passage.chunk.title, s) for passage in (*passages, *whole) for s in passage.sentences}

    def cosine(first: str, second: str) -> float:
        if first == trace.searched:
            return similarity.near(first, compared[second])
        return similarity.alike(compared[first], compared[second])

    near = cosine if similarity.available else None
    return find_conflicts(trace.searched, passages, near) or find_denials(trace.searched, whole, near)


def _rated_sentences(candidate: Candidate, rated: Sequence[Rated]) -> Passage:
    """The sentences of a passage that were rated for the question, best first."""
    return Passage(candidate.chunk, tuple(r.unit.text for r in rated if r.unit.number == candidate.context_number))


def _passage(candidate: Candidate, rated: Sequence[Rated], weights: dict[str, float]) -> Passage:
    own = [r.unit.text for r in rated if r.unit.number == candidate.context_number]
    around = units(candidate.chunk.text, candidate.context_number or 0)
    others = [u.text for u in around if u.kind in ("sentence", "item", "row") and u.text not in own and figures(u.text)]
    others.sort(key=lambda text: -covered(weights, text))
    return Passage(candidate.chunk, tuple([*own, *others][:DISPUTED_SENTENCES]))
