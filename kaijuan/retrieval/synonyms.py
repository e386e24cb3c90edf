"""Synonyms of a collection: words that mean the same, whose terms the keyword leg searches as well.

One group a line in synonyms.txt, words parted by commas or 、; `#` begins a comment at the start of a line or behind a
blank. `a => b` lets a question's a search b too, and not the other way. Groups are not chained.

>>> [(one.word, one.added) for one in parse_synonyms("邮费、运费\\n口令 => 密码").expand("邮费和密码")]
[('邮费', '运费')]
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from kaijuan.engines.base import SearchResult
from kaijuan.errors import CorpusError
from kaijuan.text import fold, query_terms
from kaijuan.text.folding import CJK
from kaijuan.types import Hit, Notice, Synonym

MOST_GROUPS, MOST_WORDS, LONGEST_WORD = 2000, 50, 40
#: Terms that one question may gain: its own must go on deciding.
MOST_ADDED = 60
#: A file that is longer holds no list of words.
MOST_BYTES = 1_000_000

#: Without the fault's own sentence, which may quote the file to whoever asks.
_UNREADABLE = Notice("synonyms", "同义词文件有误，这次没有使用同义词，请管理员在“索引”页修正。")

_COMMENT = re.compile(r"(?:\A|(?<=\s))[#＃].*")
_ARROW = re.compile(r"=>|＝＞|⇒")
_BETWEEN = re.compile(r"[,，、]")
_BLANKS = re.compile(r"\s+")
_LETTER = re.compile(rf"[^\W_{CJK}]")


@dataclass(frozen=True, slots=True)
class Synonyms:
    """A collection's synonyms; two are equal when their digests and faults are.

    `others` holds for each word of a question, folded, the words that are searched too, in the order of the file.
    `fault` is the sentence on a file that cannot be read, which then adds nothing. `groups` are lines with words.
    """

    digest: str
    groups: int = field(default=0, compare=False)
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    fault: str = ""
    _lengths: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def expand(self, question: str) -> tuple[Synonym, ...]:
        """What a question's words add, in their order: only terms that the question does not have itself.

        Of words that overlap the first counts, of those that begin together the longest.
        """
        known = set(query_terms(question))
        found: list[Synonym] = []
        for word in dict.fromkeys(self._words(_BLANKS.sub(" ", fold(question)))):
            for other in self.others[word]:
                terms = tuple(term for term in query_terms(other) if term not in known)
                known.update(terms)
                if terms and sum(len(one.terms) for one in found) + len(terms) <= MOST_ADDED:
                    found.append(Synonym(word, other, terms))
        return tuple(found)

    def _words(self, folded: str) -> Iterator[str]:
        at = 0
        while at < len(folded):
            here = (folded[at : at + length] for length in self._lengths)
            word = next((part for part in here if part in self.others and _whole(folded, at, len(part))), "")
            if word:
                yield word
            at += len(word) or 1


def load_synonyms(file: Path) -> Synonyms | None:
    """The synonyms of a file as it is now; None where there is no file or no group in it.

    A file that cannot be read gives synonyms that add nothing and say why: a question is answered all the same.
    """
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return _faulty(f"同义词文件 {file.name} 无法读取（{error.strerror}），请检查权限。")
    return _load(file, stat.st_mtime_ns, stat.st_size, stat.st_ino)


def read_synonyms(file: Path) -> Synonyms | None:
    """The synonyms of a file, None where no group is in it; raises CorpusError for one that cannot be read."""
    return parse_synonyms(read_text(file), file.name)


def read_text(file: Path) -> str:
    """The text of a file of synonyms, line ends as LF; raises CorpusError for one that cannot be read or is too long."""
    try:
        with file.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
        check_size(raw, file.name)
        return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CorpusError(f"同义词文件 {file.name} 不是 UTF-8 编码，请另存为 UTF-8。") from error
    except OSError as error:
        raise CorpusError(f"同义词文件 {file.name} 无法读取（{error.strerror}），请检查路径和权限。") from error


def check_size(raw: bytes, name: str) -> None:
    """Raises CorpusError for more bytes than a file of synonyms may have."""
    if len(raw) > MOST_BYTES:
        raise CorpusError(f"同义词文件 {name} 超过 {MOST_BYTES} 字节，请删去一部分。")


def parse_synonyms(text: str, name: str = "synonyms.txt") -> Synonyms | None:
    """The synonyms that a text says, None for none; raises CorpusError naming the file and the line."""
    others: dict[str, dict[str, None]] = {}
    groups: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = _COMMENT.sub("", line).strip()
        if not said:
            continue
        groups.append(_group(said, f"同义词文件 {name} 第 {number} 行"))
        if len(groups) > MOST_GROUPS:
            raise CorpusError(f"同义词文件 {name} 第 {number} 行超出了上限 {MOST_GROUPS} 组，请删去一部分。")
        asked, added = groups[-1]
        for word in asked:
            others.setdefault(word, {}).update({other: None for other in added if other != word})
    if not groups:
        return None
    # Comments and spelling of a line change nothing, so they are no part of what is compared.
    digest = hashlib.sha256(repr(groups).encode("utf-8")).hexdigest()
    lengths = tuple(sorted({len(word) for word in others}, reverse=True))
    return Synonyms(digest, len(groups), {word: tuple(held) for word, held in others.items()}, _lengths=lengths)


def added_words(searched: str, synonyms: Synonyms | None) -> tuple[tuple[Synonym, ...], tuple[Notice, ...]]:
    """What a collection's synonyms add to a question, and a notice where they cannot be read."""
    if synonyms is None:
        return (), ()
    if synonyms.fault:
        return (), (_UNREADABLE,)
    return synonyms.expand(searched), ()


def only_told(result: SearchResult, added: tuple[Synonym, ...]) -> tuple[SearchResult, tuple[Synonym, ...]]:
    """A result without a trace of synonyms that no returned passage holds, and those that one does."""
    if not added:
        return result, ()
    said = told(added, (*result.keyword, *result.vector))
    silent = {term for one in added for term in one.terms} - {term for one in said for term in one.terms}
    weights = {term: weight for term, weight in result.term_weights.items() if term not in silent}
    return replace(result, term_weights=weights), said


def told(added: Sequence[Synonym], hits: Sequence[Hit]) -> tuple[Synonym, ...]:
    """What may be said of synonyms: those that a returned passage holds, a word held in parts by its held terms.

    The list is the collection's, not the viewer's: a word that only closed passages hold must look like one that was
    never added.
    """
    passages = [{share.term for share in hit.terms} for hit in hits]
    everywhere: set[str] = set().union(*passages)
    said: list[Synonym] = []
    for one in added:
        held = tuple(term for term in one.terms if term in everywhere)
        if not held:
            continue
        whole = any(passage.issuperset(one.terms) for passage in passages)
        said.append(Synonym(one.word, one.added if whole else " ".join(held), held))
    return tuple(said)


@lru_cache(maxsize=64)
def _load(file: Path, changed: int, size: int, inode: int) -> Synonyms | None:
    del changed, size, inode  # they say which state of the file this is
    try:
        return read_synonyms(file)
    except CorpusError as error:
        return _faulty(str(error))


def _faulty(sentence: str) -> Synonyms:
    return Synonyms("", fault=sentence)


def _group(said: str, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words of a question and words that they search: the same ones unless an arrow stands between."""
    sides = [tuple(dict.fromkeys(_word(part, where) for part in _BETWEEN.split(side))) for side in _ARROW.split(said)]
    if len(sides) > 2:
        raise CorpusError(f"{where}有 {len(sides) - 1} 个 =>，只能有一个，请分成几行。")
    if sum(map(len, sides)) > MOST_WORDS:
        raise CorpusError(f"{where}有 {sum(map(len, sides))} 个词，最多 {MOST_WORDS} 个，请分成几行。")
    if len({word for side in sides for word in side}) < 2:
        raise CorpusError(f"{where}只有一个词“{sides[0][0]}”，请用逗号或顿号分开写出它的同义词。")
    return sides[0], sides[-1]


def _word(part: str, where: str) -> str:
    word = _BLANKS.sub(" ", fold(part)).strip()
    if not word:
        raise CorpusError(f"{where}有一处没有词，请检查逗号、顿号和 =>。")
    if len(word) > LONGEST_WORD:
        raise CorpusError(f"{where}的词“{word[:LONGEST_WORD]}……”有 {len(word)} 个字，最多 {LONGEST_WORD} 个，请改短。")
    if re.fullmatch(f"[{CJK}]", word):
        raise CorpusError(f"{where}的词“{word}”只有一个字，会出现在许多别的词里，请写两个字以上的词。")
    if not query_terms(word):
        raise CorpusError(f"{where}的“{word}”里没有可以检索的文字，请改成词。")
    return word


def _whole(text: str, start: int, length: int) -> bool:
    """Whether no Latin word or number is cut at either end of a span."""
    return not _cut(text, start) and not _cut(text, start + length)


def _cut(text: str, at: int) -> bool:
    return 0 < at < len(text) and bool(_LETTER.match(text[at - 1]) and _LETTER.match(text[at]))
