"""For random audiences and viewers, nothing of a closed document appears anywhere, on both engines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from kaijuan.answering.types import Answer, Finished
from kaijuan.engines.base import Engine, KeywordQuery, SearchResult, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import ViewError
from kaijuan.text import query_terms
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.permissions.corpora import ADMIN, NAME, Corpus, Made, closed_to, twin
from tests.retrieval.stand_ins import LetterEmbedder

SEEDS = range(4)
TEMPLATES = ("{}是什么", "{}负责办理的退货期限多久", "提交材料时 {} 表示什么", "{}组长是谁")


@pytest.fixture(params=["embedded", "opensearch"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Each engine in turn."""
    if request.param == "opensearch":
        made: Engine = request.getfixturevalue("opensearch")
        return made
    return EmbeddedEngine(tmp_path / "data" / "index")


@pytest.fixture(params=SEEDS)
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    """One random collection after another."""
    return Corpus(tmp_path, request.param)


def test_no_answer_shows_anything_of_a_closed_document(engine: Engine, corpus: Corpus) -> None:
    services = corpus.services(engine)
    for viewer in corpus.viewers(5):
        closed = closed_to(viewer, corpus.documents)
        earlier: list[str] = []
        for question in corpus.questions(closed):
            said = list(_everything_said(services, question, viewer, earlier[-2:]))
            assert _leaked(said, closed, " ".join([question, *earlier[-2:]])) == [], (viewer, question)
            earlier.append(question)


def test_the_engine_gives_exactly_the_open_chunks(engine: Engine, corpus: Corpus) -> None:
    services = corpus.services(engine)
    chunks = [c for made in corpus.documents for c in services.document(NAME, made.id, ADMIN)]
    question = LetterEmbedder().query("退货期限")
    for viewer in corpus.viewers(6):
        wanted = {c.id for c in chunks if viewer.may_read(c.audience)}
        sources = sorted({c.source_id for c in chunks if c.id in wanted})
        found = engine.search(NAME, KeywordQuery(query_terms("期限审批出错"), 500), VectorQuery(question, 500), viewer)
        assert {hit.chunk.id for hit in found.vector} == wanted
        assert {hit.chunk.id for hit in found.keyword} == {
            c.id for c in chunks if c.id in wanted and any(w in c.search_text for w in ("期限", "审批", "出错"))
        }
        assert [c.id for c in engine.fetch(NAME, [c.id for c in chunks], viewer)] == [
            c.id for c in chunks if c.id in wanted
        ]
        assert engine.source_ids(NAME, viewer) == sources
        for made in corpus.documents:
            if made.id in sources:
                assert {c.id for c in engine.document(NAME, made.id, viewer)} <= wanted
            else:
                assert engine.document(NAME, made.id, viewer) == []
                assert _refusal(services, made.id, viewer) == _refusal(services, "x", viewer).replace(
                    "“x”", f"“{made.id}”"
                )


def test_a_word_of_closed_documents_alone_is_answered_like_one_that_stands_nowhere(
    engine: Engine, corpus: Corpus
) -> None:
    services = corpus.services(engine)
    taken = "".join(made.text for made in corpus.documents)
    compared = 0
    for viewer in corpus.viewers(4)[:-1]:
        closed = closed_to(viewer, corpus.documents)
        for made in corpus.rng.sample(closed, min(2, len(closed))):
            secret = corpus.rng.choice(made.words)
            unknown = twin(secret, taken)
            # The digits in another order: to the model the same code, and no document holds it.
            code = f"{made.code[:3]}{made.code[:2:-1]}"
            assert code not in taken and not set(unknown) & set(taken)
            for template in TEMPLATES:
                asked, other = (services.answer(template.format(word), NAME, viewer) for word in (secret, unknown))
                assert _comparable(asked, *secret) == _comparable(other, *unknown), template
                asked, other = (services.answer(template.format(word), NAME, viewer) for word in (made.code, code))
                assert _comparable(asked, *_spellings(made.code)) == _comparable(other, *_spellings(code)), template
                compared += 1
    assert compared


class _Watched(EmbeddedEngine):
    """The embedded engine; keeps for whom it was searched and how many hits of the vector leg were wanted."""

    def __init__(self, index_dir: Path) -> None:
        super().__init__(index_dir)
        self.searched: list[tuple[Viewer, int]] = []

    def search(
        self,
        collection: str,
        keyword: KeywordQuery | None,
        vector: VectorQuery | None,
        viewer: Viewer,
        version: str | None = None,
    ) -> SearchResult:
        """See Engine.search."""
        self.searched.append((viewer, vector.size if vector else 0))
        return super().search(collection, keyword, vector, viewer, version)


def test_every_search_of_an_answer_is_made_for_the_viewer(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 2)
    engine = _Watched(tmp_path / "data" / "index")
    services = corpus.services(engine)
    sizes = set()
    # In the grey zone the collection is asked how near it is to the question without a word.
    services = replace(services, stages=replace(services.stages, embedder=_Doubtful()))
    for viewer in corpus.viewers(4):
        engine.searched.clear()
        for question in [*corpus.questions(closed_to(viewer, corpus.documents)), "西红柿炒鸡蛋要放几勺糖才好吃"]:
            services.answer(question, NAME, viewer)
        assert {searched for searched, _ in engine.searched} == {viewer}
        sizes |= {size for _, size in engine.searched}
    assert 1 in sizes, "the nearest passage alone was asked for too"


class _Doubtful(LetterEmbedder):
    """LetterEmbedder with a floor that puts these questions into the grey zone."""

    floor = 0.2


def test_the_check_sees_a_leak(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 1)
    services = corpus.services(EmbeddedEngine(tmp_path / "data" / "index"))
    closed = closed_to(Viewer(), corpus.documents)
    assert 3 <= len(closed) < corpus.size
    seen = set()
    for question in corpus.questions(closed):
        said = list(_everything_said(services, question, ADMIN, []))
        seen |= {where for where, _ in _leaked(said, closed, question)}
    assert {"Retrieved", "Piece", "Finished", "trace", "prompt"} <= seen


def test_every_way_of_answering_is_walked(tmp_path: Path) -> None:
    """The random collections reach refusals, nearest topics, second looks, conflicts and documents out of force."""
    answers: list[Answer] = []
    for seed in SEEDS:
        corpus = Corpus(tmp_path / str(seed), seed)
        services = corpus.services(EmbeddedEngine(tmp_path / str(seed) / "data" / "index"))
        for viewer in corpus.viewers(5):
            questions = corpus.questions(closed_to(viewer, corpus.documents))
            answers += [services.answer(question, NAME, viewer) for question in questions]
    assert any(a.nearest for a in answers) and any(a.sources for a in answers)
    assert any(hop.added for a in answers for hop in a.trace.hops)
    assert any(a.conflicts for a in answers)
    assert any(n.stage == "standing" for a in answers for n in a.notices)
    assert {a.refusal.reason for a in answers if a.refusal} >= {"missing_code"}


def _everything_said(
    services: Services, question: str, viewer: Viewer, earlier: list[str]
) -> Iterator[tuple[str, str]]:
    """What reaches a person or a model: every event, retrieval alone under other options, what is sent."""
    for event in services.ask(question, NAME, viewer, earlier):
        yield type(event).__name__, _text(event)
    collection = services.collection(NAME)
    usual = services.options(collection)
    for options in (
        usual,
        replace(usual, vector_leg=False, rerank=False),
        replace(usual, keyword_leg=False, context_chunks=20),
        replace(usual, k1=0.4, b=0.1, version=services.engine.versions(NAME)[-1].name),
    ):
        trace = services.trace(question, collection, viewer, options)
        yield "trace", _text(trace)
        yield "request", services.request_text(trace, options, viewer)
        yield "prompt", "\n".join(message.content for message in services.prompt(trace).messages)


def _leaked(said: Iterable[tuple[str, str]], closed: list[Made], echoed: str) -> list[tuple[str, str]]:
    """Where something of a closed document is said that the question did not say itself."""
    held = {secret for made in closed for secret in made.secrets if secret not in echoed}
    secrets = held | {secret.lower() for secret in held} | {secret.replace("-", "").lower() for secret in held}
    return [(where, secret) for where, text in said for secret in sorted(secrets) if secret in text]


def _text(event: Any) -> str:
    return json.dumps(asdict(event), ensure_ascii=False)


def _comparable(answer: Answer, *echoed: str) -> str:
    """An answer without its times, what the question said itself blanked piece by piece."""
    still = replace(answer, seconds=0.0, first_text_seconds=None, trace=replace(answer.trace, stages=()))
    text = _text(Finished(still))
    for number, part in enumerate(echoed):
        text = re.sub(rf"(?<![\d.]){re.escape(part)}", f"<{number}>", text)  # not in the middle of a score
    return text


def _spellings(code: str) -> tuple[str, ...]:
    """A code as it may be echoed, the longest first."""
    joined = code.replace("-", "")
    return code, code.lower(), joined, joined.lower(), code.partition("-")[2]


def _refusal(services: Services, source_id: str, viewer: Viewer) -> str:
    with pytest.raises(ViewError) as refused:
        services.document(NAME, source_id, viewer)
    return str(refused.value)
