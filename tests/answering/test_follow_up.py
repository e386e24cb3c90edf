"""Questions that lean on the one before are completed, and only these."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.follow_up import complete, leans
from kaijuan.answering.types import Answer, Finished
from kaijuan.errors import ModelFailed
from kaijuan.retrieval.retrieve import Options
from tests.answering.scripted_chat import ScriptedChat
from tests.retrieval.stand_ins import ANYBODY, collection, stages


@pytest.mark.parametrize(
    ("question", "before", "completed"),
    [
        ("那退货呢？", "换货的运费谁承担？", "退货的运费谁承担？"),
        ("企业版呢", "团队版能存多少东西？", "企业版能存多少东西？"),
        ("SF-3000呢？", "SF-2200 保修多久", "SF-3000 保修多久"),
        ("黑卡的呢？", "金卡会员包邮吗", "黑卡会员包邮吗"),
        ("那退货呢？", "电子发票几天开具？", "退货几天开具？"),
        ("怎么申请？", "电子发票几天开具", "电子发票怎么申请？"),
        ("要多久？", "退款怎么申请？", "退款要多久？"),
        ("为什么？", "E4032 可以让买家重试吗", "E4032 为什么？"),
        ("还能退吗？", "过了七天的商品怎么处理", "过了七天的商品还能退吗？"),
        ("它保修多久？", "SF-3000 怎么配网？", "SF-3000 保修多久？"),
        ("周末呢？", "客服几点上班", "周末几点上班"),
    ],
)
def test_what_is_left_out_is_taken_from_the_question_before(question: str, before: str, completed: str) -> None:
    assert complete(question, [before]) == completed


@pytest.mark.parametrize(
    "question",
    [
        "退款几天到账？",
        "E4032 是什么意思",
        "电子发票怎么申请",
        "这个月的工资几号发",
        "谢谢",
        "七天无理由退货的商品需要保留原包装吗，拆封过的能不能退，运费由谁承担？",
        "",
        "？",
    ],
)
def test_a_question_that_stands_by_itself_stays_as_it_is(question: str) -> None:
    assert complete(question, ["换货的运费谁承担？"]) is None


def test_without_a_question_before_there_is_nothing_to_lean_on() -> None:
    assert leans("那退货呢？") and complete("那退货呢？", []) is None


@pytest.mark.parametrize(
    ("said", "completed"),
    [
        ("退货的运费由谁承担？", "退货的运费由谁承担？"),
        ("“退货的运费由谁承担？”", "退货的运费由谁承担？"),
        ("好的，我来回答：运费由买家承担。\n还有什么问题？", "退货的运费谁承担？"),
        ("请问海外仓的关税政策是怎样规定的？", "退货的运费谁承担？"),
        ("", "退货的运费谁承担？"),
        (ModelFailed("忙。", "busy"), "退货的运费谁承担？"),
    ],
)
def test_a_model_may_word_it_and_the_rules_stand_behind_it(said: str | ModelFailed, completed: str) -> None:
    assert complete("那退货呢？", ["换货的运费谁承担？"], ScriptedChat(said)) == completed


def test_a_model_is_not_asked_about_a_whole_question() -> None:
    chat = ScriptedChat()
    assert complete("退款几天到账？", ["换货的运费谁承担？"], chat) is None and chat.asked == []


def test_the_answer_names_the_question_as_typed_and_as_searched(tmp_path: Path) -> None:
    engine = collection(tmp_path)

    def ask(question: str, *earlier: str) -> Answer:
        last = list(answer(question, "shop", Answering(stages(engine), Options()), ANYBODY, earlier))[-1]
        assert isinstance(last, Finished)
        return last.answer

    given = ask("运费呢？", "退货运费由谁承担")
    assert given.question == "运费呢？" and given.trace.question == given.completed != ""
    alone = ask("退货运费由谁承担", "电子发票几天开具？")
    assert alone.completed == "" and alone.trace.question == alone.question
