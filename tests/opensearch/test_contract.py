"""What every engine promises (tests/engines/test_contract.py), on the real server; and the same from both for random input."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kaijuan import errors
from kaijuan.engines.base import Build, Engine, KeywordQuery, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.settings import ROOT
from kaijuan.text import analyze, query_terms
from kaijuan.types import Chunk, Hit, Viewer
from tests.engines import test_contract as contract
from tests.engines.builders import META, built, directions, ids, passage
from tests.opensearch.test_tokens import STRINGS

pytestmark = pytest.mark.slow

GROUPS = ["staff", "客服", "g:staff", "everybody", "a b"]
#: Further spellings to a term that the parameters of an index are made for (search_templates/README.md), plus the term.
USUAL_TOKENS = 2.1
#: Lucene keeps a length in one byte, rounded down to four significant bits.
ROUNDED = 8 / 9


@pytest.fixture
def engine(opensearch: OpenSearchEngine) -> Engine:
    return opensearch


globals().update({name: value for name, value in vars(contract).items() if name.startswith("test_")})


@dataclass(frozen=True, slots=True)
class Pair:
    """The two engines, asked the same."""

    embedded: EmbeddedEngine
    opensearch: OpenSearchEngine

    def __iter__(self) -> Iterator[Engine]:
        return iter((self.embedded, self.opensearch))


@pytest.fixture
def pair(opensearch: OpenSearchEngine, tmp_path: Path) -> Pair:
    return Pair(EmbeddedEngine(tmp_path), opensearch)


# --- texts ------------------------------------------------------------------------------------------------------


def sentences() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "corpus").glob("*/**/*.md"))]
    return [line for text in texts for line in re.split("[。\n]", text) if len(line.strip()) > 4]


def chinese(rng: random.Random, size: int, pool: Sequence[str] = tuple(sentences())) -> str:
    return "。".join(rng.choices(pool, k=size))


def characters(rng: random.Random, size: int) -> str:
    return "".join(rng.choices("退货运费发票会员积分规则客服电话税配送时间", k=20 * size))


def english(rng: random.Random, size: int) -> str:
    words = (
        "the order refund invoice shipping fee not returned within seven days delivery phone warranty card model limit"
    )
    return " ".join(rng.choices(words.split(), k=12 * size))


def codes(rng: random.Random, size: int) -> str:
    return " ".join(f"{rng.choice('abcdefgh')}{rng.choice('xyz')}-{rng.randint(1, 60)}" for _ in range(8 * size))


def corpus(rng: random.Random, make: Callable[[random.Random, int], str], count: int, longest: int) -> list[Chunk]:
    """Passages, some of them for one or two groups."""
    audiences = [rng.sample(GROUPS, rng.choice([0, 0, 0, 1, 2])) for _ in range(count)]
    return [passage(f"d{n // 5:03d}#{n % 5}", make(rng, rng.randint(1, longest)), *a) for n, a in enumerate(audiences)]


def viewers(rng: random.Random) -> Iterator[Viewer]:
    """Anybody, members of all sorts of groups, somebody who sees everything."""
    yield Viewer()
    for count in (1, 2, len(GROUPS)):
        yield Viewer("小李", frozenset(rng.sample(GROUPS, count)))
    yield Viewer(sees_all=True)


def may_read(viewer: Viewer, chunk: Chunk) -> bool:
    return viewer.sees_all or not chunk.audience or bool(viewer.groups & set(chunk.audience))


# --- the same questions -----------------------------------------------------------------------------------------


def nearness(chunks: Sequence[Chunk]) -> float:
    """How far above the last hit returned a passage may score that is missing: the bound of near-ties.

    A passage's length weighs in Lucene by its rounding, and by how far the tokens to a term are from the usual.
    """
    analyses = [analyze(chunk.search_text) for chunk in chunks]
    terms = sum(len(analysis.terms) for analysis in analyses)
    stretch = USUAL_TOKENS * terms / (terms + sum(len(analysis.extras) for analysis in analyses))
    return max(1.0, stretch) / min(1.0, stretch * ROUNDED)


def missed(ours: Sequence[Hit], theirs: Sequence[Hit], bound: float) -> int:
    """How many near-ties at the end of a list the server left out; all else has to be the same to the last bit."""
    assert len(theirs) == len(ours)
    known = {hit.chunk.id: hit for hit in ours}
    common = [hit for hit in theirs if hit.chunk.id in known]
    assert ids(common) == [id_ for id_ in known if id_ in set(ids(theirs))], "another order"
    for hit in common:
        ours_ = known[hit.chunk.id]
        assert (hit.chunk, hit.score, hit.terms) == (ours_.chunk, ours_.score, ours_.terms)
    lost = [hit for hit in ours if hit.chunk.id not in set(ids(theirs))]
    assert all(hit.score < bound * theirs[-1].score for hit in lost)
    return len(lost)


@pytest.mark.parametrize(
    ("make", "longest", "allowed"),
    [(chinese, 2, 0.0), (chinese, 12, 0.0), (characters, 30, 0.0), (english, 12, 0.03), (codes, 12, 0.06)],
)
def test_random_corpora_answer_random_questions_alike(
    pair: Pair, make: Callable[[random.Random, int], str], longest: int, allowed: float
) -> None:
    """`allowed` is the share of near-ties that may be missing: none in Chinese, some where Lucene's lengths lie.

    The English and the codes are as bad as can be: nearly every passage holds every word of a tiny vocabulary.
    """
    rng = random.Random(f"{make.__name__} {longest}")
    chunks, vectors = corpus(rng, make, 400, longest), directions(400, 16)
    for engine in pair:
        built(engine, chunks, vectors, dims=16)
    bound, asked, lost = nearness(chunks), 0, 0
    for direction in directions(12, 16, seed=3):
        terms = query_terms(make(rng, 1)[:60])
        for viewer in viewers(rng):
            size = rng.choice([1, 5, 20])
            ours, theirs = (
                engine.search("shop", KeywordQuery(terms, size), VectorQuery(direction, size), viewer)
                for engine in pair
            )
            assert theirs.notices == ()
            assert theirs.term_weights == ours.term_weights
            assert ids(theirs.vector) == ids(ours.vector)
            assert [h.score for h in theirs.vector] == pytest.approx([h.score for h in ours.vector], abs=1e-6)
            assert [h.other_score for h in theirs.vector] == [h.other_score for h in ours.vector]
            assert all(may_read(viewer, hit.chunk) for hit in (*theirs.keyword, *theirs.vector))
            asked += len(ours.keyword)
            lost += missed(ours.keyword, theirs.keyword, bound)
    assert asked > 300
    assert lost <= allowed * asked


def test_whatever_people_write_is_found_alike(pair: Pair) -> None:
    """Every string is a passage, and every string is a question."""
    for engine in pair:
        built(engine, [passage(f"s{n:03d}#0", text) for n, text in enumerate(STRINGS)], embedder=None, dims=0)
    found = 0
    for text in STRINGS:
        terms = query_terms(text)
        ours, theirs = (engine.search("shop", KeywordQuery(terms, 100), None, Viewer()) for engine in pair)
        assert theirs.term_weights == ours.term_weights, text[:80]
        assert theirs.keyword == ours.keyword, text[:80]
        found += bool(ours.keyword)
    assert found > 80


def test_reading_without_a_question_is_the_same(pair: Pair) -> None:
    rng = random.Random(21)
    chunks = corpus(rng, characters, 200, 2)
    rng.shuffle(chunks)
    for engine in pair:
        built(engine, chunks)
    for viewer in viewers(rng):
        wanted = [*rng.sample([chunk.id for chunk in chunks], 50), "没有", "d000"]
        ours, theirs = (
            (
                engine.source_ids("shop", viewer),
                engine.fetch("shop", wanted, viewer),
                [engine.document("shop", f"d{n:03d}", viewer) for n in range(41)],
            )
            for engine in pair
        )
        assert theirs == ours
        assert len(ours[0]) > 10 and all(may_read(viewer, chunk) for chunk in ours[1])


# --- the same operations ----------------------------------------------------------------------------------------


class Operations:
    """One engine put through operations; each comes to a plain value or to the name of the error it ends in."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._open: list[Build] = []

    def do(self, operation: str, *arguments: Any) -> Any:
        """The outcome of an operation, and all versions afterwards."""
        try:
            outcome = getattr(self, f"_{operation}")(*arguments)
        except errors.KaijuanError as error:
            # The server's room has kinds of its own; what others can tell apart is the public one.
            outcome = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        return outcome, self._engine.versions("shop")

    def _write(self, text: str, count: int) -> None:
        self._open.append(self._engine.open_build(META))
        self._open[-1].add([passage(f"{text}#{n}", f"退货 {text}") for n in range(count)], directions(count))

    def _finish(self) -> Any:
        if not self._open:
            return None
        build = self._open.pop()
        try:
            return build.finish()
        except errors.KaijuanError:
            build.abandon()
            raise

    def _abandon(self) -> None:
        if self._open:
            self._open.pop().abandon()

    def _activate(self, version: str) -> None:
        self._engine.activate("shop", version)

    def _delete(self, version: str) -> None:
        self._engine.delete("shop", version)

    def _note(self, version: str, value: int) -> None:
        self._engine.note("shop", version, {"value": value, f"v{value}": [value]})

    def _clean_up(self) -> int:
        removed = len(self._engine.clean_up("shop"))
        while self._open:
            self._abandon()
        return removed

    def _ask(self, version: str | None) -> Any:
        result = self._engine.search("shop", KeywordQuery(("退货",), 3), None, Viewer(), version)
        return result.version, [(hit.chunk, hit.score) for hit in result.keyword]

    def _meta(self, version: str) -> Any:
        return self._engine.meta("shop", version)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_random_operations_come_to_the_same(pair: Pair, seed: int) -> None:
    """Builds, switches, rollbacks, deletions and clean-ups in any order, wrong ones among them."""
    rng = random.Random(seed)
    embedded, opensearch = (Operations(engine) for engine in pair)
    seen: set[str] = set()
    for step in range(80):
        there = [version.name for version in pair.embedded.versions("shop")]
        version = rng.choice([*there, *there, f"v{rng.randint(1, 12):04d}"])
        operation, *arguments = rng.choice(
            [
                *[("write", f"t{step}", rng.randint(0, 4))] * 3,
                *[("finish",)] * 3,
                ("abandon",),
                *[("activate", version)] * 3,
                *[("delete", version)] * 3,
                ("note", version, step),
                ("clean_up",),
                ("ask", None),
                ("ask", version),
                ("meta", version),
            ]
        )
        ours, theirs = (engine.do(operation, *arguments) for engine in (embedded, opensearch))
        assert theirs == ours, f"step {step}: {operation} {arguments}"
        seen.add(f"{operation} {'failed' if isinstance(ours[0], str) else 'done'}")
    assert embedded.do("clean_up") == opensearch.do("clean_up")
    assert {"activate done", "activate failed", "delete done", "delete failed", "ask done", "finish done"} <= seen
