"""Corpus health: what is found, and what has to stay unsaid."""

from __future__ import annotations

import pytest

from kaijuan.chunking import chunk
from kaijuan.collection import load_collection
from kaijuan.indexing.health import KEPT, Health, Kind, corpus_health
from kaijuan.indexing.standing import with_standing
from kaijuan.readers import read_folder
from kaijuan.settings import ROOT
from kaijuan.types import Chunk, Document, Standing

TODAY = "2026-05-01"
LONG = "签收之后如果发现包裹外层破损，请先拍下照片，再联系客服登记，客服会在当天回复处理办法并安排重新发货，运费由我们承担。破损的商品不必寄回，照片要能看清面单和破口。"


def _chunks(*texts: tuple[str, str], **more: str) -> list[Chunk]:
    """One document a pair of title and text."""
    made = [Document(f"d{i}", title, text, f"d{i}.md", **more) for i, (title, text) in enumerate(texts)]
    return [piece for document in made for piece in chunk(document)]


def _kinds(health: Health) -> dict[Kind, int]:
    return dict(health.counts)


def test_another_figure_for_the_same_thing_is_found_with_both_dates_oldest_first() -> None:
    old = Document("a", "退货期限", "自营商品签收后七天内可以申请无理由退货。", updated="2026-02-01")
    new = Document("b", "退货期限问答", "自营商品签收后十五天内可以申请无理由退货。", updated="2025-06-01")
    health = corpus_health([*chunk(old), *chunk(new)], TODAY)
    (finding,) = health.findings
    assert finding.kind == "figures" and [place.source_id for place in finding.places] == ["b", "a"]
    assert [place.updated for place in finding.places] == ["2025-06-01", "2026-02-01"]
    assert all(word in finding.said for word in ("七天", "十五天", "2025-06-01", "2026-02-01"))
    assert finding.said.endswith("。") and finding.places[0].quote == new.text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("自营商品签收后七天内可以申请无理由退货。", "自营商品签收后 7 天内可以申请无理由退货。"),
        ("自营商品签收后七天内可以申请无理由退货。", "第三方商品签收后十五天内可以申请无理由退货。"),
        ("SF-2200 整机签收后保修 12 个月。", "SF-3000 整机签收后保修 18 个月。"),
        ("例如签收后七天内可以申请无理由退货。", "例如签收后十五天内可以申请无理由退货。"),
        ("团队版历史版本保留 30 天，可以申请恢复。", "企业版历史版本保留 180 天，可以申请恢复。"),
        ("订单签收满 7 天才能申请无理由退货。", "订单签收后最多 15 天内申请无理由退货。"),
        ("2025 年 3 月退货申请共处理 300 件。", "2026 年 3 月退货申请共处理 500 件。"),
    ],
)
def test_what_is_said_of_something_else_is_no_dispute(first: str, second: str) -> None:
    assert "figures" not in _kinds(corpus_health(_chunks(("退货期限", first), ("退货期限问答", second)), TODAY))


def test_articles_of_one_set_of_rules_are_not_held_against_each_other() -> None:
    texts = [(f"管理办法第{n}条", f"违反规定逾期不改正的，处{n}万元以下罚款。") for n in "三四"]
    assert _kinds(corpus_health(_chunks(*texts), TODAY)) == {}


def test_a_form_that_many_documents_fill_in_is_no_dispute() -> None:
    shops = ["城东", "河西", "江南", "山北", "海口"]
    texts = [(f"{shop}门店须知", f"本店停车场最多停放 {n} 辆车，请提前预约车位。") for n, shop in enumerate(shops, 10)]
    assert _kinds(corpus_health(_chunks(*texts), TODAY)) == {}


def test_what_is_not_in_force_is_reported_and_compared_with_nothing() -> None:
    old = Document("a", "退货期限", "自营商品签收后七天内可以申请无理由退货。", updated="2025-02-01")
    new = Document(
        "b", "退货期限问答", "自营商品签收后十五天内可以申请无理由退货。", updated="2026-02-01", supersedes=("a",)
    )
    documents, _ = with_standing([old, new])
    (finding,) = corpus_health([piece for d in documents for piece in chunk(d)], TODAY).findings
    assert finding.kind == "superseded" and "《退货期限问答》" in finding.said and "2025-02-01" in finding.said


@pytest.mark.parametrize(("today", "kinds"), [("2026-04-30", {}), ("2026-05-01", {"expired": 1})])
def test_validity_is_judged_as_of_the_day_given(today: str, kinds: dict[Kind, int]) -> None:
    document = Document("a", "活动", "满一百减十。", standing=Standing(valid_until="2026-04"))
    assert _kinds(corpus_health(chunk(document), today)) == kinds


def test_a_draft_is_no_fault() -> None:
    assert _kinds(corpus_health(chunk(Document("a", "草案", "七天。", standing=Standing("draft"))), TODAY)) == {}


def test_near_duplicates_of_different_documents_are_found_once() -> None:
    changed = LONG.replace("当天", "次日")
    other = "会员积分在订单完成的第二天到账，可以在结算的时候抵扣现金，也可以在积分商城兑换礼品，年底统一清零一次。"
    health = corpus_health(_chunks(("破损", LONG), ("破损处理", f"{changed}！"), ("积分", other)), TODAY)
    (finding,) = health.findings
    assert finding.kind == "repeats" and [place.source_id for place in finding.places] == ["d0", "d1"]


def test_short_passages_are_not_called_duplicates() -> None:
    assert _kinds(corpus_health(_chunks(("甲", "请联系客服。"), ("乙", "请联系客服。")), TODAY)) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("| 新疆 | 18 元 |\n| 西藏 | 22 元 |", True),
        ("|  |  |\n| --- | --- |\n| 西藏 | 22 元 |", True),
        ("| 地区 | 运费 |\n| --- | --- |\n| 西藏 | 22 元 |", False),
        ("```\n| 新疆 | 18 元 |\n| 西藏 | 22 元 |\n```", False),
        ("| 只有一行 |", False),
    ],
)
def test_tables_without_a_header(text: str, found: bool) -> None:
    health = corpus_health(_chunks(("运费表", f"运费如下。\n\n{text}\n")), TODAY)
    assert _kinds(health) == ({"tables": 1} if found else {})


def test_passages_in_which_nothing_can_be_searched() -> None:
    (finding,) = corpus_health(_chunks(("符号", "— — —"), ("退货", "七天退货。")), TODAY).findings
    assert finding.kind == "unsearchable" and finding.places[0].source_id == "d0"


def test_questions_without_gold_are_named() -> None:
    (finding,) = corpus_health([], TODAY, ["q07"]).findings
    assert finding.kind == "questions" and "q07" in finding.said


def test_of_many_findings_the_first_are_kept_and_all_are_counted() -> None:
    health = corpus_health([], TODAY, [f"q{n}" for n in range(KEPT + 5)])
    assert len(health.findings) == KEPT and _kinds(health) == {"questions": KEPT + 5} and health.total == KEPT + 5


@pytest.mark.parametrize(("name", "documents"), [("shop", ("s28", "s53")), ("yunti", ("doc-006", "doc-024"))])
def test_every_dispute_named_in_the_demo_collections_is_one(name: str, documents: tuple[str, str]) -> None:
    collection = load_collection(ROOT / "corpus", name)
    made, _ = with_standing(read_folder(collection.folder).documents)
    health = corpus_health([piece for document in made for piece in chunk(document)], TODAY)
    found = [tuple(place.source_id for place in f.places) for f in health.findings if f.kind == "figures"]
    assert found == [documents]
