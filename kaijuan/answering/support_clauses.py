"""Clauses: what a sentence says piece by piece, so that two of them can be compared: words, figures, codes, deeds.

>>> [clause] = read_clauses(["定金不退。"])[0]
>>> sorted(clause.terms), clause.denied
(['定金'], ('退',))
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kaijuan.answering.figures import Figure
from kaijuan.answering.support_deeds import denials, sides
from kaijuan.answering.support_figures import amounts, read_figures
from kaijuan.text import fold
from kaijuan.text.folding import CJK

#: A longest label before a colon, which belongs to the clause behind it.
LABEL = 14
#: A clause of fewer terms, without a figure or a label, is read together with the one before it.
FEW_TERMS = 2
#: Characters that say nothing by themselves; a pair of them is no word.
FUNCTION = frozenset(
    "的了是在和就都而及与着也还要一个把被将会对为于并且或等您你我他她它们请可以能需须该此其这那有若则时后前内上下中里"
)
_GLUE = frozenset("的了着吗呢吧不没未无勿")  # the last ones deny, which is told apart from the words
_CUT = re.compile(r"[，,：:；;。！？!?|\n]+")
_LIST_COMMA = re.compile("、")
_COLON = re.compile("[：:]")
_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[a-z0-9](?:[a-z0-9._/@-]*[a-z0-9])?")
_LATIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/@-]*[A-Za-z0-9])?")
_LETTER = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ_/]")
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_CODE = re.compile(r"(?=.*\d)(?=.*[a-z])|.*[_/]")
_JOINTS = re.compile(r"[-_./]")
# Different words for the same, as a model words anew what a source says.
_ALIKE = {
    **dict.fromkeys(("客户", "顾客", "用户", "消费者", "客人", "买方", "您", "你"), "买家"),
    **dict.fromkeys(("邮费", "快递费", "配送费"), "运费"),
    **dict.fromkeys(("商家", "卖家", "店家", "我方", "我司"), "我们"),
    "退钱": "退款",
}
_OTHER_WORDS = re.compile("|".join(sorted(_ALIKE, key=lambda word: (-len(word), word))))
#: Words that are no part of what is said: of allowing and forbidding, told by what is denied, and of telling who says so.
_BESIDES = re.compile(
    "允许|准许|禁止|严禁|不予|可以|能够|必须|需要|支持"
    "|的?资料[中里]?(?:写明|写道|写|规定|显示|指出|提到|说明|说)|说法(?:不一致|不一|不同)?"
)
_MEASURED = re.compile(
    r"每[ ]?(?P<of>gb|tb|mb|kb|人|天|日|周|月|季|年|单|次|件|公斤|层|晚|小时|分钟|秒|户|笔|班|张|卷|台|家|科|节|间|个月)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its half-open span in what it was read from, and what it holds, folded and without its figures.

    `terms` are pairs of characters and Latin words, `characters` single ones that say something, `words` the terms and
    the figures as they are compared. `codes` have their spans. `denied` are deeds, `affirmed` the text outside of
    denials, `sides` the opposites it takes a side on. `measures` are what each figure is counted by (每公斤), `beside`
    the two characters before and behind it.
    """

    start: int
    end: int
    terms: frozenset[str]
    characters: frozenset[str]
    words: frozenset[str]
    figures: tuple[Figure, ...]
    codes: dict[str, tuple[int, int]]
    denied: tuple[str, ...]
    affirmed: str
    sides: dict[int, bool]
    measures: tuple[frozenset[str], ...]
    beside: tuple[tuple[str, str], ...]

    def only(self, keeps: Callable[[int, int], bool]) -> Clause:
        """The clause with those of its figures and codes whose spans are kept."""
        kept = [at for at, figure in enumerate(self.figures) if keeps(figure.start, figure.end)]
        return replace(
            self,
            figures=tuple(self.figures[at] for at in kept),
            measures=tuple(self.measures[at] for at in kept),
            beside=tuple(self.beside[at] for at in kept),
            codes={code: span for code, span in self.codes.items() if keeps(*span)},
        )


def read_clauses(texts: Sequence[str]) -> list[list[Clause]]:
    """Clauses of each text; all are folded in one go, which is what makes it quick."""
    cuts: list[tuple[int, int, int, tuple[Figure, ...]]] = []
    for at, text in enumerate(texts):
        found = read_figures(text)
        for start, end in _spans(text, found):
            inside = found[bisect_left(found, start, key=_start) : bisect_left(found, end, key=_start)]
            cuts.append((at, start, end, tuple(figure for figure in inside if figure.end <= end)))
    read: list[list[Clause]] = [[] for _ in texts]
    if not cuts:
        return read
    folded = fold("\n".join(_without(texts[at], start, end, held) for at, start, end, held in cuts)).split("\n")
    before, last = "", frozenset[str]()
    for (at, start, end, held), line in zip(cuts, folded, strict=True):
        words = _OTHER_WORDS.sub(lambda match: _ALIKE[match.group()], line)
        clause = _clause(texts[at], words, start, end, held, before if read[at] else "")
        if read[at] and not held and len(clause.terms) < FEW_TERMS and not _COLON.search(words):
            # 不占床的，免费: a word alone speaks of what the clause before it names.
            clause = replace(clause, terms=clause.terms | last, words=clause.words | last)
        read[at].append(clause)
        before, last = words, clause.terms
    return read


def terms_of(folded: str) -> tuple[frozenset[str], frozenset[str]]:
    """Terms and telling single characters of a folded text."""
    terms: set[str] = set()
    characters: set[str] = set()
    for match in _RUN.finditer(folded):
        run = match.group()
        if match["cjk"] is None:
            joined = _JOINTS.sub("", run) or run
            terms.add(joined)
            characters.add(joined)
            continue
        characters.update(run)
        terms.update(
            first + second
            for first, second in pairwise(run)
            if first not in _GLUE and second not in _GLUE and not (first in FUNCTION and second in FUNCTION)
        )
    return frozenset(terms), frozenset(characters - FUNCTION - _GLUE)


def _clause(text: str, words: str, start: int, end: int, held: tuple[Figure, ...], before: str) -> Clause:
    denied, affirmed = denials(words, before)
    terms, characters = terms_of(_BESIDES.sub(" ", words))
    return Clause(
        start=start,
        end=end,
        terms=terms,
        characters=characters,
        words=terms.union(*map(amounts, held)) if held else terms,
        figures=held,
        codes=_codes(text, start, end, held) if _LETTER.search(text, start, end) else {},
        denied=denied,
        affirmed=affirmed,
        sides=sides(words),
        measures=tuple(_measures(text, start, held)) if held else (),
        beside=tuple(_beside(text, start, end, figure) for figure in held) if held else (),
    )


def _spans(text: str, found: Sequence[Figure]) -> Iterator[tuple[int, int]]:
    start = 0
    cuts = sorted([*_CUT.finditer(text), *_list_commas(text, found)], key=lambda mark: mark.start())
    for mark in cuts:
        before = bisect_right(found, mark.start(), key=_start) - 1
        if before >= 0 and mark.start() < found[before].end:
            continue
        label = mark.group()[0] in "：:" and mark.start() - start <= LABEL and mark.end() < len(text)
        if not label:
            if text[start : mark.start()].strip():
                yield start, mark.start()
            start = mark.end()
    if text[start:].strip():
        yield start, len(text)


def _list_commas(text: str, found: Sequence[Figure]) -> Iterator[re.Match[str]]:
    """Commas of a list whose members each have a figure and a word: 80% 提醒、90% 叫人."""
    if len(found) < 2:
        return
    for mark in _LIST_COMMA.finditer(text):
        at = bisect_right(found, mark.start(), key=_start)
        since = found[at - 1].end if 0 < at < len(found) else mark.start()
        if mark.start() - since > 1 and "、" not in text[since : mark.start()]:
            yield mark


def _start(figure: Figure) -> int:
    return figure.start


def _without(text: str, start: int, end: int, held: Sequence[Figure]) -> str:
    pieces, at = [], start
    for figure in held:
        pieces.append(text[at : figure.start])
        at = figure.end
    return " ".join([*pieces, text[at:end]]).replace("\n", " ")


def _codes(text: str, start: int, end: int, held: Sequence[Figure]) -> dict[str, tuple[int, int]]:
    codes: dict[str, tuple[int, int]] = {}
    for match in _LATIN.finditer(text.translate(_WIDE), start, end):
        word = match.group().lower()
        if _CODE.match(word) and not any(f.start <= match.start() < f.end for f in held):
            codes.setdefault(_JOINTS.sub("", word), match.span())
    return codes


def _measures(text: str, start: int, held: Sequence[Figure]) -> Iterator[frozenset[str]]:
    for figure in held:
        said = text[start : figure.start].lower()
        measures = (
            {match["of"].removeprefix("个") for match in _MEASURED.finditer(said)} if "每" in said else set[str]()
        )
        yield frozenset(measures.union(figure.per.lower().split("/") if figure.per else ()))
        start = figure.end


def _beside(text: str, start: int, end: int, figure: Figure) -> tuple[str, str]:
    before, behind = text[max(start, figure.start - 3) : figure.start], text[figure.end : min(end, figure.end + 3)]
    return _pair(before[::-1]), _pair(behind)


def _pair(text: str) -> str:
    """The first two characters of a text, blanks left out, when both are words."""
    pair = text.replace(" ", "")[:2]
    return pair if len(pair) == 2 and pair.isalnum() else ""
