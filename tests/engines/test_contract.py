"""What every engine promises, written against the Engine protocol."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kaijuan.engines.base import Engine, KeywordQuery, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import EngineError, IndexMismatch, IndexMissing, KaijuanError
from kaijuan.text import query_terms
from kaijuan.types import Standing, Viewer
from tests.engines.builders import ANYBODY, META, built, by_vector, by_words, directions, ids, passage, unit

FACTORIES: dict[str, Callable[[Path], Engine]] = {"embedded": EmbeddedEngine}
STAFF = Viewer("小李", frozenset({"staff"}))


@pytest.fixture(params=list(FACTORIES))
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    yield FACTORIES[request.param](tmp_path)


def test_finds_by_words_and_by_vector_in_one_call(engine: Engine) -> None:
    chunks = [passage("a#0", "退货运费由谁承担"), passage("b#0", "发票怎么开具"), passage("c#0", "会员积分规则")]
    built(engine, chunks, np.stack([unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(0, 0, 1, 0)]))
    question = VectorQuery(unit(0.1, 1, 0.2, 0), 2)
    result = engine.search("shop", KeywordQuery(query_terms("退货运费"), 5), question, ANYBODY)
    assert ids(result.keyword) == ["a#0"]
    assert ids(result.vector) == ["b#0", "c#0"]
    assert [hit.rank for hit in result.vector] == [1, 2]
    assert result.keyword[0].chunk == chunks[0]
    assert result.version == engine.versions("shop")[0].name
    assert set(result.term_weights) == {"退货", "货运", "运费"}


def test_every_hit_carries_the_other_leg_s_score(engine: Engine) -> None:
    chunks = [passage("a#0", "退货运费"), passage("b#0", "发票抬头")]
    built(engine, chunks, np.stack([unit(1, 0, 0, 0), unit(3, 4, 0, 0)]))
    both = engine.search("shop", KeywordQuery(("退货",), 5), VectorQuery(unit(1, 0, 0, 0), 5), ANYBODY)
    assert both.keyword[0].other_score == both.vector[0].score == pytest.approx(1.0)
    assert both.vector[0].other_score == both.keyword[0].score > 0
    assert both.vector[1].other_score == 0.0
    assert by_words(engine, "退货").keyword[0].other_score is None


def test_shares_add_up_to_the_score_to_the_last_bit(engine: Engine) -> None:
    words = ["退货", "运费", "发票", "会员", "积分", "规则", "客服", "电话", "sf-3000"]
    texts = ["，".join(words[n % 9 : n % 9 + 1 + n % 5] * (1 + n % 3)) for n in range(60)]
    built(engine, [passage(f"d{n}#0", text) for n, text in enumerate(texts)])
    result = by_words(engine, "退货运费和发票，会员积分规则，客服电话 SF-3000", size=60)
    assert len(result.keyword) > 40
    for hit in result.keyword:
        assert sum(share.score for share in hit.terms) == hit.score
        assert all(share.score > 0 for share in hit.terms)


def test_equal_scores_stand_in_the_order_of_their_ids(engine: Engine) -> None:
    names = [f"s{(n * 37) % 100:02d}#0" for n in range(100)]
    built(engine, [passage(name, "七天无理由退货") for name in names], np.tile(unit(1, 2, 3, 4), (100, 1)))
    assert ids(by_words(engine, "退货", size=7).keyword) == sorted(names)[:7]
    assert ids(by_vector(engine, unit(1, 1, 0, 0), size=7).vector) == sorted(names)[:7]


@pytest.mark.parametrize(("dims", "count"), [(64, 1003), (64, 2002), (512, 5), (512, 1003)])
def test_equal_vectors_tie_wherever_they_stand(engine: Engine, dims: int, count: int) -> None:
    """A matrix product rounds the same row differently at different places, seen with these shapes."""
    vectors = directions(count, dims)
    twins = sorted({*range(0, count, 7), count - 1, count - 2, count - 3})
    vectors[twins] = vectors[0]
    built(engine, [passage(f"s{n:04d}#0", "文") for n in range(count)], vectors, dims=dims)
    for direction in directions(12, dims, seed=8):
        question = direction + vectors[0]
        hits = by_vector(engine, question / np.linalg.norm(question), size=len(twins)).vector
        assert ids(hits) == [f"s{n:04d}#0" for n in twins]
        assert len({hit.score for hit in hits}) == 1


def test_only_passages_that_hold_a_term_are_keyword_hits(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货"), passage("b#0", "发票")])
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]
    nothing = by_words(engine, "完全没有")
    assert nothing.keyword == ()
    assert all(weight > 0 for weight in nothing.term_weights.values())


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_restricted_passages_are_filtered_inside_the_legs(engine: Engine, size: int) -> None:
    """The closed passages would come first in both legs; the open ones still fill the hits."""
    closed = [passage(f"in{n}#0", "工资工资工资", "staff") for n in range(60)]
    open_ = [passage("x#0", "工资说明，内容很长很长很长"), passage("y#0", "别的事情")]
    built(engine, [*closed, *open_], np.concatenate([np.tile(unit(1, 0, 0, 0), (60, 1)), directions(2)]))
    assert ids(by_words(engine, "工资", size=size).keyword) == ["x#0"]
    seen = by_vector(engine, unit(1, 0, 0, 0), size=size).vector
    assert set(ids(seen)) <= {"x#0", "y#0"}
    assert len(seen) == min(size, 2)
    assert all(np.isfinite(hit.score) for hit in seen)
    assert ids(by_vector(engine, unit(1, 0, 0, 0), STAFF, 1).vector) == ["in0#0"]
    assert len(by_words(engine, "工资", Viewer(sees_all=True), 100).keyword) == 61


def test_weights_do_not_tell_of_closed_passages(engine: Engine) -> None:
    """A term that only closed passages hold weighs as one that no passage holds, whoever asked before."""
    closed = [passage(f"in{n}#0", "工资调整", "staff") for n in range(3)]
    built(engine, [*closed, passage("x#0", "报销流程"), passage("y#0", "报销单据")])
    staff, anybody = by_words(engine, "工资报销", STAFF), by_words(engine, "工资报销")
    assert anybody.term_weights["工资"] == by_words(engine, "没有").term_weights["没有"]
    assert staff.term_weights["工资"] < anybody.term_weights["工资"]
    assert staff.term_weights["报销"] == anybody.term_weights["报销"] < anybody.term_weights["工资"]
    assert by_words(engine, "工资报销", STAFF).term_weights == staff.term_weights
    assert by_words(engine, "工资报销", Viewer(sees_all=True)).term_weights == staff.term_weights


def test_nothing_open_means_no_hits(engine: Engine) -> None:
    built(engine, [passage("a#0", "工资", "staff")])
    assert by_words(engine, "工资").keyword == ()
    assert by_vector(engine, unit(1, 0, 0, 0)).vector == ()
    assert engine.source_ids("shop", ANYBODY) == []


def test_fetch_and_document_and_ids_keep_to_the_viewer(engine: Engine) -> None:
    chunks = [passage("a#1", "二"), passage("a#0", "一"), passage("a#10", "三"), passage("b#0", "秘密", "staff")]
    built(engine, chunks)
    assert engine.fetch("shop", ["b#0", "a#1", "没有", "a#0"], ANYBODY) == [chunks[0], chunks[1]]
    assert engine.fetch("shop", ["b#0"], STAFF) == [chunks[3]]
    assert [chunk.id for chunk in engine.document("shop", "a", ANYBODY)] == ["a#0", "a#1", "a#10"]
    assert engine.document("shop", "b", ANYBODY) == engine.document("shop", "没有", ANYBODY) == []
    assert engine.source_ids("shop", ANYBODY) == ["a"]
    assert engine.source_ids("shop", STAFF) == ["a", "b"]


@pytest.mark.parametrize("count", [0, 1])
def test_a_collection_of_hardly_anything(engine: Engine, count: int) -> None:
    chunks = [passage("a#0", "退货")][:count]
    assert built(engine, chunks).chunks == count
    assert len(by_words(engine, "退货").keyword) == count
    assert len(by_vector(engine, unit(1, 0, 0, 0)).vector) == count
    assert engine.source_ids("shop", ANYBODY) == ["a"][:count]


@pytest.mark.parametrize("name", ["text", "x" * 40_000, "‮\u200b𠮷🙂\x00", "a\nb", '"引号"\\'])
def test_a_passage_comes_back_as_it_was(engine: Engine, name: str) -> None:
    written = passage("s07#3", name, "甲", "乙")
    built(engine, [written])
    assert engine.fetch("shop", ["s07#3"], Viewer(sees_all=True)) == [written]


@pytest.mark.parametrize("standing", [None, Standing("draft", valid_until="2026-05")])
def test_standing_page_and_path_come_back(engine: Engine, standing: Standing | None) -> None:
    places = [(None, ""), (1, "手册/a.pdf"), (None, "a.md"), (40, "")]
    written = [
        replace(passage(f"a#{n}", "退货"), standing=standing, page=page, path=path)
        for n, (page, path) in enumerate(places)
    ]
    built(engine, written)
    assert engine.document("shop", "a", ANYBODY) == written


def test_codes_are_found_in_any_spelling(engine: Engine) -> None:
    built(engine, [passage("a#0", "型号 SF-3000 的说明"), passage("b#0", "型号 SF-4000 的说明"), passage("c#0", "税")])
    for question in ["SF-3000", "sf3000", "ＳＦ－３０００"]:
        assert ids(by_words(engine, question).keyword)[0] == "a#0", question
    assert ids(by_words(engine, "税").keyword) == ["c#0"]


def test_own_k1_and_b_change_the_scores(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货，退货，退货，退货"), passage("b#0", "退货，运费")])
    usual = by_words(engine, "退货").keyword
    flat = engine.search("shop", KeywordQuery(("退货",), 5, k1=0.0), None, ANYBODY).keyword
    assert usual[0].score > usual[1].score
    assert flat[0].score == flat[1].score
    same = engine.search("shop", KeywordQuery(("退货",), 5, k1=1.2, b=0.75), None, ANYBODY).keyword
    assert same == usual


def test_a_collection_without_vectors(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货")], embedder=None, dims=0)
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]
    with pytest.raises(IndexMismatch, match="0 维"):
        by_vector(engine, unit(1, 0, 0, 0))


def test_a_vector_of_another_length_is_refused(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货")])
    with pytest.raises(IndexMismatch, match=r"4 维.*\(3,\)"):
        by_vector(engine, unit(1, 0, 0))


def test_vectors_that_do_not_fit_are_refused_before_anything_is_added(engine: Engine) -> None:
    build = engine.open_build(META)
    for wrong in [None, directions(1), directions(2, 5)]:
        with pytest.raises(IndexMismatch):
            build.add([passage("a#0", "一"), passage("b#0", "二")], wrong)
    for number in [np.nan, 0.0, 2.0]:
        with pytest.raises(EngineError, match="a#0"):
            build.add([passage("a#0", "一")], np.full((1, 4), number, dtype=np.float32))
    build.add([passage("a#0", "一")], directions(1))
    assert build.finish().chunks == 1


def test_an_id_that_comes_twice_is_refused_by_name(engine: Engine) -> None:
    build = engine.open_build(META)
    build.add([passage("a#0", "一")], directions(1))
    build.add([passage("b#0", "二"), passage("a#0", "三")], directions(2))
    with pytest.raises(EngineError, match="a#0"):
        build.finish()
    build.abandon()
    assert engine.versions("shop") == []


def test_a_build_answers_only_once_it_is_activated(engine: Engine) -> None:
    old = built(engine, [passage("a#0", "退货")])
    build = engine.open_build(META)
    build.add([passage("b#0", "退货")], directions(1))
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]
    new = build.finish()
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]
    assert [(v.name, v.active) for v in engine.versions("shop")] == [(old.name, True), (new.name, False)]
    engine.activate("shop", new.name)
    assert ids(by_words(engine, "退货").keyword) == ["b#0"]
    assert ids(engine.search("shop", KeywordQuery(("退货",), 5), None, ANYBODY, old.name).keyword) == ["a#0"]


def test_rolling_back_is_activating_an_older_version(engine: Engine) -> None:
    old = built(engine, [passage("a#0", "退货")])
    built(engine, [passage("b#0", "退货")])
    engine.activate("shop", old.name)
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]
    assert engine.meta("shop") == META


def test_notes_stay_with_their_version(engine: Engine) -> None:
    first, second = built(engine, [passage("a#0", "退货")]), built(engine, [passage("b#0", "运费")])
    engine.note("shop", first.name, {"gate": {"outcome": "first", "题": [1, 2.5, None]}, "by": "x"})
    engine.note("shop", first.name, {"by": "y"})
    assert [version.notes for version in engine.versions("shop")] == [
        {"gate": {"outcome": "first", "题": [1, 2.5, None]}, "by": "y"},
        {},
    ]
    assert engine.meta("shop", first.name) == first.meta and ids(by_words(engine, "运费").keyword) == ["b#0"]
    with pytest.raises(EngineError, match="v0099"):
        engine.note("shop", "v0099", {})
    assert second.notes == {}


def test_an_abandoned_build_leaves_nothing(engine: Engine) -> None:
    build = engine.open_build(META)
    build.add([passage("a#0", "一")], directions(1))
    build.abandon()
    assert engine.versions("shop") == []
    assert engine.clean_up("shop") == []


def test_clean_up_removes_what_an_interrupted_build_left(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货")])
    build = engine.open_build(META)
    build.add([passage("b#0", "二")], directions(1))
    assert len(engine.clean_up("shop")) == 1
    build.abandon()
    assert engine.clean_up("shop") == []
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]


def test_the_active_version_cannot_be_deleted_another_can(engine: Engine) -> None:
    old = built(engine, [passage("a#0", "退货")])
    new = built(engine, [passage("b#0", "退货")])
    with pytest.raises(EngineError, match=new.name):
        engine.delete("shop", new.name)
    engine.delete("shop", old.name)
    assert [version.name for version in engine.versions("shop")] == [new.name]
    with pytest.raises(EngineError, match=old.name):
        engine.delete("shop", old.name)
    with pytest.raises(IndexMissing):
        engine.meta("shop", old.name)
    with pytest.raises(EngineError, match=old.name):
        engine.activate("shop", old.name)


def test_a_version_that_does_not_exist_cannot_be_activated(engine: Engine) -> None:
    built(engine, [passage("a#0", "退货")])
    for name in ["v0099", "", "最新", "../shop/v0001", "v0001/."]:
        with pytest.raises(EngineError):
            engine.activate("shop", name)
        with pytest.raises(IndexMissing):
            engine.meta("shop", name)
    assert ids(by_words(engine, "退货").keyword) == ["a#0"]


def test_a_collection_without_index_says_what_to_run(engine: Engine) -> None:
    with pytest.raises(IndexMissing, match="python -m ingest shop"):
        by_words(engine, "退货")
    assert engine.versions("shop") == []
    assert engine.clean_up("shop") == []


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../shop", "a/b", "a\\b", "/etc", "shop\n", "shop\0", "集合", "x" * 65]
)
def test_names_that_could_lead_elsewhere_are_refused(engine: Engine, name: str) -> None:
    for call in (engine.meta, engine.versions, engine.clean_up):
        with pytest.raises(KaijuanError):
            call(name)  # type: ignore[operator]
    with pytest.raises(KaijuanError):
        built(engine, [passage("a#0", "一")], collection=name)
