"""Refusing: deciding from retrieval's evidence, before anything is composed, that the collection cannot answer.

Measured on strangers' data (docs/measurements.md): the best cosine, helped a little by words, tells off-topic questions
well, and no score tells an on-topic question whose answer is missing. So beside the floor there are only rules about what was asked for and
does not occur: codes, names of variants, and in the grey zone above the floor words that nothing found speaks to.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from kaijuan.answering.similarity import Similarity, covered
from kaijuan.answering.types import Refusal
from kaijuan.text import code_words, fold, without_question_words
from kaijuan.text.folding import CJK
from kaijuan.text.tokens import word_forms
from kaijuan.types import Candidate, Trace

#: Cosine of the nearest passage that the viewer may read to a text.
BestCosine = Callable[[str], float]

#: What a passage that holds all of the question's term weight adds to the best cosine.
COVERAGE_WEIGHT = 0.15
#: How far above the off-topic floor evidence still counts as thin.
GREY_ZONE = 0.06
#: In the grey zone one of these must hold: so much of the question's weight found, a sentence so near, or a missing
#: word without which the question moves so far away from the passages that they must speak to it in other words.
COVERED_SHARE = 0.4
NEAR_SENTENCE = 0.6
SPOKEN_TO = 0.05
#: Lines that are compared by embedding, those with most of the question's words first.
COMPARED_LINES = 24
#: Without a measured floor: agreement of the legs plus half the coverage below this points nowhere; with the keyword
#: leg alone, coverage below that.
AGREEMENT_FLOOR = 0.1
COVERAGE_FLOOR = 0.15

# Letters with digits (E4032, SF-3000), or a version number of three figures; four make an address.
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{4,}\Z|\d+\.\d+\.\d+\Z")
# The number of a section pasted in front of a question.
_SECTION_NUMBER = re.compile(r"\A\s*\d+(?:\.\d+)+[.、\s]")
_LINE_END = re.compile(r"[\n。；！？]")
# 10kg, 100mbps, 7x24: figures with a unit or a sign between them.
_MEASURE = re.compile(r"\d+(?:\.\d+)?[a-z]{1,5}\Z|\d+x\d+\Z")
# Addresses and the long numbers of single orders and parcels: they name a case, not what the documents describe.
_ADDRESS = re.compile(r"\S*(?:@|://|www\.)[\x21-\x7e]*|[\w.-]+\.(?:com|cn|net|org)\b")
_LONG_NUMBER = re.compile(r"\d{8,}")
_PREFIX = re.compile(r"[^\W\d_]+")
#: Words before 版 that tell a form or an age, and endings that make another word of it; no names of editions.
_NO_EDITION = re.compile("最新|电子|纸质|中文|英文|手机|网页|电脑|移动|正式|测试|.[这那哪新旧改出排正老]")
#: A plan or edition by name (旗舰版); 版本, 版权 and the like are other words.
_EDITION = re.compile(rf"[{CJK}]{{2}}版(?![本权面块式主])")


def decide(trace: Trace, similarity: Similarity, weights: dict[str, float], best_cosine: BestCosine) -> Refusal | None:
    """The refusal that this trace calls for, None when there is something to answer from.

    `best_cosine` asks the collection how near its nearest passage is to another text.
    `weights` is the idf of the question's terms; a term that no chunk holds has the highest weight.
    """
    if not trace.candidates:
        return Refusal("no_hits", "没有任何段落与问题相符。")
    missing = missing_codes(trace.searched, trace.candidates)
    if missing and len(missing) == len(asked_codes(trace.searched)):
        return Refusal("missing_code", f"资料里没有出现 {'、'.join(missing)}。")
    if _off_topic(trace, weights):
        return Refusal("off_topic", "问题与这个集合的资料不相关。")
    if names := missing_names(trace.searched, trace.candidates):
        return Refusal("missing_name", f"资料里没有提到“{'、'.join(names)}”。")
    if is_grey(trace, weights) and not speaks_to(trace, similarity, weights, best_cosine):
        return Refusal("not_covered", "找到的段落都没有谈到所问的内容。")
    return None


def asked_codes(question: str) -> tuple[str, ...]:
    """Codes, models and version numbers in a question: words of letters and digits.

    No measures such as 10kg, no addresses, no order numbers.
    """
    words = code_words(_ADDRESS.sub(" ", _SECTION_NUMBER.sub("", question)))
    return tuple(w for w in words if _CODE.match(w) and not _MEASURE.match(w) and not _LONG_NUMBER.search(w))


def missing_codes(question: str, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Codes of the question that no candidate holds in any spelling.

    A word in lower case that shares its letters with no code of the candidates (win10) is taken for an ordinary word.
    """
    held = {share.term for candidate in candidates for share in candidate.terms}
    unheld = [code for code in asked_codes(question) if held.isdisjoint([code, _joined(code)])]
    if not unheld:
        return ()
    families = {_family(code) for candidate in candidates for code in asked_codes(candidate.chunk.search_text)}
    written = unicodedata.normalize("NFKC", question)
    return tuple(c.upper() for c in unheld if _family(c) in families or c not in written or not _PREFIX.search(c))


def _family(code: str) -> str:
    """The letters a code begins with: e of e4032, sf of sf-3000; "" for a version number."""
    match = _PREFIX.match(code)
    return match.group() if match else ""


def _joined(code: str) -> str:
    return next(iter(word_forms(code)), code)


def missing_names(question: str, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Editions asked for by name (尊享版) that no candidate holds although candidates name other editions."""
    text = "\n".join(fold(candidate.chunk.search_text) for candidate in candidates)
    if len(set(_EDITION.findall(text))) < 2:
        return ()
    asked = _EDITION.findall(without_question_words(fold(question)))
    named = [name for name in dict.fromkeys(asked) if not _NO_EDITION.match(name)]
    return tuple(name for name in named if name not in text and name[:2] not in text)


def evidence(trace: Trace, weights: dict[str, float]) -> float:
    """How much there is to go by: best cosine and the largest share of the question's weight in one passage.

    Compared with the floor of the embedding model; for a model without one, or a leg alone, on a scale of its own.
    """
    share = max((covered(weights, c.chunk.search_text) for c in trace.context), default=0.0)
    if trace.evidence.best_cosine is not None and trace.evidence.floor is not None:
        return trace.evidence.best_cosine + COVERAGE_WEIGHT * share
    return trace.evidence.agreement + share / 2 if trace.vector and trace.keyword else share


def _off_topic(trace: Trace, weights: dict[str, float]) -> bool:
    # A code that a passage holds is an address of its own: a bare code has no meaning for an embedding.
    if asked_codes(trace.searched) and not missing_codes(trace.searched, trace.candidates):
        return False
    if trace.evidence.floor is not None:
        return evidence(trace, weights) < trace.evidence.floor
    if trace.keyword and trace.vector:
        return evidence(trace, weights) < AGREEMENT_FLOOR
    return not trace.vector and evidence(trace, weights) < COVERAGE_FLOOR


def is_grey(trace: Trace, weights: dict[str, float]) -> bool:
    """Whether the evidence lies so little above the model's floor that it is thin."""
    floor = trace.evidence.floor
    return floor is not None and evidence(trace, weights) < floor + GREY_ZONE


def speaks_to(trace: Trace, similarity: Similarity, weights: dict[str, float], best_cosine: BestCosine) -> bool:
    """Whether the passages speak to the question: in its own words, in a near sentence, or in other words."""
    question = trace.searched
    text = "\n".join(candidate.chunk.search_text for candidate in trace.context)
    if covered(weights, text) >= COVERED_SHARE:
        return True
    lines = [line for line in _LINE_END.split(text) if len(line) > 3]
    lines = sorted(dict.fromkeys(lines), key=lambda line: -covered(weights, line))[:COMPARED_LINES]
    if any(similarity.near(question, line) >= NEAR_SENTENCE for line in lines):
        return True
    best = trace.evidence.best_cosine or 0.0
    without = [question.replace(word, "", 1) for word in unheld_words(question, text)]
    return any(best - best_cosine(rest) >= SPOKEN_TO for rest in without)


def unheld_words(question: str, text: str) -> list[str]:
    """Longest runs of two or more characters of the question of which `text` holds no bigram, question words cut."""
    held = fold(text)
    words = []
    for run in re.findall(rf"[{CJK}]+", without_question_words(fold(question))):
        known = [run[i : i + 2] in held for i in range(len(run) - 1)]
        free = "".join(" " if any(known[max(i - 1, 0) : i + 1]) else char for i, char in enumerate(run))
        words += [word for word in free.split() if len(word) > 1]
    return words
