"""A conversation in a real browser: rated while the next answer streams, back after a reload, handed over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaijuan.settings import read_settings
from tests.browser.running import running_app, running_browser, what_is_missing
from tests.models.scripted_server import Reply, ScriptedServer, piece, stream, text_stream

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: A question of which a model is asked, not refused on evidence alone.
FIRST, SECOND = "E4032 是什么意思，可以让买家重试吗", "E4031 是什么意思"
#: Long enough for a click in the middle of the answer.
PAUSE = 6.0


@pytest.fixture
def app(tmp_path: Path) -> Iterator[str]:
    """The app over the indexes that are there, with records of its own and a model that pauses in its second answer."""
    there = read_settings().data_dir
    for name in ("index", "models", "cache", "locks"):
        if (there / name).exists():
            (tmp_path / name).symlink_to(there / name)
    slow: Reply = stream([piece("E4031 是签名校验失败[1]，"), PAUSE, piece("禁止重试[1]。"), piece(None, "stop")])
    with ScriptedServer(text_stream("E4032 允许重试[1]。"), slow) as model:
        named = {"DATA_DIR": str(tmp_path), "ANSWERER": "openai", "OPENAI_BASE_URL": f"{model.url}/v1"}
        with running_app(
            {**{f"KAIJUAN_{key}": value for key, value in named.items()}, "KAIJUAN_OPENAI_API_KEY": "k"}
        ) as address:
            yield address


@pytest.fixture
def page(app: str) -> Iterator[Page]:
    if missing := what_is_missing():
        if os.environ.get("KAIJUAN_REQUIRE_BROWSER") == "1":
            pytest.fail(f"KAIJUAN_REQUIRE_BROWSER=1, but {missing}")
        pytest.skip(missing)
    with running_browser() as browser:
        opened = browser.new_page(base_url=app, viewport={"width": 390, "height": 844})
        opened.set_default_timeout(60_000)
        yield opened


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    box.press("Enter")


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
    assert "签名校验失败" in said and "禁止重试" in said and page.get_by_text("这条回答中断了").count() == 0

    page.reload()
    page.locator(".kj-meta").nth(1).wait_for()
    assert page.locator(".kj-question").all_inner_texts() == [FIRST, SECOND]
    page.get_by_test_id("stFeedback").first.locator("[aria-checked=true]").wait_for()
    up = thumbs.get_by_role("radio", name="Thumbs up")
    up.nth(1).wait_for()
    assert [thumb.get_attribute("aria-checked") for thumb in up.all()] == ["true", "false"]

    page.get_by_role("button", name="复制").first.click()
    copy = page.get_by_role("button", name="Copy to clipboard").first
    copy.wait_for()
    assert copy.evaluate(_SHOWN) == 1, "a phone has no pointer that could rest on it"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="转人工").click()
    page.get_by_role("button", name="提交工单").click()
    page.get_by_text("已转人工").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


#: How opaque an element is, with all that it stands in.
_SHOWN = "e => { let shown = 1; for (; e; e = e.parentElement) shown *= getComputedStyle(e).opacity; return shown }"
