"""The second look follows a name only where the question asks for it and another passage explains it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kaijuan.answering.answer import Answering, answer
from kaijuan.answering.second_look import explanation, roles
from kaijuan.answering.types import Answer, Event, Finished, Retrieved
from kaijuan.retrieval.retrieve import Options
from kaijuan.types import Viewer
from kaijuan.wiring import Services
from tests.answering.made import chunk
from tests.retrieval.stand_ins import ANYBODY, collection, stages

WHO = "主备切换找谁审批"
TEXTS = {
    "规程.md#0": "主备切换须经平台组组长审批，未经审批不得执行。",
    "会议.md#0": "自七月起，平台组组长由陆闻舟担任。",
    "值班.md#0": "夜里的告警先告知平台组组长，再记入日志。",
    "运费.md#0": "运费由买家承担，质量问题由商家承担。",
}


def _events(
    folder: Path, texts: dict[str, str], question: str, viewer: Viewer = ANYBODY, **changes: Any
) -> list[Event]:
    made = Answering(stages(collection(folder, texts)), Options(context_chunks=1), **changes)
    return list(answer(question, "shop", made, viewer))


def _ask(folder: Path, texts: dict[str, str], question: str, viewer: Viewer = ANYBODY, **changes: Any) -> Answer:
    last = _events(folder, texts, question, viewer, **changes)[-1]
    assert isinstance(last, Finished)
    return last.answer


def test_a_role_is_followed_to_the_passage_that_says_who_it_is(tmp_path: Path) -> None:
    given = _ask(tmp_path, TEXTS, WHO)
    [hop] = given.trace.hops
    assert (hop.term, hop.kind, hop.said_in, hop.added) == ("平台组组长", "role", "规程.md#0", "会议.md#0")
    assert hop.found and hop.explanation == "自七月起，平台组组长由陆闻舟担任。"
    assert "陆闻舟" in given.text and [s.chunk.id for s in given.sources] == ["规程.md#0", "会议.md#0"]
    assert [c.chunk.id for c in given.trace.context] == ["会议.md#0", "规程.md#0"], "the best one stays last"
    assert [c.context_number for c in given.trace.context] == [1, 2]
    assert "second_look" in [stage.stage for stage in given.trace.stages]


def test_both_looks_are_told_as_they_happen(tmp_path: Path) -> None:
    traces = [event.trace for event in _events(tmp_path, TEXTS, WHO) if isinstance(event, Retrieved)]
    assert [len(trace.hops) for trace in traces] == [0, 1]


def test_switched_off_the_answer_stops_at_the_role(tmp_path: Path) -> None:
    given = _ask(tmp_path, TEXTS, WHO, second_look=False)
    assert given.trace.hops == () and "陆闻舟" not in given.text and "平台组组长" in given.text


def test_a_question_that_does_not_ask_who_is_not_followed(tmp_path: Path) -> None:
    assert _ask(tmp_path, TEXTS, "主备切换审批").trace.hops == ()


def test_a_role_that_nothing_explains_adds_nothing(tmp_path: Path) -> None:
    given = _ask(tmp_path, {k: v for k, v in TEXTS.items() if k != "会议.md#0"}, WHO)
    [hop] = given.trace.hops
    assert hop.added is None and hop.found and len(given.trace.context) == 1


def test_what_the_viewer_may_not_read_explains_nothing(tmp_path: Path) -> None:
    texts = {**TEXTS, "内部.md#0": TEXTS["会议.md#0"]}
    del texts["会议.md#0"]
    assert "陆闻舟" not in _ask(tmp_path / "a", texts, WHO).text
    assert "陆闻舟" in _ask(tmp_path / "b", texts, WHO, Viewer("staff", frozenset({"staff"}))).text


def test_an_explanation_that_does_not_fit_the_budget_is_found_and_left_out(tmp_path: Path) -> None:
    engine = collection(tmp_path, TEXTS)
    tight = Options(context_chunks=1, context_tokens=len("规程") + len(TEXTS["规程.md#0"]) + 10)
    last = list(answer(WHO, "shop", Answering(stages(engine), tight), ANYBODY))[-1]
    assert isinstance(last, Finished) and last.answer.trace.hops[0].added is None
    assert last.answer.trace.context_tokens <= tight.context_tokens


def test_a_code_is_followed_when_the_question_asks_why(tmp_path: Path) -> None:
    texts = {"退款.md#0": "退款失败时网关返回 R209，不再重试。", "码.md#0": "R209：数目超出了上限。"}
    assert _ask(tmp_path / "a", texts, "退款失败是什么原因").trace.hops[0].added == "码.md#0"
    assert _ask(tmp_path / "b", texts, "退款失败怎么办").trace.hops == ()


def test_a_document_referred_to_by_title_is_fetched(tmp_path: Path) -> None:
    engine = collection(
        tmp_path, {"报销.md#0": "差旅住宿费按《差旅标准》执行。", "标准.md#0": "一线城市每晚不超过五百元。"}
    )
    fetched = engine.fetch("shop", ["标准.md#0"], ANYBODY)
    assert fetched and not explanation("差旅标准", "document", fetched[0])


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("主备切换须经平台组组长审批。", ["平台组组长"]),
        ("由财务总监审批，抄送研发中心负责人。", ["财务总监", "研发中心负责人"]),
        ("超出请组长批。", []),
        ("请联系客户成功经理办理。", ["客户成功经理"]),
        ("经理论证后通过。", []),
    ],
)
def test_roles_are_taken_with_the_unit_they_belong_to(sentence: str, found: list[str]) -> None:
    assert roles(sentence) == found


@pytest.mark.parametrize(
    ("text", "explains"),
    [
        ("平台组组长由陆闻舟担任。", True),
        ("平台组组长：陆闻舟。", True),
        ("陆闻舟担任平台组组长。", True),
        ("| 职务 | 姓名 |\n| --- | --- |\n| 平台组组长 | 陆闻舟 |", True),
        ("主备切换须经平台组组长审批。", False),
        ("平台组组长由谁担任尚未确定。", False),
        ("夜里先告知平台组组长，由他记入日志。", False),
    ],
)
def test_only_a_sentence_that_says_who_it_is_explains_a_role(text: str, explains: bool) -> None:
    assert bool(explanation("平台组组长", "role", chunk("a#0", text))) is explains


def test_b03_names_the_person_and_the_switch_brings_back_the_stop(product: Services) -> None:
    question = "主备切换要找谁审批？"
    given = product.answer(question, "yunti", ANYBODY)
    assert {"doc-019", "doc-014"} <= {source.chunk.source_id for source in given.sources}
    assert "平台组组长" in given.text and "陆闻舟" in given.text
    without = replace(product, settings=product.settings.model_copy(update={"second_look": False}))
    stopped = without.answer(question, "yunti", ANYBODY)
    assert "平台组组长" in stopped.text and "陆闻舟" not in stopped.text
