"""Texts in other spellings: what counts as the same, and how a text is spoiled."""

from __future__ import annotations

import pytest

from kaijuan.diagnosis.spelling import place_in, share, spoiled, squeeze

TEXT = "电子发票在签收后开具，抬头可以修改一次。"


@pytest.mark.parametrize("other", ["電子發票 在簽收後開具", "电 子 发 票 在签收后开具", "**电子发票**，在签收后开具", "电子\u200b发票在签收\n后开具"])  # fmt: skip
def test_the_same_in_another_spelling(other: str) -> None:
    assert squeeze(other) in squeeze(TEXT)


@pytest.mark.parametrize(("one", "other"), [("3.5 元", "35 元"), ("50%", "50"), ("七天", "十天")])
def test_other_figures_are_other_texts(one: str, other: str) -> None:
    assert squeeze(one) != squeeze(other)


def test_a_share_counts_pairs() -> None:
    assert share("甲乙丙", "甲乙丁") == 0.5
    assert (share("甲", "甲"), share("甲乙", "丙丁")) == (1.0, 0.0)


@pytest.mark.parametrize("written", ["utf-8", "gb18030"])
def test_garbled(written: str) -> None:
    garbled = TEXT.encode(written).decode("latin-1")
    found = spoiled(TEXT, f"# 发票\n\n{garbled}\n")
    assert found is not None and "编码" in found.how


def test_torn_in_two() -> None:
    found = spoiled(TEXT, TEXT.replace("后开具", "\n\n内部资料 第 3 页\n\n后开具"))
    assert found is not None and found.instead == "内部资料第3页"


def test_alike_and_not_at_all() -> None:
    found = spoiled(TEXT, TEXT.replace("一次", "两次").replace("签收", "发货"))
    assert found is not None and "发货" in found.instead
    assert spoiled(TEXT, "会员积分每满一百分可以抵扣一元。") is None


def test_a_place_in_the_original() -> None:
    text = "前言。電子 **發票**在签收后开具，满 3.5 元起。后记。"
    span = place_in(squeeze("电子发票在签收后开具，满3.5元"), text)
    assert span is not None and text[slice(*span)] == "電子 **發票**在签收后开具，满 3.5 元"
    assert place_in(squeeze("积分抵扣"), text) is None
