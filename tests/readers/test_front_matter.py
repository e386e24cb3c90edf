"""Front matter: the usual shapes, and text that only looks like it."""

import pytest

from kaijuan.readers.front_matter import FrontMatter, split


def test_all_fields() -> None:
    text = (
        '---\nid: doc-006\ntitle: "上传: 说明"\nupdated: 2026年3月5日 # 每季更新\ndepartment: 产品部\n'
        "kind: 产品手册\naudience:\n  - 客服\n  - 财务\ntags: [a]\n---\n正文\n"
    )
    expected = FrontMatter("doc-006", "上传: 说明", "2026-03-05", "产品部", "产品手册", ("客服", "财务"))
    assert split(text) == (expected, "正文\n")


@pytest.mark.parametrize(
    "line", ["audience: [客服, '财务']", "audience: 客服，财务", "audience:\n- 客服\n- 财务", "可见范围：客服、财务"]
)
def test_an_audience_is_read_in_every_notation(line: str) -> None:
    matter, body = split(f"---\n{line}\n---\n正文")
    assert (matter.audience, body) == (("客服", "财务"), "正文")


def test_updated_comes_before_date_and_a_date_that_is_none_is_kept_apart() -> None:
    assert split("---\ndate: 2025-01-01\nupdated: 2026-01-01\n---\n")[0].updated == "2026-01-01"
    matter, _ = split("---\ndate: 长期有效\n---\n")
    assert (matter.updated, matter.undated) == (None, "长期有效")


def test_a_missing_closing_line_does_not_lose_the_audience() -> None:
    matter, body = split("---\ntitle: 薪酬\naudience: hr\n\n# 薪酬\n正文")
    assert (matter.audience, body.strip()) == (("hr",), "# 薪酬\n正文")


def test_strange_lines_are_passed_over() -> None:
    matter, body = split("---\ntitle: 换货\n部门 客服\naudience: hr\n...\n正文")
    assert (matter.title, matter.audience, body) == ("换货", ("hr",), "正文")


@pytest.mark.parametrize(
    "text",
    [
        "# 标题\n正文",
        "---\n# 标题\n---\n正文",
        "---\n说明：以下为正文。\n---\n正文",
        "---\n- 甲\n- 乙\n---\n",
        "---\n正文没有结尾",
        "",
        "---",
    ],
)
def test_text_between_rules_stays_text(text: str) -> None:
    assert split(text) == (FrontMatter(), text)
