"""What a sentence with figures speaks of, as far as words tell: enough to say that two speak of different things.

A question would say what is meant; without one, whatever names another thing counts: another identifier, another
article of the same rules, another day, another row of a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from sys import intern

from kaijuan.answering.claims import masked_part
from kaijuan.answering.figures import Figure, figures
from kaijuan.answering.units import Unit
from kaijuan.text import fold
from kaijuan.types import Chunk

#: Days and times of day are told for their own sake: another day in another document is rarely a dispute.
NOT_COMPARED = frozenset(("", "date", "clock"))

#: Characters in which two titles end alike when they name two things of one kind.
KIND = 2
_NOT_SAID = frozenset(("heading", "question", "code"))
#: Sentences that give a figure for something said elsewhere, count what follows, or show how it could be.
_LEANS = re.compile("前款|前项|下列|上述|前述|本条|以下情[形况]|例如|比如|譬如|示例|举例|假设|假如")
_OPENS = ("：", ":")
_RUNS = re.compile(r"[a-z][a-z0-9_.-]*|[^\W\d_a-z]+")
_STOP = frozenset(re.findall("..", "以内之内以上以下以后之后之前超过不超可以一般需要如果的话没有"))
#: For whom or what something holds: both sides of a comparison name it, so it tells nothing of the subject.
_VARIANT = re.compile(r"[^\W\d_a-z]{2}(?:版|会员|套餐|用户)")
_ORDINAL = re.compile(r"(?:[第之]?\s*[\d一二三四五六七八九十百千零〇.]+\s*[条章节款项编]?)+")
_YEAR = re.compile(r"(?:19|20)\d\d")
#: A day from which something holds differs between an old rule and a new one.
_FROM = re.compile(r"\s*(?:起|开始|生效|以后|之后|后)")
_SINCE = re.compile(r"(?:自|从)\s*\Z")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with figures that can be compared.

    `words` are the character pairs of the sentence without figures, `above` those of title, headings and lead; `names`
    are all Latin words, `days` the dates that are not a beginning; `row` is the first cell of a table's row. Sorted
    tuples of shared strings: there may be many thousands of them.
    """

    chunk: Chunk
    sentence: str
    families: frozenset[str]
    words: tuple[str, ...]
    above: tuple[str, ...]
    names: frozenset[str]
    days: frozenset[tuple[float, ...]]
    row: str

    @property
    def placed(self) -> frozenset[str]:
        """Pairs of the sentence and of what stands above it."""
        return frozenset(self.words + self.above)


def said(chunk: Chunk, unit: Unit) -> Said | None:
    """A unit of a chunk as something said, None when it holds no figure that means something by itself."""
    if unit.kind in _NOT_SAID or unit.text.endswith(_OPENS) or _LEANS.search(unit.text):
        return None
    found = figures(unit.text)
    families = frozenset(f.family for f in found) - NOT_COMPARED
    if not families:
        return None
    text = masked_part(unit.text, found)
    above = fold(f"{chunk.title} {' '.join(chunk.headings)} {unit.lead}")
    return Said(
        chunk=chunk,
        sentence=unit.text,
        families=families,
        words=_pairs(text),
        above=_pairs(above),
        names=frozenset(run for run in _RUNS.findall(f"{above} {fold(unit.text)}") if run[0].isascii()),
        days=frozenset(f.values for f in found if f.family == "date" and not _begins(f, unit.text)),
        row=unit.text.split("；")[0] if unit.kind == "row" else "",
    )


def differ(first: Said, second: Said) -> bool:
    """Whether something names different things."""
    ours, theirs = first.names - second.names, second.names - first.names
    days = bool(first.days and second.days and first.days.isdisjoint(second.days))
    return bool(ours and theirs) or days or first.row != second.row or _siblings(first.chunk, second.chunk)


def _siblings(first: Chunk, second: Chunk) -> bool:
    """Whether two titles name things of one kind: articles, scenes, lines, species; another year is another edition."""
    one, other = (_YEAR.sub("", fold(" ".join((c.title, *c.headings)))) for c in (first, second))
    if one != other and _ORDINAL.sub("#", one) == _ORDINAL.sub("#", other):
        return True
    one, other = (_YEAR.sub("", fold(c.title)) for c in (first, second))
    kind = _same_end(one, other)
    one, other = (title[: len(title) - kind] for title in (one, other))
    return kind >= KIND and one not in other and other not in one


def _same_end(one: str, other: str) -> int:
    """How many last characters two texts have in common."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@lru_cache(maxsize=1024)
def _pairs(folded: str) -> tuple[str, ...]:
    runs = (run for run in _RUNS.findall(_VARIANT.sub(" ", folded)) if not run[0].isascii())
    found = {intern(run[i : i + 2]) for run in runs for i in range(len(run) - 1)}
    return tuple(sorted(found - _STOP))


def _begins(day: Figure, sentence: str) -> bool:
    return bool(_FROM.match(sentence, day.end) or _SINCE.search(sentence[: day.start]))
