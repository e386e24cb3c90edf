"""Questions that were not answered well: grouped by likeness, counted, with a draft that answers nothing by itself."""

from __future__ import annotations

from kaijuan.evaluation.gaps import find_gaps
from kaijuan.readers import front_matter
from tests.answering.made import TopicEmbedder

ASKED = ["食堂几点开？", "食堂几点开", "班车几点发", "食堂开到几点", "停车位怎么申请"]


def test_the_most_asked_comes_first_and_every_question_counts_once() -> None:
    gaps = find_gaps(ASKED, None)
    assert sum(gap.count for gap in gaps) == len(ASKED)
    assert gaps[0].questions[0] == "食堂几点开？" and gaps[0].count >= 2
    assert [gap.count for gap in gaps] == sorted((gap.count for gap in gaps), reverse=True)


def test_with_a_model_likeness_is_the_cosine() -> None:
    gaps = find_gaps(ASKED, TopicEmbedder("食堂", "班车", "停车"))
    assert [(gap.questions, gap.count) for gap in gaps] == [
        (("食堂几点开？", "食堂开到几点"), 3),
        (("班车几点发",), 1),
        (("停车位怎么申请",), 1),
    ]


def test_the_order_of_asking_decides_ties_and_nothing_else_does() -> None:
    assert find_gaps(ASKED, None) == find_gaps(list(ASKED), None)
    assert find_gaps([], None) == [] and find_gaps(["  "], None) == []


def test_the_draft_is_a_document_that_is_not_in_force_yet() -> None:
    [gap] = find_gaps(["食堂几点开？"], None, lambda question: ["作息", "通知", "福利", "考勤"])
    assert gap.nearest == ("作息", "通知", "福利")
    matter, body = front_matter.split(gap.draft())
    assert matter.title == "食堂几点开？" and matter.standing is not None and matter.standing.status == "draft"
    assert "在这里写答案" in body
