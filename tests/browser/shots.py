"""What there is to see of the product: every page and the states of the chat that matter, for pictures and for checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Widths in pixels, each with the height of the window and the suffix of a picture's file.
WIDTHS = ((1280, 1000, ""), (390, 844, "-phone"))
PHONE = WIDTHS[1][0]


@dataclass(frozen=True, slots=True)
class Shot:
    """One state: its name, the address, what is clicked one after the other, and what is brought into view.

    `wait_for` must be on the page before the first click, `then` after the last one. `phone` is for phones alone.
    """

    name: str
    url: str
    wait_for: str
    clicks: tuple[str, ...] = ()
    then: str | None = None
    view: str | None = None
    phone: bool = False


def _asked(collection: str, question: str) -> str:
    return f"/?c={collection}&q={quote(question)}"


SHOTS = (
    Shot("tour", "/?c=yunti", ".kj-stop"),
    Shot("chat", _asked("shop", "E4032 是什么意思，可以让买家重试吗"), ".kj-meta"),
    Shot("conflict", _asked("yunti", "单个文件最大能上传多大？"), ".kj-conflict", view=".kj-conflict"),
    Shot("refusal", _asked("yunti", "今年部门团建的经费是多少？"), ".kj-refusal"),
    Shot(
        "ledger",
        _asked("yunti", "主备切换要找谁审批？"),
        ".kj-meta",
        (".kj-ledger > summary",),
        view=".kj-ledger",
    ),
    Shot("source", "/source?c=yunti&d=doc-006&k=doc-006%231", "#cited"),
    Shot("bench", f"/bench?c=shop&q={quote('公司要能抵税的那种票，个人名字行吗')}", ".kj-bench", view=".kj-bench"),
    Shot("evaluation", "/evaluation?c=shop", ".st-key-evaluation-run button", (".st-key-evaluation-run button",), ".kj-tiers"),
    Shot("insights", "/insights?c=shop", ".kj-charts"),
    Shot("admin", "/admin?c=shop", ".kj-findings"),
    Shot(
        "diagnose",
        f"/diagnose?c=shop&q={quote('邮费什么时候可以免掉')}&w={quote('s33#0')}",
        ".kj-verdict",
        view=".kj-diagnosis",
    ),
    Shot("sidebar", "/?c=shop", ".kj-stop", ('[data-testid="stExpandSidebarButton"]',), phone=True),
)  # fmt: skip


#: What is higher than the window begins at its top, below the bar that a phone has there.
_INTO_VIEW = """element => {
  element.style.scrollMarginTop = "5rem";
  const fits = element.getBoundingClientRect().height < 0.8 * innerHeight;
  element.scrollIntoView({block: fits ? "center" : "start"});
}"""


def show(page: Page, shot: Shot) -> None:
    """Bring a page into this state."""
    page.goto(shot.url)
    page.locator(shot.wait_for).first.wait_for()
    for click in shot.clicks:
        page.locator(click).first.click()
    if shot.then:
        page.locator(shot.then).first.wait_for()
    # Fonts, the fading in of a fresh element, and the page's own scrolling to the end of a conversation: a picture has
    # no other end to wait for.
    page.wait_for_timeout(800)
    if shot.view:
        page.locator(shot.view).first.evaluate(_INTO_VIEW)
        page.wait_for_timeout(300)
