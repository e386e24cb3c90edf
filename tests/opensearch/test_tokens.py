"""The server's tokens are those of kaijuan.text, for anything people write."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.engines.opensearch.documents import document_id, stored_term, token_line
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.settings import Settings
from kaijuan.text import analyze
from tests.engines.builders import META

STRINGS = [
    *("", " ", "。", "税", "税。", "退货", "运费险理赔", "E4032 是什么意思，SF-3000 打不开", "运费规则2024年"),
    *("ＳＦ－３０００", "sf‐3000", "SF—3000", "SF_3000", "SF.3000", "sf--3000", "-sf-", "a-b-c-d", "3.5元", "v1.2.3", "192.168.1.1"),
    *("C++和C#", "c++", "c+++", "F#", "a", "A", "1", "ａ", "Ⅻ", "①②③", "½", "㎡", "㍿", "ﬁle", "ＡＢＣ", "ﾊﾝｶｸ", "ガ", "ガ"),
    *("⼿机", "⻚面", "⾦额", "臺灣開發票", "電腦螢幕", "頭髮與發財", "退\u200b货", "7 天 内 无 理 由", "退 货", "a\u00adb", "x\ufeffy"),
    *("ひらがなカタカナ", "한국어 문장", "𠮷野家", "𠮷", "🙂", "👨‍👩‍👧 家庭", "été", "ÉTÉ", "straße", "İstanbul", "ǅ", "नमस्ते", "العربية", "ไทย"),
    *("http://a.b/c?d=e&f=g", "user@example.com", "“引号”\"'`", "a|b|c", "||", "a | b", "{{x}}", "{{#toJson}}x{{/toJson}}", "\\n\\t", "\\", "\n\t\r"),
    *("the and of to", "is it a 1", "_source", "__a__", "a_b", "a__b", "+-*/", "50%", "￥99.50", "1,000.5", "２０２４年１月", "10:30", "v2—v3"),
    *("x" * 300, "长" * 300, "x" * 40_000, "a-" * 200, "退货，" * 2000),
    *("\x00", "a\x00b", "\x1f", "\u2028", "\u3000", "a\u3000b", "a\u00a0b", "\U0010ffff", "\ue000", "々", "〇", "〆切", "ー", "ヶ月"),
]  # fmt: skip


def test_extras_hang_on_the_terms() -> None:
    assert token_line(analyze("SF-3000 打不开")) == "sf-3000|sf3000|sf 打不|3000|打 不开|不|开"
    assert token_line(analyze("税")) == "税"
    assert token_line(analyze("…")) == ""


def test_nothing_that_parts_tokens_is_ever_in_one() -> None:
    for text in STRINGS:
        analysis = analyze(text)
        assert not any(set(token) & set("| \t\n\u3000") for token in (*analysis.terms, *analysis.extras)), text


def test_long_terms_and_ids_are_shortened_and_stay_apart() -> None:
    assert stored_term("x" * 256) == "x" * 256
    assert len(stored_term("x" * 257)) == 256
    assert stored_term("x" * 257) != stored_term("x" * 258)
    assert document_id("文" * 100) == "文" * 100
    assert len(document_id("文" * 500).encode("utf-8")) <= 512
    assert document_id("文" * 500 + "#0") != document_id("文" * 500 + "#1")


@pytest.mark.slow
def test_the_server_s_tokens_are_ours(opensearch: OpenSearchEngine, server: Server) -> None:
    build = opensearch.open_build(META)
    client = Client(server)
    index = f"/{server.prefix}shop.{build.version}/_analyze"
    for text in [*STRINGS, *_made_up(200), *_documents()]:
        analysis = analyze(text)
        answer = client.read(
            "POST", index, {"field": "search", "analyzer": "kaijuan_tokens", "text": token_line(analysis)}
        )
        terms, extras = _split(answer["tokens"])
        assert terms == [stored_term(term) for term in analysis.terms], text[:80]
        assert extras == [stored_term(extra) for extra in analysis.extras], text[:80]
    client.close()


@pytest.mark.slow
def test_the_analyzer_for_hand_written_queries(opensearch: OpenSearchEngine, server: Server) -> None:
    build = opensearch.open_build(META)
    client = Client(server)
    for text, tokens in {
        "E4032 是什么意思，SF-3000 打不开": ["e4032", "是什", "什么", "么意", "意思", "sf-3000", "打不", "不开"],
        "ＳＦ－３０００": ["sf-3000"],
        "运费规则2024年": ["运费", "费规", "规则", "2024", "年"],
        "the order": ["the", "order"],
    }.items():
        answer = client.read(
            "POST", f"/{server.prefix}shop.{build.version}/_analyze", {"analyzer": "kaijuan_text", "text": text}
        )
        assert [token["token"] for token in answer["tokens"]] == tokens
    client.close()


def _split(tokens: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The first token of each place, and the others."""
    first: dict[int, str] = {}
    others: list[str] = []
    for token in tokens:
        if token["position"] in first:
            others.append(token["token"])
        else:
            first[token["position"]] = token["token"]
    return list(first.values()), others


def _made_up(count: int) -> list[str]:
    rng = random.Random(11)
    alphabet = "abAB019-_.+#|{}\"'\\ \n退货運費税ｱＡ１－，。é𠮷🙂\u200b"
    return ["".join(rng.choices(alphabet, k=rng.randint(1, 60))) for _ in range(count)]


def _documents() -> list[str]:
    corpus = Settings(_env_file=None).corpus_dir
    return [path.read_text(encoding="utf-8")[:4000] for path in sorted(corpus.glob("*/**/*.md"))[:60]]
