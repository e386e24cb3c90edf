"""The evaluation and admin pages in a real browser over a small collection of their own: measure, reindex, go back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.running import running_app
from tests.indexing.workplace import NAME, Workplace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("admin"))
    gold = {"id": "q1", "question": "电子发票的抬头可以修改吗", "gold": ["d2"]}
    made.write("questions.jsonl", json.dumps(gold, ensure_ascii=False) + "\n")
    made.ingest()
    return made


@pytest.fixture(scope="module")
def page(browser: Browser, place: Workplace) -> Iterator[Page]:
    with running_app(place.environment) as address:
        context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        opened = context.new_page()
        opened.goto(f"/?c={NAME}")
        opened.get_by_test_id("stChatInput").wait_for()
        yield opened
        context.close()


def test_the_frozen_set_is_run_and_stands_in_the_history(page: Page) -> None:
    page.goto(f"/evaluation?c={NAME}")
    page.get_by_role("button", name="运行评测").click()
    page.get_by_text("评测完成，已记入历史。").wait_for()
    assert page.locator(".kj-tier").count() == 16
    page.reload()
    assert "v0001" in page.get_by_role("region", name="历史").inner_text()
    assert _fits(page, 1280) and _fits(page, 390)


def test_a_reindex_survives_a_reload_and_can_be_rolled_back(page: Page, place: Workplace) -> None:
    place.write("新品.md", "# 新品\n\n新品十月上市。\n")
    page.goto(f"/admin?c={NAME}")
    page.get_by_role("button", name="重建索引").press("Enter")
    page.locator(".kj-log").wait_for()
    page.reload()
    page.get_by_text("重建完成").wait_for()
    versions = page.get_by_role("region", name=f"{NAME} 的版本")
    versions.get_by_role("row").filter(has_text="v0002").filter(has_text="正在回答").wait_for()
    assert _fits(page, 390) and _fits(page, 1280)
    page.get_by_role("button", name="切换到这个版本").press("Enter")
    page.get_by_role("button", name="确认").press("Enter")
    page.get_by_text("已切换到版本 v0001。").wait_for()
    assert place.versions() == {"v0001": True, "v0002": False}


def _fits(page: Page, width: int) -> bool:
    """Whether nothing but the tables' own frames has to be scrolled sideways at this width."""
    page.set_viewport_size({"width": width, "height": 900})
    page.locator(".kj-scroll").first.wait_for()
    return bool(
        page.evaluate(
            "(() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth <= m.clientWidth })()"
        )
    )
