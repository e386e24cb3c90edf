"""Text safety: what sources and answers say is shown as they say it, and nothing in them becomes active."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from kaijuan.ui.document import document_html
from kaijuan.ui.elements import tag
from kaijuan.ui.links import source_url
from kaijuan.ui.markdown import Link, escape, to_html, to_text

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "field" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    if '"kind":"ui.' in line
]
TAG = re.compile(r"<[^>]+>")


def visible(html: str) -> str:
    return unescape(TAG.sub("", html))


@pytest.mark.parametrize("case", [c for c in CASES if "markdown" in c["input"]], ids=lambda c: c["id"])
def test_field_cases_of_markdown(case: dict[str, Any]) -> None:
    exact = case["expect"]["exact"]
    for html in (to_html(case["input"]["markdown"]), document_html(case["input"]["markdown"], (0, 3))):
        for words in exact.get("visible", []):
            assert words in visible(html)
        for words in exact.get("visible_lacks", []):
            assert words not in visible(html)
        for link in exact.get("links", []):
            assert f'href="{link["href"]}"' in html
        assert [unescape(TAG.sub("", code)) for code in re.findall("<code>(.*?)</code>", html)] == exact.get("code", [])
        assert "<del" not in html and "<s>" not in html
    assert re.findall("<strong>(.*?)</strong>", to_html(case["input"]["markdown"])) == exact.get("bold", [])


@pytest.mark.parametrize("case", [c for c in CASES if "source" in c["input"]], ids=lambda c: c["id"])
def test_field_cases_of_sources(case: dict[str, Any]) -> None:
    source = case["input"]["source"]
    html = tag("a", source["title"], href=source_url("shop", source.get("path", source.get("url", ""))))
    assert visible(html) == source["title"]
    assert re.findall("<[^>]+>", html)[1:] == ["</a>"], "the title adds no element"
    assert 'href="/source?c=shop&amp;d=' in html and "javascript:" not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[点我](javascript:alert(1))",
        "[点我](JaVaScRiPt:alert(1))",
        "[点我](data:text/html,x)",
        "<javascript:alert(1)>",
        "![图](https://evil.example/x.png)",
        "[点我](vbscript:x)",
        "[点我](//evil.example)",
        "![a](javascript:x)",
        '[a](https://x.example/"onmouseover=alert(1))',
        "| <b onclick=x> |\n|---|\n| <svg/onload=x> |",
        "```html\n<script>x</script>\n```",
    ],
)
def test_nothing_becomes_active(text: str) -> None:
    for html in (to_html(text, lambda n: None), document_html(text, (0, len(text)))):
        for name, attributes in re.findall(r"<([a-z0-9]+)([^>]*)>", html):
            assert name not in {"script", "img", "svg", "iframe", "b"}
            assert not re.search(r"\son[a-z]+=", re.sub(r'"[^"]*"', '""', attributes))
        for href in re.findall(r'href="([^"]*)"', html):
            assert href.startswith(("http://", "https://", "mailto:"))


def test_citations_become_links_only_where_a_source_is_known() -> None:
    html = to_html("退[1][7]，`[1]`，a **b[1]**", lambda n: Link("/source?d=a&k=1", '《"甲"》') if n == 1 else None)
    assert html.count('href="/source?d=a&amp;k=1"') == 2
    assert '<span class="kj-cite">[7]</span>' in html
    assert "<code>[1]</code>" in html
    assert 'data-tip="《&quot;甲&quot;》"' in html


def test_a_citation_is_no_reference_and_no_link_text() -> None:
    html = to_html("七天[1](含税)\n\n[1]: https://x.example", lambda n: Link("/s"))
    assert "[1]</a>(含税)" in html
    assert '<a href="/s"' in html.split("\n")[1]


def test_links_into_the_corpus_keep_their_words() -> None:
    assert to_html("[另见 **甲**](a/b.md)，[乙](https://x.example)") == (
        "<p><span>另见 <strong>甲</strong></span>，"
        '<a href="https://x.example" target="_blank" rel="noopener noreferrer">乙</a></p>\n'
    )


def test_without_citations_brackets_stay_text() -> None:
    assert to_html("数组 a[1]") == "<p>数组 a[1]</p>\n"


def test_structure_stays() -> None:
    html = to_html("一\n二\n\n- 三\n- 四\n\n| a |\n| --- |\n| b |")
    assert "一<br" in html and html.count("<li>") == 2 and "<td>b</td>" in html


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("见 https://a.example/x，再说", "https://a.example/x"),
        ("(https://a.example/x)", "https://a.example/x"),
        ("https://a.example/x_(y)。", "https://a.example/x_(y)"),
        ("https://a.example:8080/x?y=1&z=2；", "https://a.example:8080/x?y=1&amp;z=2"),
        ("http://a.example。", "http://a.example"),
    ],
)
def test_bare_addresses_end_where_the_sentence_goes_on(text: str, href: str) -> None:
    assert re.findall('href="([^"]*)"', to_html(text)) == [href]


def test_bold_keeps_what_markdown_means_elsewhere() -> None:
    assert to_html("2**3，`**a**`，***b***") == "<p>2**3，<code>**a**</code>，<em><strong>b</strong></em></p>\n"


def test_to_text_is_one_line_without_markup() -> None:
    assert to_text("# 甲\n\n**乙**：`x`\n- 丙\n\n```\ny\n```\n\n![图](a.png)") == "甲 乙：x 丙 y 〔图：图〕"


def test_escape_leaves_nothing_for_streamlit() -> None:
    text = "$1 ~2~ <b> *x* _y_ `z` [a](b) :red[c]\n# d"
    escaped = escape(text)
    assert "\n" not in escaped
    assert re.sub(r"\\(.)", r"\1", escaped) == text.replace("\n", " ")
    assert not re.search(r"(?<!\\)[$~<*_`\[\]:#]", escaped)


def test_long_and_deep_input_ends_in_time() -> None:
    for text in (
        "[" * 5000,
        "**a" * 5000,
        "a`" * 5000,
        "> " * 50 + "a",
        "*a " * 5000,
        "https://" * 2000,
        "[1](" * 2000,
    ):
        assert visible(to_html(text, lambda n: None)).strip()
