"""The synonyms editor in a real browser: write a group, preview it, save it, and ask."""

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
    made = Workplace(tmp_path_factory.mktemp("synonyms"))
    gold = {"id": "q1", "question": "邮费", "gold": ["d1"]}
    made.write("questions.jsonl", json.dumps(gold, ensure_ascii=False) + "\n")
    made.ingest()
    return made


@pytest.fixture
def page(browser: Browser, place: Workplace) -> Iterator[Page]:
    with running_app(place.environment) as address:
        context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        opened = context.new_page()
        opened.goto(f"/admin?c={NAME}")
        yield opened
        context.close()


def test_a_group_is_previewed_saved_and_found_by(page: Page, place: Workplace) -> None:
    save = page.get_by_role("button", name="保存")
    area = page.get_by_label("synonyms.txt 的内容")
    area.fill("邮费、运费")
    assert save.is_disabled()
    page.get_by_role("button", name="预览").click()
    changes = page.get_by_role("region", name="变好或变差的问题")
    changes.get_by_role("row").filter(has_text="q1").filter(has_text="变好").wait_for()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        main = "document.querySelector('[data-testid=stMain]')"
        assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
    page.locator("button:enabled", has_text="保存").press("Enter")
    page.get_by_text("已保存同义词（1 组）").wait_for()
    assert (place.folder / "synonyms.txt").read_text(encoding="utf-8") == "邮费、运费\n"
    page.goto(f"/bench?c={NAME}&q=邮费谁出")
    page.get_by_text("加入的同义词: 邮费 → 运费").wait_for()
