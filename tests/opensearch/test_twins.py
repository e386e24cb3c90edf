"""The two engines side by side: same hits, same scores to the last bit, same order."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.base import Engine, KeywordQuery, SearchResult, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.opensearch import question as question_module
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.errors import EngineError
from kaijuan.text import query_terms
from kaijuan.types import Chunk, Viewer
from tests.engines.builders import ANYBODY, META, built, by_words, directions, ids, passage, unit

pytestmark = pytest.mark.slow

WORDS = [
    "退货",
    "运费",
    "发票",
    "会员",
    "积分",
    "规则",
    "客服",
    "电话",
    "SF-3000",
    "e4032",
    "税",
    "配送时间",
    "3.5元",
    "七天无理由",
    "臺灣",
    "c++",
    "订单",
    "sf3000",
    "保修卡",
    "wi-fi_6",
]


def corpus(count: int, longest: int, seed: int = 5) -> list[Chunk]:
    """Passages of words drawn with falling frequency, every fifth for staff."""
    rng = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    texts = ["，".join(rng.choices(WORDS, weights, k=rng.randint(1, longest))) for _ in range(count)]
    return [passage(f"d{n // 7:03d}#{n % 7}", text, *(["staff"] if n % 5 == 0 else [])) for n, text in enumerate(texts)]


def ask(engine: Engine, terms: tuple[str, ...], vector: np.ndarray, viewer: Viewer, size: int = 20) -> SearchResult:
    return engine.search("shop", KeywordQuery(terms, size), VectorQuery(vector, size), viewer)


def test_same_hits_same_scores_same_order(opensearch: OpenSearchEngine, tmp_path: Path) -> None:
    chunks, vectors = corpus(400, 12), directions(400, 32)
    embedded = EmbeddedEngine(tmp_path)
    for engine in (embedded, opensearch):
        built(engine, chunks, vectors, dims=32)
    rng = random.Random(9)
    for viewer in [ANYBODY, Viewer("李", frozenset({"staff"})), Viewer(sees_all=True)]:
        for direction in directions(10, 32, seed=4):
            terms = query_terms("，".join(rng.sample(WORDS, 4)))
            ours, theirs = (ask(engine, terms, direction, viewer) for engine in (embedded, opensearch))
            assert theirs.notices == ()
            assert theirs.term_weights == ours.term_weights
            assert [(h.chunk, h.rank, h.score, h.terms) for h in theirs.keyword] == [
                (h.chunk, h.rank, h.score, h.terms) for h in ours.keyword
            ]
            assert ids(theirs.vector) == ids(ours.vector)
            assert [h.score for h in theirs.vector] == pytest.approx([h.score for h in ours.vector], abs=1e-6)
            assert [h.other_score for h in theirs.vector] == [h.other_score for h in ours.vector]
            assert [h.terms for h in theirs.vector] == [h.terms for h in ours.vector]
            assert [h.other_score for h in theirs.keyword] == pytest.approx(
                [h.other_score for h in ours.keyword], abs=1e-6
            )


def test_long_passages_differ_at_the_end_of_the_list_at_most(opensearch: OpenSearchEngine, tmp_path: Path) -> None:
    """Hundreds of terms from twenty words: as many near-ties as there can be, and lengths that Lucene rounds."""
    chunks = corpus(400, 200)
    embedded = EmbeddedEngine(tmp_path)
    for engine in (embedded, opensearch):
        built(engine, chunks, embedder=None, dims=0)
    rng = random.Random(9)
    missed = 0
    for _ in range(20):
        terms = query_terms("，".join(rng.sample(WORDS, 4)))
        ours, theirs = (
            engine.search("shop", KeywordQuery(terms, 20), None, Viewer(sees_all=True))
            for engine in (embedded, opensearch)
        )
        scores = {h.chunk.id: (h.score, h.terms) for h in ours.keyword}
        assert all(scores.get(h.chunk.id, (h.score, h.terms)) == (h.score, h.terms) for h in theirs.keyword)
        lost = [h for h in ours.keyword if h.chunk.id not in ids(theirs.keyword)]
        assert all(h.score < 1.06 * theirs.keyword[-1].score for h in lost)
        missed += len(lost)
    assert missed <= 0.1 * 20 * 20


def test_other_k1_and_b_rank_alike(opensearch: OpenSearchEngine, tmp_path: Path) -> None:
    chunks = corpus(300, 60)
    embedded = EmbeddedEngine(tmp_path)
    for engine in (embedded, opensearch):
        built(engine, chunks, embedder=None, dims=0)
    terms = query_terms("会员积分规则 SF-3000 退货")
    for k1, b in [(0.0, 0.75), (0.5, 0.0), (2.0, 1.0), (1.2, 0.3)]:
        ours, theirs = (
            engine.search("shop", KeywordQuery(terms, 10, k1, b), None, ANYBODY) for engine in (embedded, opensearch)
        )
        assert [(h.chunk.id, h.score) for h in theirs.keyword] == [(h.chunk.id, h.score) for h in ours.keyword]


@pytest.mark.parametrize("exact_up_to", [0, 20_000])
def test_permissions_are_inside_both_legs(
    opensearch: OpenSearchEngine, monkeypatch: pytest.MonkeyPatch, exact_up_to: int
) -> None:
    """The closed passages would fill both legs; with the graph and without it the open ones come."""
    monkeypatch.setattr(question_module, "EXACT_UP_TO", exact_up_to)
    closed = [passage(f"in{n:02d}#0", "工资工资工资", "staff") for n in range(60)]
    open_ = [passage("x#0", "工资说明，内容很长很长很长"), passage("y#0", "工资")]
    vectors = directions(62)
    vectors[:60] = unit(1, 0, 0, 0)
    built(opensearch, [*closed, *open_], vectors)
    seen = ask(opensearch, ("工资",), unit(1, 0, 0, 0), ANYBODY, 5)
    assert ids(seen.keyword) == ["y#0", "x#0"]
    assert sorted(ids(seen.vector)) == ["x#0", "y#0"]
    assert len(ask(opensearch, ("工资",), unit(1, 0, 0, 0), Viewer(sees_all=True), 5).vector) == 5
    assert ask(opensearch, ("工资",), unit(1, 0, 0, 0), Viewer(groups=frozenset({"everybody", "g:staff"})), 5) == seen


def test_the_graph_finds_what_comparing_everything_finds(
    opensearch: OpenSearchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks, vectors = corpus(1000, 10), directions(1000, 64)
    built(opensearch, chunks, vectors, dims=64)
    viewer = Viewer(sees_all=True)
    found = 0
    for direction in directions(20, 64, seed=6):
        exact = ask(opensearch, ("退货",), direction, viewer, 10)
        monkeypatch.setattr(question_module, "EXACT_UP_TO", 0)
        graph = ask(opensearch, ("退货",), direction, viewer, 10)
        monkeypatch.undo()
        found += len(set(ids(exact.vector)) & set(ids(graph.vector)))
        assert graph.keyword == exact.keyword or ids(graph.keyword) == ids(exact.keyword)
        both = {h.chunk.id: h for h in exact.vector}
        for hit in graph.vector:
            if hit.chunk.id in both:
                assert hit.score == pytest.approx(both[hit.chunk.id].score, abs=1e-6)
                assert hit.other_score == both[hit.chunk.id].other_score
    assert found >= 195


def test_what_people_type_goes_in_safely(opensearch: OpenSearchEngine) -> None:
    built(opensearch, [passage("a#0", '他说"退货"\n{{x}} \\ {"match_all":{}}'), passage("b#0", "发票")])
    for typed in [
        '"退货',
        "退货\n{{x}}",
        "{{#toJson}}terms{{/toJson}}退货",
        '退货"}}]}}',
        "退货\\",
        "退货\x00",
        "x" * 40_000 + " 退货",
    ]:
        assert ids(by_words(opensearch, typed).keyword) == ["a#0"], typed[:40]


def test_a_question_of_more_terms_than_the_server_takes(opensearch: OpenSearchEngine) -> None:
    built(opensearch, [passage("a#0", "退货"), passage("b#0", "发票")])
    terms = ("退货", *(f"w{n}" for n in range(1500)))
    result = opensearch.search("shop", KeywordQuery(terms, 5), None, ANYBODY)
    assert ids(result.keyword) == ["a#0"]
    assert "1501" in result.notices[0].text


def test_a_switch_by_another_process_shows_with_the_next_question(opensearch: OpenSearchEngine, server: Server) -> None:
    old = built(opensearch, [passage("a#0", "退货"), passage("b#0", "运费")])
    assert ids(by_words(opensearch, "退货").keyword) == ["a#0"]
    other = OpenSearchEngine(server)
    new = built(other, [passage("c#0", "退货，发票")])
    result = by_words(opensearch, "退货")
    assert (ids(result.keyword), result.version) == (["c#0"], new.name)
    other.activate("shop", old.name)
    empty = by_words(opensearch, "发票")
    assert (empty.keyword, empty.version) == ((), old.name)
    other.delete("shop", new.name)
    again = built(other, [passage("d#0", "退货")])
    assert again.name == new.name, "the name is used again, for another build"
    assert ids(by_words(opensearch, "退货").keyword) == ["d#0"]
    other.close()


def test_one_leg_fails_and_the_other_answers(opensearch: OpenSearchEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    built(opensearch, [passage("a#0", "退货")])
    monkeypatch.setattr(question_module, "_vector", lambda *_: {"size": "none"})
    result = ask(opensearch, ("退货",), unit(1, 0, 0, 0), ANYBODY)
    assert ids(result.keyword) == ["a#0"]
    assert result.vector == ()
    assert [(n.stage, n.text.startswith("向量检索没有成功")) for n in result.notices] == [("vector", True)]


def test_questions_go_on_while_builds_are_switched(opensearch: OpenSearchEngine, server: Server) -> None:
    built(opensearch, [passage("a#0", "退货")])
    done = threading.Event()
    wrong: list[object] = []
    asked = [0]

    def questions() -> None:
        while not done.is_set():
            try:
                if len(ask(opensearch, ("退货",), unit(1, 0, 0, 0), ANYBODY).keyword) != 1:
                    wrong.append("empty")
            except Exception as error:
                wrong.append(error)
            asked[0] += 1

    threads = [threading.Thread(target=questions) for _ in range(4)]
    for thread in threads:
        thread.start()
    writer = OpenSearchEngine(server)
    for n in range(5):
        built(writer, [passage(f"b{n}#0", "退货")])
        for version in writer.versions("shop")[:-2]:
            writer.delete("shop", version.name)
    done.set()
    for thread in threads:
        thread.join()
    writer.close()
    assert wrong == []
    assert asked[0] > 20


def test_an_index_deleted_under_its_build_is_one_sentence_and_is_not_made_again(opensearch: OpenSearchEngine) -> None:
    old = built(opensearch, [passage("z#0", "退货")])
    build = opensearch.open_build(META)
    build.add([passage("a#0", "一")], directions(1))
    opensearch.clean_up("shop")
    with pytest.raises(EngineError, match="旧索引照常可用"):
        build.finish()
    build.abandon()
    assert [version.name for version in opensearch.versions("shop")] == [old.name]
    assert opensearch.clean_up("shop") == []
    assert ids(by_words(opensearch, "退货").keyword) == ["z#0"]
