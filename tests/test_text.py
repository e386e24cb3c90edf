"""Text: one spelling for searching, sentences and tokens that lose nothing."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from kaijuan.text import (
    analyze,
    clean,
    code_words,
    fold,
    query_terms,
    seed_tokens,
    sentences,
    without_question_words,
)

SPELLINGS = {
    "width": ("ＳＦ－３０００", "sf-3000"),
    "case": ("SF-3000", "sf-3000"),
    "dashes": ("SF‑3000", "sf-3000"),
    "ideographic blank": ("退货　运费", "退货 运费"),
    "zero-width blank": ("退\u200b货", "退货"),
    "byte-order mark": ("\ufeff退货", "退货"),
    "soft hyphen": ("re\u00adfund", "refund"),
    "traditional": ("運費與發票", "运费与发票"),
    "radical": ("⼿机", "手机"),
    "set apart": ("七 天 无 理 由 退 货", "七天无理由退货"),
    "compatibility": ("①㎏", "1kg"),
    "direction mark": ("退\u202e货", "退货"),
}


@pytest.mark.parametrize(("written", "folded"), SPELLINGS.values(), ids=SPELLINGS)
def test_one_spelling_for_searching(written: str, folded: str) -> None:
    assert fold(written) == folded


_CHARACTERS = "退货运費發票ＳＦ３0aZ-_ .。；！？\n\t\u200b\ufeff　⼿①𠮷é😀()[]|#*`%'\"\\"


@pytest.mark.parametrize("seed", range(30))
def test_true_of_every_text(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices(_CHARACTERS, k=rng.randrange(80)))
    assert fold(fold(text)) == fold(text) and clean(clean(text)) == clean(text)
    assert query_terms(text) == query_terms(fold(text)) and len(set(query_terms(text))) == len(query_terms(text))
    assert analyze(text) == analyze(fold(text))
    held = {*analyze(text).terms, *analyze(text).extras}
    # Whatever is asked in the words of a text is found in it.
    assert set(query_terms(text)) <= held
    assert set(code_words(text)) <= held
    spans = sentences(text)
    assert all(text[a:b] and text[a:b] == text[a:b].strip() for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    kept = "".join(text[a:b] for a, b in spans)
    assert "".join(kept.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("七天可退。运费自理！", ["七天可退。", "运费自理！"]),
        ("运费 3.5 元。", ["运费 3.5 元。"]),
        ("他说：“可以退。”然后走了。", ["他说：“可以退。”", "然后走了。"]),
        ("Ask support. Then wait.", ["Ask support.", "Then wait."]),
        ("能退吗？！能。", ["能退吗？！", "能。"]),
        ("一行\n\n另一行", ["一行", "另一行"]),
        ("", []),
        ("。", ["。"]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == found


@pytest.mark.parametrize("asked", ["SF-3000", "sf3000", "3000", "ｓｆ－３０００", "SF‑3000"])
def test_a_code_is_found_in_every_spelling(asked: str) -> None:
    held = analyze("新机 SF-3000 到货")
    assert set(query_terms(asked)) & {*held.terms, *held.extras}


@pytest.mark.parametrize("asked", ["M 码", "S", "税", "5"])
def test_single_letters_digits_and_characters_are_found(asked: str) -> None:
    held = analyze("尺码 S/M/L，税号 5 位")
    assert set(query_terms(asked)) <= {*held.terms, *held.extras}


def test_words_that_only_ask_are_cut_unless_nothing_else_is_left() -> None:
    assert query_terms("请问运费是多少") == query_terms("运费是")
    assert query_terms("怎么办") != ()
    assert "什么" not in without_question_words("什么是退货")


@pytest.mark.parametrize("text", ["", " ", "？！", "😀", "\u200b", "——"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert query_terms(text) == () and analyze(text).terms == ()


def test_seed_tokens_keep_doubles_and_drop_single_letters() -> None:
    assert seed_tokens("a 退货退货 B2 x9") == ["退货", "货退", "退货", "b2", "x9"]
    assert seed_tokens("税 SF-3000") == ["税", "sf", "3000"]
    assert seed_tokens("税 SF-3000 E4032", codes=True) == ["税", "sf-3000", "e4032"]
