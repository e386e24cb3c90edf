"""The real product in a real browser, over the real corpora: from a question to the highlighted passage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.browser.running import running_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

pytestmark = pytest.mark.browser

REFUSAL = "资料中没有找到能支撑回答的内容。"
CITED = "E4032 是什么意思，可以让买家重试吗"


@pytest.fixture(scope="module")
def address(browser: Browser) -> Iterator[str]:
    with running_app() as started:
        yield started


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A fresh session; whatever it loads from elsewhere or reports as an error fails the test."""
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    faults: list[str] = []
    outside: list[str] = []

    def listen(opened: Page) -> None:
        opened.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        opened.on("pageerror", lambda error: faults.append(str(error)))
        opened.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        opened.on(
            "request",
            lambda request: (
                None if request.url.startswith((address, "data:", "blob:", "ws:")) else outside.append(request.url)
            ),
        )

    context.on("page", listen)
    yield context.new_page()
    assert faults == []
    assert outside == []
    context.close()


def _is_fault(message: ConsoleMessage) -> bool:
    # Streamlit looks for its server below the page's own path first and takes the 404 for an answer.
    return message.type == "error" and not re.search("/(source|chat)/_stcore/", message.location.get("url", ""))


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    box.press("Enter")


def open_question(page: Page, collection: str, question: str) -> None:
    page.goto(f"/?c={collection}&q={quote(question)}")
    page.locator(".kj-meta").first.wait_for()


def test_from_the_question_to_the_highlighted_passage(page: Page) -> None:
    page.goto("/?c=shop")
    page.get_by_role("button", name=CITED).wait_for()
    ask(page, CITED)
    citation = page.locator(".kj-body a.kj-cite").first
    citation.wait_for()
    assert re.fullmatch(r"\[1\]", citation.inner_text())
    sources = page.locator(".kj-sources > li")
    first = sources.first.inner_text()
    assert "收银网关返回码 403x 段" in first and "2026-04-02" in first and "支付组" in first
    with page.context.expect_page() as opened:
        citation.click()
    source = opened.value
    mark = source.locator("#cited")
    mark.wait_for()
    source.wait_for_function("() => { const r = document.getElementById('cited').getBoundingClientRect();"
                             " return r.top >= 0 && r.top < innerHeight }")  # fmt: skip
    assert "E4032" in " ".join(source.locator(".kj-cited").all_inner_texts())
    assert page.locator(".kj-body").count() == 1, "the conversation is still there"


def test_the_ledger_opens(page: Page) -> None:
    open_question(page, "shop", CITED)
    page.locator(".kj-ledger > summary").click()
    row = page.locator(".kj-scroll tbody tr").first
    row.wait_for()
    assert row.is_visible() and "[1]" in page.locator(".kj-row-cited").first.inner_text()


def test_a_refusal_shows_no_sources(page: Page) -> None:
    open_question(page, "yunti", "团建活动的人均预算是多少？")
    assert page.locator(".kj-refusal").inner_text() == REFUSAL
    assert page.locator(".kj-sources, .kj-cite").count() == 0


def test_a_conflict_shows_both_versions_with_their_dates(page: Page) -> None:
    open_question(page, "yunti", "单个文件最大能上传多大？")
    versions = page.locator(".kj-conflict .kj-version")
    said = versions.all_inner_texts()
    assert len(said) == 2
    assert [re.findall(r"\d{4}-\d{2}-\d{2}", text)[0] for text in said] == ["2025-09-12", "2026-03-05"]
    assert "较新" in said[1] and "较新" not in said[0]
    assert versions.locator("a").count() == 2
    places = versions.evaluate_all("all => all.map(e => [e.offsetTop, e.offsetLeft])")
    assert places[0][0] == places[1][0] and places[0][1] < places[1][1], "side by side"


def test_a_second_question_during_the_first(page: Page) -> None:
    page.goto("/?c=shop")
    page.get_by_role("button", name=CITED).wait_for()
    ask(page, "邮费什么时候可以免掉")
    ask(page, CITED)
    page.locator(".kj-question").nth(1).wait_for()
    page.locator(".kj-body").filter(has_text="E4032").last.wait_for()
    page.locator(".kj-meta").last.wait_for()
    assert page.locator(".kj-question").all_inner_texts() == ["邮费什么时候可以免掉", CITED]


def test_coming_back_keeps_the_conversation(page: Page) -> None:
    open_question(page, "shop", CITED)
    page.get_by_test_id("stSidebarNavLink").nth(1).click()
    page.get_by_test_id("stAlert").wait_for()
    page.get_by_test_id("stPageLink-NavLink").first.click()
    page.locator(".kj-question").wait_for()
    assert page.locator(".kj-question").count() == 1


@pytest.mark.parametrize("question", ["<script>alert(1)</script>", "😀😀😀", "$$x$$ ~~y~~ :red[z]", "长" * 10_000])
def test_odd_questions_end_in_one_sentence(page: Page, question: str) -> None:
    page.goto("/?c=shop")
    page.get_by_role("button", name=CITED).wait_for()
    ask(page, question)
    page.locator(".kj-meta, [data-testid=stAlert]").first.wait_for()
    assert page.locator(".kj-question").inner_text() == question
    assert page.locator(".kj-refusal, [data-testid=stAlert]").count() >= 1 or page.locator(".kj-cite").count() >= 1
    assert "Traceback" not in page.inner_text("body")


@pytest.mark.parametrize(
    "url",
    [
        "/source",
        "/source?c=shop",
        "/source?d=s07",
        "/source?c=nowhere&d=s07",
        "/source?c=shop&d=s999",
        "/source?c=shop&d=..%2F..%2Fetc%2Fpasswd",
        "/source?c=shop&d=%00",
        "/source?c=shop&d=%ff%fe",
        "/source?c=shop&d=" + "x" * 4000,
        "/source?c=..%2F..&d=s07&k=%3Cscript%3E",
        "/?c=nowhere",
    ],
)
def test_bad_addresses_are_one_sentence(page: Page, url: str) -> None:
    page.goto(url)
    alert = page.get_by_test_id("stAlert")
    alert.first.wait_for()
    assert alert.count() == 1 and alert.inner_text().strip().endswith("。")
    assert page.locator(".kj-document").count() == 0
    assert "Traceback" not in page.inner_text("body") and "root:" not in page.inner_text("body")


def test_neighbours_and_permalink(page: Page) -> None:
    page.goto("/source?c=yunti&d=doc-005&k=doc-005%231")
    page.get_by_text("下一段").click()
    page.wait_for_url("**k=doc-005%232**")
    page.get_by_text("第 3 段").wait_for()
    link = "/source?c=yunti&d=doc-005&k=doc-005%232"
    page.locator(f'.kj-permalink a[href="{link}"]').wait_for()
    page.goto(link)
    page.locator("#cited").wait_for()


@pytest.mark.parametrize("url", [f"/?c=shop&q={quote(CITED)}", "/source?c=yunti&d=doc-005&k=doc-005%231"])
def test_nothing_is_cut_off_on_a_phone(page: Page, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(url)
    page.locator(".kj-meta, .kj-document").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for selector in (".kj-body", ".kj-document"):
        for box in (element.bounding_box() for element in page.locator(selector).all()):
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_highlight_is_readable(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto("/source?c=shop&d=s07&k=s07%230")
    page.locator("#cited").wait_for()
    for selector in ("mark.kj-cited", "tr.kj-cited > td"):
        colour, ground = page.locator(selector).first.evaluate(
            "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
        )
        assert _contrast(colour, ground) >= 4.5


def _contrast(first: str, second: str) -> float:
    lights = sorted(_luminance(colour) for colour in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
