"""Random collections with random audiences, whose documents hold words that stand nowhere else; all from one seed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kaijuan.engines.base import Engine
from kaijuan.indexing.ingest import ingest
from kaijuan.models.cached_embed import CachedEmbedder
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Stages
from kaijuan.settings import Settings
from kaijuan.text import fold
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.retrieval.stand_ins import LetterEmbedder

NAME = "secrets"
GROUPS = ("客服", "财务", "法务", "仓储", "人事")
_SUBJECTS = ("退货", "发票", "保修", "会员", "报销", "请假")
_UNITS = ("平台", "风控", "结算", "库房")
#: What the documents are made of besides their own words; those must share no character with it.
_COMMON = "".join((*_SUBJECTS, *_UNITS, *GROUPS)) + (
    "细则期限为个月天由负责办理申请须经组长审批表示超时现担任执行出错是谁什么意思多久怎么如何规定的和与在哪里说明款元提交材料"
)


@dataclass(frozen=True, slots=True)
class Made:
    """One document: who may read it and what stands in it alone. `words` are four words of two characters."""

    id: str
    title: str
    audience: tuple[str, ...]
    words: tuple[str, ...]
    code: str
    text: str

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything by which it could be told that something comes from this document."""
        return (self.id, *self.words, self.code)


@dataclass(frozen=True)
class Corpus:
    """A random collection under `root`; `rng` goes on making viewers and questions."""

    root: Path
    seed: int
    size: int = 14

    @cached_property
    def rng(self) -> random.Random:
        """The one source of chance."""
        return random.Random(self.seed)

    @cached_property
    def documents(self) -> tuple[Made, ...]:
        """The documents, by id."""
        letters = _letters(self.rng)
        return tuple(self._document(n, letters) for n in range(self.size))

    def _document(self, number: int, letters: Iterator[str]) -> Made:
        rng = self.rng
        words = tuple(next(letters) + next(letters) for _ in range(4))
        code = f"QX-{1234 + 100 * number}"
        audience = tuple(rng.sample(GROUPS, rng.choice((0, 0, 1, 2, 3))))
        subject, unit, other = rng.choice(_SUBJECTS), rng.choice(_UNITS), rng.choice(_UNITS)
        title = f"{subject}细则{words[0]}"
        source = f"doc-{number:02d}-{rng.getrandbits(24):06x}"
        heir = f"supersedes: doc{rng.randrange(self.size)}.md\n" if rng.random() < 0.4 else ""
        head = f"id: {source}\ntitle: {title}\nupdated: 2026-0{rng.randint(1, 9)}-01\n{heir}"
        if audience:
            head += f"audience: [{', '.join(audience)}]\n"
        body = (
            f"## 期限\n\n{subject}期限为 {rng.randint(3, 40)} 天，由{words[1]}负责办理。\n\n"
            f"## 审批\n\n{subject}申请超 {rng.randint(2, 9)}000 元须经{unit}组组长审批。{other}组组长由{words[2]}担任。\n\n"
            f"## 出错\n\n提交材料时 {code} 表示{words[3]}超时。{subject}出错时执行《{rng.choice(_SUBJECTS)}细则》。\n"
        )
        return Made(source, title, audience, words, code, f"---\n{head}---\n\n{body}")

    def viewers(self, count: int) -> list[Viewer]:
        """Visitors with no to all groups; the last one sees everything."""
        chosen = [frozenset(self.rng.sample(GROUPS, self.rng.randint(0, len(GROUPS)))) for _ in range(count - 2)]
        return [Viewer(), *(Viewer(f"viewer {n}", groups) for n, groups in enumerate(chosen)), ADMIN]

    def questions(self, closed: list[Made]) -> list[str]:
        """Questions about what stands in many documents, and, made of their own words, about the closed ones."""
        subject, unit = self.rng.choice(_SUBJECTS), self.rng.choice(_UNITS)
        asked = [
            f"{subject}期限多久",
            f"{subject}申请须经谁审批",
            f"{unit}组组长是谁",
            f"{subject}出错怎么办",
            "QX-9999 是什么意思",
        ]
        for made in self.rng.sample(closed, min(2, len(closed))):
            word = self.rng.choice(made.words)
            asked += [f"{word}是什么", f"{word}负责办理的{subject}期限多久", f"{made.code} 是什么意思", made.title]
        return asked

    def services(self, engine: Engine) -> Services:
        """The product over this collection, indexed on the engine from its files."""
        folder = self.root / "corpus" / NAME
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "collection.toml").write_text(
            'title = "秘密"\nchunk_chars = 60\noverlap_chars = 10\n', encoding="utf-8"
        )
        for number, made in enumerate(self.documents):
            (folder / f"doc{number}.md").write_text(made.text, encoding="utf-8")
        settings = Settings(
            corpus_dir=self.root / "corpus", data_dir=self.root / "data", embedder="none", _env_file=None
        )
        embedder = CachedEmbedder(LetterEmbedder(), settings.sentence_cache)
        services = Services(settings, engine, Stages(engine, embedder, FeatureReranker(), len, "characters"))
        report = ingest(services.collection(NAME), services.ingesting())
        assert report.rejected == () and services.warm(NAME) == self.size
        return services


ADMIN = Viewer("admin", sees_all=True)


def closed_to(viewer: Viewer, documents: tuple[Made, ...]) -> list[Made]:
    """The documents that a viewer may not read."""
    return [made for made in documents if not viewer.may_read(made.audience)]


def twin(word: str, taken: str) -> str:
    """A word that stands nowhere and looks to LetterEmbedder exactly like this one."""
    made = ""
    for letter in word:
        nearby = (chr(ord(letter) + LetterEmbedder.dims * step) for step in range(1, 400))
        made += next(c for c in nearby if _plain(c) and c not in taken + made)
    return made


def _letters(rng: random.Random) -> Iterator[str]:
    """Characters that the common words do not hold, in random order, each once."""
    letters = [chr(n) for n in range(0x4E00, 0x9000) if _plain(chr(n)) and chr(n) not in _COMMON]
    rng.shuffle(letters)
    return iter(letters)


def _plain(letter: str) -> bool:
    """Whether a character stays itself when texts are folded, so that none becomes another."""
    return re.fullmatch("[\u4e00-\u8fff]", letter) is not None and fold(letter) == letter
