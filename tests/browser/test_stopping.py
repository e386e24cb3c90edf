"""Answers that are stopped on their way, in a real browser: what came stays, nothing is taken for whole, all goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaijuan.records.read import answers
from kaijuan.records.types import AnswerRecord, Filter
from tests.browser.talking import FIRST, SECOND, ask, questions, records_of, talking_app
from tests.models.scripted_server import piece, stream, text_stream

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

#: Seconds for what should come at once; a model that is silent is silent for longer than the whole test.
PATIENCE = 30.0
#: A model that says the beginning and then nothing more.
SILENT = stream([piece("E4032 表示网关繁忙[1]，稍后"), 3600.0], done=False)


def kept(folder: Path) -> list[AnswerRecord]:
    """All answers kept, oldest first."""
    return list(reversed(answers(records_of(folder), Filter()).items))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_answer_is_stopped_asked_again_and_its_question_edited(browser: Browser, tmp_path: Path) -> None:
    script = (SILENT, text_stream("E4032 允许重试[1]。"), text_stream("E4031 禁止重试[1]。"))
    with talking_app(tmp_path, *script) as (address, model):
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        page.goto("/?c=shop")
        ask(page, FIRST)
        page.get_by_text("网关繁忙").wait_for()
        page.get_by_role("button", name="停止").click()
        page.locator(".kj-note").filter(has_text="已停止").wait_for()
        assert model.left.wait(PATIENCE), "the model's call is closed although it says nothing more"
        body = page.locator(".kj-body")
        assert "网关繁忙" in body.inner_text() and page.get_by_text("回答不完整").count() == 1
        assert body.locator("a.kj-cite").count() == 1, "what it cites can be opened"
        page.get_by_role("button", name="停止").wait_for(state="detached")
        [stopped] = kept(tmp_path)
        assert stopped.incomplete and stopped.unsupported is None and "网关繁忙" in stopped.text

        page.reload()
        page.locator(".kj-note").filter(has_text="已停止").wait_for()
        assert questions(page) == [FIRST] and len(model.requests) == 1

        page.get_by_role("button", name="重新回答").click()
        page.locator(".kj-body").filter(has_text="允许重试").wait_for()
        until(lambda: len(kept(tmp_path)) == 2)
        assert questions(page) == [FIRST] and page.get_by_text("已停止").count() == 0
        assert kept(tmp_path)[1].replaces == stopped.id and not kept(tmp_path)[1].incomplete

        page.get_by_role("button", name="修改问题").click()
        box = page.get_by_label("修改后的问题")
        box.fill(SECOND)
        box.press("Control+Enter")
        page.locator(".kj-body").filter(has_text="禁止重试").wait_for()
        page.get_by_role("button", name="修改问题").wait_for()
        assert questions(page) == [SECOND]
        page.reload()
        page.locator(".kj-body").filter(has_text="禁止重试").wait_for()
        assert questions(page) == [SECOND] and len(model.requests) == 3
        page.close()


def test_the_next_question_works_at_once_and_a_double_press_asks_once(browser: Browser, tmp_path: Path) -> None:
    script = (SILENT, text_stream("E4031 禁止重试[1]。"), text_stream("E4031 不要重试[1]。"))
    with talking_app(tmp_path, *script) as (address, model):
        page = browser.new_page(base_url=address, viewport={"width": 390, "height": 844})
        page.set_default_timeout(60_000)
        page.goto("/?c=shop")
        ask(page, FIRST)
        page.get_by_text("网关繁忙").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        ask(page, SECOND)
        page.locator(".kj-body").filter(has_text="禁止重试").wait_for()
        assert questions(page) == [FIRST, SECOND]
        assert page.locator(".kj-note").filter(has_text="已停止").count() == 1, (
            "the first one says that it is not whole"
        )
        assert model.left.wait(PATIENCE)
        page.get_by_role("button", name="重新回答").dblclick()
        page.get_by_role("button", name="修改问题").wait_for()
        page.locator(".kj-body").filter(has_text="重试[1]。").wait_for()
        assert questions(page) == [FIRST, SECOND]
        page.reload()
        page.locator(".kj-meta").nth(1).wait_for()
        assert questions(page) == [FIRST, SECOND]
        page.close()


def test_a_reload_in_the_middle_of_an_answer_keeps_what_came(browser: Browser, tmp_path: Path) -> None:
    with talking_app(tmp_path, text_stream("E4031 禁止重试[1]。"), SILENT) as (address, model):
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        page.goto("/?c=shop")
        ask(page, SECOND)
        page.get_by_test_id("stFeedback").wait_for()
        ask(page, FIRST)
        page.get_by_text("网关繁忙").wait_for()
        page.reload()
        assert model.left.wait(PATIENCE), "nobody waits for the answer any more"
        until(lambda: len(kept(tmp_path)) == 2)
        page.reload()
        page.locator(".kj-note").filter(has_text="已停止").wait_for()
        assert questions(page) == [SECOND, FIRST] and len(model.requests) == 2
        page.close()


def test_two_tabs_of_one_conversation(browser: Browser, tmp_path: Path) -> None:
    script = (
        text_stream("E4032 允许重试[1]。"),
        text_stream("E4031 禁止重试[1]。"),
        text_stream("E4031 不要重试[1]。"),
    )
    with talking_app(tmp_path, *script) as (address, _):
        context = browser.new_context(base_url=address)
        context.set_default_timeout(60_000)
        one, two = context.new_page(), context.new_page()
        one.goto("/?c=shop")
        ask(one, FIRST)
        one.wait_for_url("**t=*")
        two.goto(one.url)
        two.locator(".kj-body").filter(has_text="允许重试").wait_for()
        third = f"{SECOND}？"
        ask(two, SECOND)
        ask(one, third)
        for tab, question in ((one, third), (two, SECOND)):
            tab.locator(".kj-meta").nth(1).wait_for()
            assert questions(tab) == [FIRST, question], "a tab is not changed under its reader"
        until(lambda: len(kept(tmp_path)) == 3)
        for tab in (one, two):
            tab.reload()
            tab.locator(".kj-meta").nth(2).wait_for()
            assert sorted(questions(tab)) == sorted([FIRST, SECOND, third])
        other = context.new_page()
        other.goto("/?c=shop")
        other.locator(".kj-welcome").wait_for()
        assert questions(other) == [], "an address without the token is another visitor"
        context.close()
