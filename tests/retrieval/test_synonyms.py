"""Synonyms of a collection: how the file is read, what a question gains, and what nobody may learn by them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import CorpusError
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.retrieval.synonyms import (
    LONGEST_WORD,
    MOST_ADDED,
    MOST_BYTES,
    MOST_GROUPS,
    MOST_WORDS,
    Synonyms,
    load_synonyms,
    parse_synonyms,
)
from kaijuan.text import query_terms
from kaijuan.types import Trace, Viewer
from tests.retrieval.stand_ins import ANYBODY, collection, ids, stages


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return collection(tmp_path)


def _parsed(text: str) -> Synonyms:
    parsed = parse_synonyms(text)
    assert parsed is not None
    return parsed


def _added(text: str, question: str) -> list[tuple[str, str]]:
    return [(one.word, one.added) for one in _parsed(text).expand(question)]


def _ask(engine: EmbeddedEngine, question: str, text: str, viewer: Viewer = ANYBODY) -> Trace:
    options = Options(synonyms=parse_synonyms(text))
    return retrieve(question, "shop", stages(engine), options, viewer)


def _timeless(trace: Trace) -> Trace:
    return replace(trace, stages=())


@pytest.mark.parametrize("between", [",", "，", "、", " ， "])
def test_a_group_works_in_all_directions(between: str) -> None:
    text = between.join(("邮费", "运费", "快递费"))
    assert _added(text, "邮费多少") == [("邮费", "运费"), ("邮费", "快递费")]
    assert _added(text, "快递费多少") == [("快递费", "邮费"), ("快递费", "运费")]


@pytest.mark.parametrize("arrow", ["=>", "＝＞", "⇒"])
def test_an_arrow_works_in_one_direction(arrow: str) -> None:
    text = f"口令、暗号 {arrow} 密码"
    assert _added(text, "口令忘了") == [("口令", "密码")]
    assert _added(text, "暗号忘了") == [("暗号", "密码")]
    assert _added(text, "密码忘了") == []


def test_words_are_folded_like_questions() -> None:
    assert _added("ＷＩＦＩ、無線網", "wifi 连不上") == [("wifi", "无线网")]
    assert _added("ＷＩＦＩ、無線網", "无线网连不上") == [("无线网", "wifi")]
    assert _added("free  shipping、包邮", "Free\u3000Shipping？") == [("free shipping", "包邮")]


def test_a_word_in_two_groups_gains_from_both_and_groups_are_not_chained() -> None:
    text = "邮费、运费\n运费、物流费"
    assert _added(text, "运费") == [("运费", "邮费"), ("运费", "物流费")]
    assert _added(text, "邮费") == [("邮费", "运费")]


def test_the_longest_word_counts_and_latin_words_are_not_cut() -> None:
    assert _added("运费、邮费\n运费险、退货险", "运费险多少") == [("运费险", "退货险")]
    assert _added("pos、收银机", "post 了一份") == []
    assert _added("pos、收银机", "POS机坏了") == [("pos", "收银机")]


def test_only_terms_that_the_question_lacks_are_added() -> None:
    question = "邮费和运费"
    added = _parsed("邮费、运费、运费险").expand(question)
    assert [one.terms for one in added] == [("费险",)]
    assert set(query_terms(question)).isdisjoint(term for one in added for term in one.terms)


def test_a_question_gains_no_more_than_it_may() -> None:
    words = ["同义", *(chr(0x4E00 + 2 * n) + chr(0x4E01 + 2 * n) for n in range(MOST_WORDS - 1))]
    more = ["同义", *(chr(0x6E00 + 2 * n) + chr(0x6E01 + 2 * n) for n in range(MOST_WORDS - 1))]
    added = _parsed(f"{'、'.join(words)}\n{'、'.join(more)}").expand("同义")
    assert sum(len(one.terms) for one in added) == MOST_ADDED


def test_comments_and_empty_lines_say_nothing() -> None:
    assert parse_synonyms("") is parse_synonyms("\n# 邮费、运费\n  ＃ x\n") is None
    assert _added("c#、csharp # 语言\n", "c# 怎么装") == [("c#", "csharp")]
    assert _parsed("邮费、运费").digest == _parsed("# 说明\n\n 邮费，运费 # 费用\n").digest
    assert _parsed("邮费、运费") == _parsed("邮费,运费") != _parsed("邮费 => 运费")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("邮费", "只有一个词“邮费”"),
        ("邮费、邮费", "只有一个词"),
        ("邮费、、运费", "有一处没有词"),
        ("邮费、", "有一处没有词"),
        ("=> 运费", "有一处没有词"),
        ("邮费 => 运费 => 路费", "有 2 个 =>"),
        ("邮、运费", "“邮”只有一个字"),
        ("？！、运费", "没有可以检索的文字"),
        ("长" * (LONGEST_WORD + 1) + "、运费", f"有 {LONGEST_WORD + 1} 个字"),
        ("、".join(f"词{n}" for n in range(MOST_WORDS + 1)), f"有 {MOST_WORDS + 1} 个词"),
    ],
)
def test_a_wrong_line_is_named_in_one_sentence(line: str, said: str) -> None:
    with pytest.raises(CorpusError) as wrong:
        parse_synonyms(f"# 第一行\n口令、密码\n{line}\n")
    sentence = str(wrong.value)
    assert said in sentence and "第 3 行" in sentence and "请" in sentence
    assert sentence.endswith("。") and sentence.count("。") == 1


def test_the_number_of_groups_is_limited() -> None:
    lines = [f"词{n}、字{n}" for n in range(MOST_GROUPS + 1)]
    assert _parsed("\n".join(lines[:-1])).groups == MOST_GROUPS
    with pytest.raises(CorpusError, match=f"第 {MOST_GROUPS + 1} 行超出了上限 {MOST_GROUPS} 组"):
        parse_synonyms("\n".join(lines))


def test_a_long_word_and_a_long_list_are_taken() -> None:
    assert _added("长" * LONGEST_WORD + "、运费", "长" * LONGEST_WORD) == [("长" * LONGEST_WORD, "运费")]


def test_the_file_is_read_fresh(tmp_path: Path) -> None:
    file = tmp_path / "synonyms.txt"
    assert load_synonyms(file) is None
    file.write_text("邮费、运费", encoding="utf-8")
    first = load_synonyms(file)
    assert first is not None and load_synonyms(file) is first
    other = tmp_path / "other"
    other.write_text("路费、运费", encoding="utf-8")
    stat = file.stat()
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.replace(file)  # same size, same time: the file is another one all the same
    second = load_synonyms(file)
    assert second is not None and second.others.keys() == {"路费", "运费"}
    file.unlink()
    assert load_synonyms(file) is None


def test_line_ends_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "synonyms.txt"
    file.write_bytes("\ufeff邮费、运费\r\n口令、密码\r".encode())
    read = load_synonyms(file)
    assert read is not None and read.fault == "" and read.groups == 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\xd3\xca\xb7\xd1", "不是 UTF-8"),
        ("邮费".encode(), "第 1 行"),
        (b"#" * (MOST_BYTES + 1), "字节"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_notice_and_the_question_is_answered(
    engine: EmbeddedEngine, tmp_path: Path, raw: bytes, said: str
) -> None:
    file = tmp_path / "synonyms.txt"
    file.write_bytes(raw)
    loaded = load_synonyms(file)
    assert loaded is not None and said in loaded.fault
    trace = retrieve("邮费多少", "shop", stages(engine), Options(synonyms=loaded), ANYBODY)
    assert [notice.stage for notice in trace.notices] == ["synonyms"]
    # What the file says is not for whoever asks.
    assert said not in trace.notices[0].text
    assert _timeless(trace) == _timeless(replace(_ask(engine, "邮费多少", ""), notices=trace.notices))


def test_a_synonym_finds_what_the_word_alone_does_not(engine: EmbeddedEngine) -> None:
    plain, helped = _ask(engine, "邮费", ""), _ask(engine, "邮费", "邮费、运费")
    assert plain.keyword == () and ids(helped.keyword) == ["退货.md#1"]
    assert [(one.word, one.added, one.terms) for one in helped.synonyms] == [("邮费", "运费", ("运费",))]
    assert helped.terms == plain.terms == ("邮费",)
    assert helped.keyword_terms == ("邮费", "运费") and set(helped.term_weights) == {"邮费", "运费"}
    assert [share.term for share in helped.keyword[0].terms] == ["运费"]
    assert ids(helped.vector) == ids(plain.vector)
    assert [hit.score for hit in helped.vector] == [hit.score for hit in plain.vector]


def test_without_a_group_that_fits_nothing_changes(engine: EmbeddedEngine) -> None:
    for question in ("退货的运费由谁承担？", "SF-3000 打不开", "无关的话题"):
        plain = _ask(engine, question, "")
        assert plain.synonyms == () and plain.keyword_terms == plain.terms
        assert _timeless(_ask(engine, question, "口令、密码")) == _timeless(plain)


def test_a_word_that_only_closed_passages_hold_looks_like_one_never_added(engine: EmbeddedEngine) -> None:
    question, text = "黑名单在哪里", "黑名单、买家名单"
    staff = Viewer(groups=frozenset({"staff"}))
    assert ids(_ask(engine, question, text, staff).keyword)[0] == "内部.md#0"
    assert [one.added for one in _ask(engine, question, text, staff).synonyms] == ["买家名单"]
    shown = _ask(engine, question, text)
    # 买家 stands in an open passage too, the rest of the word does not.
    assert [(one.added, one.terms) for one in shown.synonyms] == [("买家", ("买家",))]
    assert "家名" not in repr(shown) and "内部" not in repr(shown)
    nowhere = _ask(engine, question, "黑名单、买家甲乙丙")
    assert _timeless(shown) == _timeless(nowhere)


def test_a_word_of_a_closed_passage_alone_leaves_no_trace_at_all(engine: EmbeddedEngine) -> None:
    question = "黑名单在哪里"
    assert _timeless(_ask(engine, question, "黑名单、客服参考")) == _timeless(_ask(engine, question, ""))
