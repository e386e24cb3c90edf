"""Every state of every page: text stands out from its ground, and the keyboard reaches everything, seen where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaijuan.settings import ROOT
from tests.browser.shots import PHONE, SHOTS, WIDTHS, Shot, show
from tests.browser.stage import demonstration

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

_CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
_KEYBOARD = (Path(__file__).parent / "keyboard.js").read_text(encoding="utf-8")
ON_DESKTOP = [pytest.param(shot, id=shot.name) for shot in SHOTS if not shot.phone]


@pytest.fixture(scope="module")
def address(browser: Browser) -> Iterator[str]:
    with demonstration() as started:
        yield started


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def test_every_page_has_a_shot() -> None:
    pages = {file.stem for file in (ROOT / "pages").glob("*.py")}
    addresses = {shot.url.split("?")[0].strip("/") or "chat" for shot in SHOTS}
    assert pages and pages <= addresses


def test_the_pictures_are_there_and_small() -> None:
    folder = ROOT / "docs" / "images"
    wanted = {f"{s.name}{suffix}.png" for width, _, suffix in WIDTHS for s in SHOTS if not s.phone or width == PHONE}
    assert {file.name for file in folder.glob("*.png")} == wanted
    assert [file.name for file in folder.glob("*.png") if file.stat().st_size >= 250_000] == []
    for readme in ("README.md", "README.zh-CN.md"):
        text = (ROOT / readme).read_text(encoding="utf-8")
        assert [name for name in sorted(wanted) if f"docs/images/{name}" not in text] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shot", ON_DESKTOP)
def test_text_stands_out(page: Page, shot: Shot, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    show(page, shot)
    measured = page.evaluate(_CONTRAST)
    assert len(measured) > 20
    assert [text for text in measured if text["contrast"] < text["wanted"]] == []


@pytest.mark.parametrize("shot", [pytest.param(shot, id=shot.name) for shot in SHOTS])
def test_nothing_is_cut_off_on_a_phone(page: Page, shot: Shot) -> None:
    page.set_viewport_size({"width": PHONE, "height": 844})
    show(page, shot)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    main = page.locator(".stMain").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert main[0] <= main[1]


@pytest.mark.parametrize("shot", ON_DESKTOP)
def test_the_keyboard_reaches_everything(page: Page, shot: Shot) -> None:
    show(page, shot)
    wanted = page.evaluate(_KEYBOARD)
    assert len(wanted) > 10
    reached: set[int] = set()
    unseen: list[str] = []
    for _ in range(3 * len(wanted)):
        page.keyboard.press("Tab")
        at, seen, name = page.evaluate("keyboard.here()")
        if at in reached:
            break
        reached.add(at)
        if not seen:
            unseen.append(name)
    assert unseen == []
    assert [name for number, name in enumerate(wanted) if number not in reached] == []


def test_faint_text_and_hidden_focus_are_seen(page: Page) -> None:
    page.set_content(
        "<style>* { outline: none !important } body { background: #fff }</style>"
        '<p style="color: #999">灰</p><p style="color: #999; font-size: 24px">大</p><p style="opacity: .5">半</p>'
        '<p style="background: #000"><span style="color: #555">底</span></p><p>黑</p>'
        '<a href="#">链接</a><div style="display: none"><button>藏</button></div><button tabindex="-1">漏</button>'
    )
    low = [text for text in page.evaluate(_CONTRAST) if text["contrast"] < text["wanted"]]
    assert [text["text"] for text in low] == ["灰", "大", "半", "底"]
    assert page.evaluate(_KEYBOARD) == ["链接", "漏"]
    page.keyboard.press("Tab")
    assert page.evaluate("keyboard.here()") == [0, False, "链接"]
