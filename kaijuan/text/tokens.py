"""Tokens: Chinese as bigrams with single characters findable, codes and words whole, in parts and without hyphens.

>>> analyze("SF-3000 打不开").terms
('sf-3000', '打不', '不开')
>>> analyze("SF-3000 打不开").extras
('sf3000', 'sf', '3000', '打', '不', '开')
>>> query_terms("税？")
('税',)
>>> query_terms("怎么开发票")
('开发', '发票')
>>> seed_tokens("SF-3000打不开")
['sf', '3000', '打不', '不开']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import add

from kaijuan.text.folding import CJK, fold

#: Name of this way of making tokens; recorded in every index.
ANALYZER = "bigram-1"

_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[^\W_{CJK}]+(?:[-_.][^\W_{CJK}]+)*(?:\+\+|#)?")
_SEPARATOR = re.compile(r"[-_.]")
_DECIMAL = re.compile(r"\d+(?:\.\d+)+\Z")
_SEED_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[a-z0-9]+")
_SEED_CODE_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[a-z0-9][a-z0-9-]*")

#: Words that ask but do not say what about; they are cut out of questions, never out of the index.
QUESTION_WORDS = (
    "什么时候", "为什么", "怎么办", "怎么样", "是不是", "能不能", "可不可以", "有没有", "多长时间", "请问", "什么", "怎么", "怎样",
    "如何", "是否", "可以", "哪些", "哪个", "哪里", "哪儿", "多少", "几个", "为何", "能否", "一下", "我想", "想问", "请教", "告诉我",
    "呢", "吗", "么", "吧", "啊", "呀",
)  # fmt: skip
_ASKING = re.compile("|".join(sorted(QUESTION_WORDS, key=lambda w: (-len(w), w))))


@dataclass(frozen=True, slots=True)
class Analysis:
    """Tokens of an indexed text: `terms` make up its length, `extras` are further ways to find it at no length."""

    terms: tuple[str, ...]
    extras: tuple[str, ...]


def bigrams(run: str) -> list[str]:
    """Overlapping character pairs of a run; a lone character stays."""
    return list(map(add, run, run[1:])) or [run]


def word_forms(word: str) -> list[str]:
    """Further spellings of a word with separators: without hyphens, and its parts of two or more characters.

    A decimal such as 99.5 is one figure and has no parts; c++ and c# are also found as c.
    """
    if word[-1] in "+#":
        bare = word.rstrip("+#")
        return [bare, *word_forms(bare)]
    if not _SEPARATOR.search(word) or _DECIMAL.match(word):
        return []
    joined = word.replace("-", "").replace("_", "")
    parts = [part for part in _SEPARATOR.split(word) if len(part) > 1]
    return [form for form in dict.fromkeys([joined, *parts]) if form != word]


def analyze(text: str) -> Analysis:
    """Tokens under which a text is indexed."""
    terms: list[str] = []
    extras: list[str] = []
    for match in _RUN.finditer(fold(text)):
        run = match.group()
        if match.lastgroup == "cjk":
            terms += bigrams(run)
            if len(run) > 1:
                extras += run
        else:
            terms.append(run)
            extras += word_forms(run)
    return Analysis(tuple(terms), tuple(extras))


def query_terms(question: str) -> tuple[str, ...]:
    """Distinct terms of a question in order of appearance, without question words unless nothing else is left."""
    folded = fold(question)
    return _terms(without_question_words(folded)) or _terms(folded)


def without_question_words(folded: str) -> str:
    """A folded question with a blank in the place of each word that only asks."""
    return _ASKING.sub(" ", folded)


def _terms(folded: str) -> tuple[str, ...]:
    found: list[str] = []
    for match in _RUN.finditer(folded):
        run = match.group()
        found += bigrams(run) if match.lastgroup == "cjk" else [run, *word_forms(run)]
    return tuple(dict.fromkeys(found))


def code_words(text: str) -> tuple[str, ...]:
    """Distinct Latin or number words of two or more characters, whole, in order of appearance."""
    runs = (m.group() for m in _RUN.finditer(fold(text)) if m.lastgroup != "cjk")
    return tuple(dict.fromkeys(run for run in runs if len(run) > 1))


def seed_tokens(text: str, codes: bool = False) -> list[str]:
    """Tokens of the keyword baseline: bigrams, ASCII words whole, single ASCII characters dropped.

    With `codes` a word may hold hyphens (sf-3000), as corpus B's checks say. Duplicates are kept.
    """
    tokens: list[str] = []
    for match in (_SEED_CODE_RUN if codes else _SEED_RUN).finditer(text.lower()):
        run = match.group()
        if match.lastgroup == "cjk":
            tokens += bigrams(run)
        elif len(run) > 1:
            tokens.append(run)
    return tokens
