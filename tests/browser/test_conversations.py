"""A conversation in a real browser: rated while the next answer streams, back after a reload, handed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaijuan.records.tickets import tickets
from tests.browser.talking import FIRST, SECOND, ask, questions, records_of, talking_app
from tests.models.scripted_server import Reply, ScriptedServer, answered, piece, stream, text_stream

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

#: Long enough for a click in the middle of the answer.
PAUSE = 6.0


@pytest.fixture(scope="module")
def receiver() -> Iterator[ScriptedServer]:
    """A system that takes tickets, and is busy at first."""
    with ScriptedServer(Reply(503), *[answered({})] * 5) as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def app(folder: Path, receiver: ScriptedServer) -> Iterator[str]:
    """The app with a model that pauses in its second answer."""
    slow = stream([piece("E4031 是签名校验失败[1]，"), PAUSE, piece("禁止重试[1]。"), piece(None, "stop")])
    script = (text_stream("E4032 允许重试[1]。"), slow, text_stream("E4032 表示稍后重试[1]。"))
    told = {"WEBHOOK_URL": f"{receiver.url}/tickets", "WEBHOOK_SECRET": "whsec"}
    with talking_app(folder, *script, **told) as (address, _):
        yield address


@pytest.fixture
def page(app: str, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=app, viewport={"width": 390, "height": 844})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def test_a_conversation_is_rated_during_a_stream_taken_up_again_and_handed_over(page: Page) -> None:
    page.goto("/?c=shop")
    ask(page, FIRST)
    thumbs = page.get_by_test_id("stFeedback")
    thumbs.wait_for()
    ask(page, SECOND)
    page.get_by_text("签名校验失败").first.wait_for()
    thumbs.first.get_by_role("radio", name="Thumbs up").click()
    assert page.locator(".kj-progress").count() == 1, "the click came during the answer"
    page.locator(".kj-meta").nth(1).wait_for()
    thumbs.nth(1).wait_for()
    said = page.locator(".kj-body").nth(1).inner_text()
    assert "签名校验失败" in said and "禁止重试" in said and page.get_by_text("已停止").count() == 0

    page.reload()
    page.locator(".kj-meta").nth(1).wait_for()
    assert questions(page) == [FIRST, SECOND]
    page.get_by_test_id("stFeedback").first.locator("[aria-checked=true]").wait_for()
    up = thumbs.get_by_role("radio", name="Thumbs up")
    up.nth(1).wait_for()
    assert [thumb.get_attribute("aria-checked") for thumb in up.all()] == ["true", "false"]

    page.get_by_role("button", name="复制").first.click()
    page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").nth(1).wait_for()
    cited, bare = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").all_inner_texts()
    assert "允许重试[1]。" in cited and "[1] " in cited and bare.strip() == "E4032 允许重试。"
    copy = page.get_by_role("button", name="Copy to clipboard").first
    copy.wait_for()
    assert copy.evaluate(_SHOWN) == 1, "a phone has no pointer that could rest on it"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="转人工").click()
    page.get_by_role("button", name="提交工单").click()
    page.get_by_text("已转人工").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_handing_over_from_an_empty_conversation_and_on_to_another_system(
    page: Page, folder: Path, receiver: ScriptedServer
) -> None:
    page.goto("/?c=shop")
    page.locator(".kj-welcome").wait_for()
    page.get_by_role("button", name="转人工").click()
    page.get_by_label("要转给人工的问题").fill("我要找人改地址")
    page.get_by_role("button", name="提交工单").click()
    page.get_by_text("已转人工").wait_for()
    page.get_by_text("工单系统已收到").wait_for()
    [ticket] = [one for one in tickets(records_of(folder)).items if one.question == "我要找人改地址"]
    told = [request for request in receiver.requests if request.body["id"] == ticket.id]
    assert ticket.webhook == "sent" and told and ticket.transcript == () and ticket.conversation_id is None


@pytest.mark.parametrize("width", [390, 1280])
def test_a_citation_says_what_it_cites_to_pointer_and_keyboard(page: Page, width: int, folder: Path) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(
        "/?c=yunti&q=%E5%8D%95%E4%B8%AA%E6%96%87%E4%BB%B6%E6%9C%80%E5%A4%A7%E8%83%BD%E4%B8%8A%E4%BC%A0%E5%A4%9A%E5%A4%A7"
    )
    cite = page.locator(".kj-body a.kj-cite").first
    cite.wait_for()
    page.get_by_role("button", name="修改问题").wait_for()
    assert cite.evaluate(_TIP) == "none", "nothing is shown before"
    cite.scroll_into_view_if_needed()
    cite.hover()
    hovered = cite.evaluate(_TIP)
    for _ in range(20):  # the page may still be scrolling to its end under the pointer
        if hovered == "none":
            page.wait_for_timeout(200)
            cite.hover()
            hovered = cite.evaluate(_TIP)
    page.mouse.move(0, 0)
    assert cite.evaluate(_TIP) == "none"
    page.locator(".kj-body").first.evaluate("body => { body.tabIndex = -1; body.focus() }")
    page.keyboard.press("Tab")
    assert cite.evaluate("e => e === document.activeElement") and cite.evaluate(_TIP) == hovered
    assert hovered.startswith('"《') and "\\a" in hovered and len(hovered) > 30, "the title, then the sentence"
    assert cite.get_attribute("aria-label")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=folder / f"cite-{width}.png")


#: What is drawn of a citation beside its number.
_TIP = "e => getComputedStyle(e, '::after').content"
#: How opaque an element is, with all that it stands in.
_SHOWN = "e => { let shown = 1; for (; e; e = e.parentElement) shown *= getComputedStyle(e).opacity; return shown }"
