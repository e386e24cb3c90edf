"""The diagnosis in a real browser over the real corpora: from question and passage to the guilty stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.running import running_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with running_app() as address:
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto("/?c=shop")
        page.locator(".kj-welcome").wait_for()
        yield page


def test_from_question_and_passage_to_the_guilty_stage(page: Page) -> None:
    page.goto("/diagnose?c=shop")
    page.get_by_label("要诊断的问题").fill("邮费什么时候可以免掉")
    page.get_by_label("原文、片段编号或文件名").fill("会员日当天积分双倍返还三次")
    # Keyboard alone: what was typed is taken when the field is left.
    page.keyboard.press("Tab")
    page.get_by_role("button", name="诊断", exact=True).press("Enter")
    page.locator(".kj-verdict").wait_for()
    stages = page.locator(".kj-strip > li")
    assert [text.split()[0] for text in stages.all_inner_texts()] == list("54321")
    guilty = page.locator('.kj-strip > li[aria-current="step"]')
    assert guilty.inner_text().startswith("2")
    first, last = stages.first.bounding_box(), stages.last.bounding_box()
    assert first and last and first["x"] > last["x"], "read from right to left"
    assert page.get_by_test_id("stCode").inner_text().strip().startswith("python -m ingest shop")


def test_on_a_phone_it_fits(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".kj-strip").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    first, last = page.locator(".kj-strip > li").first, page.locator(".kj-strip > li").last
    boxes = first.bounding_box(), last.bounding_box()
    assert boxes[0] and boxes[1] and boxes[0]["y"] < boxes[1]["y"] and boxes[0]["x"] == boxes[1]["x"]
