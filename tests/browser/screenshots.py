"""Pictures of the running product for the README: `scripts/screenshot [FOLDER]`, by default docs/images."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.browser.running import ROOT, running_app, running_browser, what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Widths in pixels, each with the height of the window and the suffix of the file.
WIDTHS = ((1280, 1000, ""), (390, 844, "-phone"))


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its name, the address, what must be on the page, what is clicked before and brought into view."""

    name: str
    url: str
    wait_for: str
    click: str | None = None
    view: str | None = None


SHOTS = (
    Shot("welcome", "/?c=yunti", ".kj-welcome"),
    Shot("chat", f"/?c=shop&q={quote('E4032 是什么意思，可以让买家重试吗')}", ".kj-meta"),
    Shot(
        "ledger",
        f"/?c=shop&q={quote('邮费什么时候可以免掉')}",
        ".kj-meta",
        ".kj-ledger > summary",
        ".kj-ledger",
    ),
    Shot("conflict", f"/?c=yunti&q={quote('单个文件最大能上传多大？')}", ".kj-conflict", view=".kj-conflict"),
    Shot("refusal", f"/?c=yunti&q={quote('团建活动的人均预算是多少？')}", ".kj-refusal"),
    Shot("source", "/source?c=yunti&d=doc-006&k=doc-006%231", "#cited"),
)


def take(browser: Browser, address: str, folder: Path) -> list[Path]:
    """Take every picture at every width; the files written."""
    written = []
    for width, height, suffix in WIDTHS:
        for shot in SHOTS:
            page = browser.new_page(base_url=address, viewport={"width": width, "height": height}, color_scheme="light")
            page.goto(shot.url)
            page.locator(shot.wait_for).first.wait_for()
            if shot.click:
                page.locator(shot.click).first.click()
            # Fonts, the fading in of a fresh element, and the page's own scrolling to the end of a conversation: a
            # picture has no other end to wait for.
            page.wait_for_timeout(800)
            if shot.view:
                page.locator(shot.view).first.evaluate("element => element.scrollIntoView({block: 'center'})")
                page.wait_for_timeout(300)
            file = folder / f"{shot.name}{suffix}.png"
            page.screenshot(path=file)
            page.close()
            written.append(file)
    return written


def main(arguments: Sequence[str]) -> int:
    """Take the pictures; exit status 1 without a browser."""
    if missing := what_is_missing():
        print(f"screenshot: {missing}", file=sys.stderr)
        return 1
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with running_app() as address, running_browser() as browser:
        for file in take(browser, address, folder):
            print(f"screenshot: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
