"""Refusing: on which evidence, with which reason, and what of a question counts as a code or a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kaijuan.answering.refusal import (
    AGREEMENT_FLOOR,
    COVERAGE_FLOOR,
    COVERAGE_WEIGHT,
    GREY_ZONE,
    asked_codes,
    decide,
    evidence,
    is_grey,
    missing_codes,
    missing_names,
    speaks_to,
    unheld_words,
)
from kaijuan.answering.similarity import Similarity, covered, term_weights
from kaijuan.types import Evidence, Trace
from tests.answering.made import PLENTY, TopicEmbedder, candidates, chunk, no_model, trace

REFUND = chunk("s13#0", "退款提交以后，银行卡 3 个工作日以内到账。", "退款到账时效")
CODES = chunk("s07#0", "E4032 鉴权会话过期，允许重试；SF-3000 打不开时长按电源键。", "返回码")
FLOOR = 0.5


def _near(text: str) -> float:
    """The nearest passage stays as near as in GREY, whatever is left out of the question."""
    return FLOOR + GREY_ZONE / 2


def _far(text: str) -> float:
    """Nothing is near any more once a word is left out."""
    return 0.0


def _refusal(of: Trace, similarity: Similarity | None = None) -> str | None:
    found = decide(of, similarity or no_model(), term_weights(of.terms, of.term_weights), _near)
    return found.reason if found else None


def test_no_candidates_no_answer() -> None:
    assert _refusal(trace("退款几天到账", [])) == "no_hits"


def test_every_refusal_explains_itself_in_one_sentence() -> None:
    for question, chunks, found in (
        ("退款几天到账", [], PLENTY),
        ("E9999 是什么", [CODES], PLENTY),
        ("红烧肉怎么做", [REFUND], Evidence(best_cosine=0.1, floor=FLOOR)),
    ):
        made = trace(question, chunks, found)
        refusal = decide(made, no_model(), term_weights(made.terms, made.term_weights), _near)
        assert refusal is not None and refusal.explanation.endswith("。") and refusal.explanation.count("。") == 1


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("E4032 是什么意思", ("e4032",)),
        ("ＳＦ－３０００ 打不开", ("sf-3000",)),
        ("桌面客户端 9.2.1 更新了什么", ("9.2.1",)),
        ("YT-7719 和 R206", ("yt-7719", "r206")),
        ("E4032 和 e4032", ("e4032",)),
        ("包裹 10kg 要多少钱", ()),
        ("屏幕 5.5cm", ()),
        ("2026 年有几天年假", ()),
        ("192.168.0.1 连不上", ()),
        ("3.2.1 退货期是几天", ()),
        ("PDF 怎么下载", ()),
        ("L 码胸围 104", ()),
        ("", ()),
    ],
)
def test_codes_that_a_question_asks_for(question: str, codes: tuple[str, ...]) -> None:
    assert asked_codes(question) == codes


@pytest.mark.parametrize("spelling", ["SF-3000", "sf3000", "ＳＦ－３０００", "SF‑3000", "Sf3000"])
def test_a_code_counts_as_held_in_any_spelling(spelling: str) -> None:
    question = f"{spelling} 打不开"
    assert missing_codes(question, candidates(question, [REFUND, CODES])) == ()


@pytest.mark.parametrize("question", ["E9999 是什么意思", "SF-9000 打不开", "E9999 和 SF-9000 有关系吗"])
def test_codes_that_no_passage_holds_are_refused_however_near_the_rest(question: str) -> None:
    assert _refusal(trace(question, [CODES])) == "missing_code"


def test_of_two_codes_one_held_the_other_is_named_and_the_rest_answered() -> None:
    question = "E4032 和 E9999 能重试吗"
    made = trace(question, [CODES])
    assert _refusal(made) is None
    assert missing_codes(question, made.candidates) == ("E9999",)


def test_a_code_that_is_held_is_never_off_topic() -> None:
    """A bare code has no meaning for an embedding, so its cosine may lie anywhere."""
    made = trace("E4032", [CODES], Evidence(best_cosine=0.05, floor=FLOOR))
    assert _refusal(made, Similarity(TopicEmbedder("E4032"))) is None


def test_below_the_model_s_floor_is_off_topic_and_above_is_not() -> None:
    question = "红烧肉怎么做才不腻"
    below = trace(question, [REFUND], Evidence(best_cosine=FLOOR - 0.01, floor=FLOOR))
    assert _refusal(below) == "off_topic"
    above = trace("退款几天到账", [REFUND], Evidence(best_cosine=FLOOR + GREY_ZONE + 0.01, floor=FLOOR))
    assert _refusal(above) is None


def test_words_of_the_question_help_a_cosine_below_the_floor() -> None:
    question = "银行卡退款"
    found = Evidence(best_cosine=FLOOR - COVERAGE_WEIGHT / 4, floor=FLOOR)
    assert _refusal(trace(question, [REFUND], found)) is None
    assert _refusal(trace("红烧肉", [REFUND], found)) == "off_topic"


def test_evidence_is_the_cosine_and_the_largest_share_of_the_question_in_one_passage() -> None:
    made = trace("银行卡 运费", [REFUND, chunk("s01#0", "运费 8 元。")], Evidence(best_cosine=0.6, floor=FLOOR))
    weights = term_weights(made.terms, made.term_weights)
    best = max(covered(weights, c.chunk.search_text) for c in made.context)
    assert 0.0 < best < 1.0
    assert evidence(made, weights) == pytest.approx(0.6 + COVERAGE_WEIGHT * best)


def test_without_a_measured_floor_the_agreement_of_the_legs_decides() -> None:
    unmeasured = Evidence(best_cosine=0.9, floor=None, agreement=AGREEMENT_FLOOR - 0.01)
    assert _refusal(trace("红烧肉", [REFUND], unmeasured)) == "off_topic"
    assert _refusal(trace("红烧肉", [REFUND], replace(unmeasured, agreement=AGREEMENT_FLOOR + 0.01))) is None
    assert _refusal(trace("银行卡退款", [REFUND], unmeasured)) is None


def test_with_the_keyword_leg_alone_coverage_decides() -> None:
    question = "红烧肉怎么做才不腻"
    assert _refusal(trace(question, [REFUND], Evidence())) == "off_topic"
    assert _refusal(trace("银行卡退款几天到账", [REFUND], Evidence())) is None
    weights = {"银行": 1.0, "红烧": 1.0 / COVERAGE_FLOOR, "烧肉": 1.0}
    assert _refusal(trace("银行红烧肉", [REFUND], Evidence(), weights)) == "off_topic"


EDITIONS = [chunk("d1#0", "团队版的历史版本保留 30 天。"), chunk("d2#0", "企业版的历史版本保留 180 天，旗舰版不限。")]


def test_an_edition_that_no_passage_names_beside_others_is_refused_by_name() -> None:
    question = "尊享版历史版本保留几天"
    assert missing_names(question, candidates(question, EDITIONS)) == ("尊享版",)
    assert _refusal(trace(question, EDITIONS)) == "missing_name"


@pytest.mark.parametrize(
    "question", ["企业版保留几天", "旗舰版保留几天", "历史版本保留几天", "版权归谁", "怎么排版面", "团队和企业的版本"]
)
def test_editions_that_are_there_and_words_that_are_none_are_not_refused(question: str) -> None:
    assert missing_names(question, candidates(question, EDITIONS)) == ()


def test_where_passages_name_no_editions_a_name_is_no_reason() -> None:
    question = "尊享版退款几天到账"
    assert missing_names(question, candidates(question, [REFUND])) == ()


GREY = Evidence(best_cosine=FLOOR + GREY_ZONE / 2, floor=FLOOR)


def test_in_the_grey_zone_the_passages_must_speak_to_the_question() -> None:
    question = "门店自提要带身份证吗"
    made = trace(question, [REFUND], GREY)
    assert is_grey(made, term_weights(made.terms, made.term_weights))
    assert _refusal(made, Similarity(TopicEmbedder("自提", "退款"))) == "not_covered"


def test_in_the_grey_zone_the_question_s_own_words_are_enough() -> None:
    made = trace("退款几天到账", [REFUND], replace(GREY, best_cosine=FLOOR - 0.1))
    weights = term_weights(made.terms, made.term_weights)
    assert speaks_to(made, no_model(), weights, _far)


def test_in_the_grey_zone_a_near_sentence_is_enough() -> None:
    question = "邮费啥时能免"
    postage = chunk("s01#0", "运费满 99 元减免。\n大件另议。")
    made = trace(question, [postage], GREY)
    weights = term_weights(made.terms, made.term_weights)
    assert covered(weights, postage.search_text) == 0.0
    near = Similarity(TopicEmbedder("费", "免"))
    assert speaks_to(made, near, weights, _near)
    assert not speaks_to(made, Similarity(TopicEmbedder("邮", "运")), weights, _near)


def test_in_the_grey_zone_a_word_that_the_passages_speak_to_in_others_is_enough() -> None:
    made = trace("邮费啥时能免", [chunk("s01#0", "满 99 元减。")], GREY)
    weights = term_weights(made.terms, made.term_weights)
    assert speaks_to(made, no_model(), weights, _far)
    assert not speaks_to(made, no_model(), weights, _near)


@pytest.mark.parametrize(
    "question",
    [
        "我的订单 DD20240101 退款几天到账",
        "我的邮箱 zhang01@qq.com，退款几天到账",
        "win10 电脑怎么退款",
        "客服是 7x24 小时在线吗",
        "100Mbps 的宽带退款几天",
    ],
)
def test_a_word_of_letters_and_digits_is_not_always_a_code(question: str) -> None:
    assert _refusal(trace(question, [REFUND, CODES])) is None


def test_an_unknown_code_of_a_known_family_is_missing_in_any_spelling() -> None:
    assert missing_codes("e9999 是什么", trace("e9999 是什么", [CODES]).candidates) == ("E9999",)
    assert missing_codes("ZK-880 怎么配对", trace("ZK-880 怎么配对", [CODES]).candidates) == ("ZK-880",)


def test_well_above_the_floor_is_not_grey() -> None:
    made = trace("退款几天到账", [REFUND], PLENTY)
    assert not is_grey(made, term_weights(made.terms, made.term_weights))
    assert not is_grey(replace(made, evidence=Evidence()), {})


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("退款几天到账", "退款三日内到账", ["几天"]),
        ("门店自提要带身份证吗", "退款三天到账", ["门店自提要带身份证"]),
        ("银行卡退款可以加急吗", "银行卡退款三天", ["加急"]),
        ("退款", "退款", []),
        ("PDF", "", []),
    ],
)
def test_words_of_the_question_that_no_passage_holds(question: str, text: str, words: list[str]) -> None:
    assert unheld_words(question, text) == words
