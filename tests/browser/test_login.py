"""Logging in and out in a real browser, at a small identity server: what is open to whom, and that nothing is without."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.browser.identity import IdentityServer, Somebody
from tests.browser.running import free_port, running_app
from tests.indexing.workplace import NAME, Workplace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SECRET, QUESTION = "赔付上限为九百元", "赔付上限是多少"
RESTRICTED = f"/source?c={NAME}&d=d9&k=d9%230"
ACCOUNTS = (
    Somebody("u1", "客服陈晨", {"name": "陈晨", "groups": ["cs-team"]}),
    Somebody("u2", "仓储陈晨", {"name": "陈晨", "groups": ["store"]}),
    Somebody("u3", "管理员王敏", {"name": "王敏", "groups": ["kaijuan-admins", "store"]}),
    Somebody("u4", "外部李强", {"name": "李强", "groups": ["guests"]}),
)


#: How the app is set up for these accounts.
LOGIN = {
    "KAIJUAN_LOGIN": "oidc",
    "KAIJUAN_LOGIN_GROUPS": "cs-team: 客服; store: 仓储; kaijuan-admins: 管理",
    "KAIJUAN_ADMIN_GROUPS": "管理",
    "KAIJUAN_STAFF_GROUPS": "客服,仓储",
    # Never offered beside a login.
    "KAIJUAN_DEMO_ROLES": "主管: *",
}
#: Pages that are on the list of a member of the staff.
STAFF_PAGES = ["问答", "资料", "检索台", "诊断"]


@contextmanager
def started(place: Workplace, provider: IdentityServer, **secrets: str) -> Iterator[str]:
    """The app with a login at this provider; `secrets` are changed, or left out where they are empty."""
    port = free_port()
    file = place.root / f"secrets-{port}.toml"
    file.write_text(provider.secrets(f"http://127.0.0.1:{port}", **secrets), encoding="utf-8")
    environment = {**place.environment, **LOGIN, "STREAMLIT_SECRETS_FILES": str(file)}
    with running_app(environment, port) as address:
        yield address


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    made = Workplace(tmp_path_factory.mktemp("login"))
    made.write("赔付.md", f"---\nid: d9\ntitle: 赔付细则\naudience: [客服]\n---\n\n{SECRET}，由值班员当场决定。\n")
    made.ingest()
    return made


@pytest.fixture(scope="module")
def provider(browser: Browser) -> Iterator[IdentityServer]:
    with IdentityServer(ACCOUNTS) as started:
        yield started


@pytest.fixture(scope="module")
def app(place: Workplace, provider: IdentityServer) -> Iterator[str]:
    with started(place, provider) as address:
        yield address


@pytest.fixture
def fresh(browser: Browser, app: str) -> Iterator[Callable[[], Page]]:
    """Opens a page of a browser that nobody has used before."""
    contexts = []

    def open_one() -> Page:
        context = browser.new_context(base_url=app, viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        contexts.append(context)
        return context.new_page()

    yield open_one
    for context in contexts:
        context.close()


def log_in(page: Page, account: str, to: str = "/") -> None:
    """Log in from the entrance at an address, and wait until somebody is."""
    page.goto(to)
    page.get_by_role("button", name="登录", exact=True).click()
    page.get_by_role("link", name=account).click()
    page.get_by_role("button", name="退出登录").wait_for()


def person(page: Page) -> str:
    """What the sidebar says of who is logged in."""
    return " ".join(page.locator(".kj-person, .kj-person-groups").all_inner_texts())


def nothing_but_the_entrance(page: Page) -> bool:
    """Whether there is name, sentence and button, and neither sidebar nor anything of a collection."""
    page.get_by_role("button", name="登录", exact=True).wait_for()
    shown = page.inner_text("body")
    return (
        page.get_by_test_id("stSidebarNavLink").count() == 0
        and page.get_by_test_id("stChatInput").count() == 0
        and not re.search("小集合|赔付|退货|v0001|主管", shown)
    )


def sentence(page: Page) -> str:
    """The only alert of the page; the sidebar may have one of its own."""
    alert = page.get_by_test_id("stMainBlockContainer").get_by_test_id("stAlert")
    alert.first.wait_for()
    assert alert.count() == 1
    return alert.inner_text().strip()


@pytest.mark.parametrize(
    "path", ["/", RESTRICTED, f"/bench?c={NAME}", "/evaluation", "/insights", "/admin", "/diagnose"]
)
def test_without_a_login_no_page_shows_anything(fresh: Callable[[], Page], path: str) -> None:
    page = fresh()
    page.goto(path)
    assert nothing_but_the_entrance(page)
    assert page.url.endswith(path), "the address is kept"


def test_a_deep_link_survives_the_login_and_opens_for_its_group_alone(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "客服陈晨", RESTRICTED)
    page.locator("#cited").wait_for()
    assert SECRET in page.inner_text(".kj-document") and page.url.endswith(RESTRICTED)
    assert person(page) == "陈晨 所在的组：客服"
    other = fresh()
    log_in(other, "仓储陈晨", RESTRICTED)
    other.wait_for_url(f"**{RESTRICTED}")
    closed = sentence(other)
    other.goto(RESTRICTED.replace("d9", "d8"))
    assert sentence(other).replace("d8", "d9") == closed, "a closed document is told like one that does not exist"
    assert "赔付" not in other.inner_text("[data-testid=stMainBlockContainer]")


def test_an_answer_rests_on_what_the_groups_open_and_is_its_owners(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "客服陈晨", f"/?c={NAME}")
    ask(page, QUESTION)
    page.locator(".kj-body").filter(has_text=SECRET).wait_for()
    page.wait_for_url("**t=*")
    where = page.url
    assert "s=" not in where.partition("?")[2].replace("c=", ""), "no token stands in the address"
    page.reload()
    page.locator(".kj-body").filter(has_text=SECRET).wait_for()
    namesake = fresh()
    log_in(namesake, "仓储陈晨", where)
    assert "不是你的" in sentence(namesake) and SECRET not in namesake.inner_text("body")
    namesake.goto(f"{where}&s={'a' * 22}")
    assert "不是你的" in sentence(namesake)
    namesake.goto(f"/?c={NAME}")
    ask(namesake, QUESTION)
    namesake.locator(".kj-meta").wait_for()
    assert SECRET not in namesake.inner_text("body") and "赔付细则" not in namesake.inner_text("body")


def test_pages_of_administrators_are_neither_listed_nor_open_to_staff(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "客服陈晨")
    links = page.get_by_test_id("stSidebarNavLink")
    links.first.wait_for()
    # The name of the icon comes first.
    assert [link.splitlines()[-1] for link in links.all_inner_texts()] == STAFF_PAGES
    assert page.get_by_text("以什么身份提问").count() == 0
    for path in ("/admin", "/evaluation", "/insights"):
        page.goto(path)
        assert sentence(page) == "这里只对管理员开放，请联系管理员把你加进管理员的组。"
        assert "v0001" not in page.inner_text("body") and page.locator(".kj-heading").count() == 0


def test_an_administrator_administers(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "管理员王敏", f"/admin?c={NAME}")
    page.get_by_role("button", name="重建索引").wait_for()
    assert "管理员" in person(page) and "没有开启登录" not in page.inner_text("body")
    assert page.get_by_test_id("stSidebarNavLink").count() == 7
    page.goto("/insights")
    page.get_by_text("还没有").or_(page.locator(".kj-chart")).first.wait_for()


def test_a_second_tab_is_logged_in_and_logging_out_closes_everything(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "客服陈晨")
    second = page.context.new_page()
    second.goto(RESTRICTED)
    second.locator("#cited").wait_for()
    second.get_by_role("button", name="退出登录").click()
    assert nothing_but_the_entrance(second)
    second.goto(RESTRICTED)
    assert nothing_but_the_entrance(second)
    # The first tab never asked the server again; its next step does.
    page.get_by_test_id("stSidebarNavLink").nth(1).click()
    page.get_by_text("登录已过期").wait_for()
    assert nothing_but_the_entrance(page)
    page.reload()
    assert nothing_but_the_entrance(page)


def test_somebody_outside_the_groups_of_the_staff_sees_one_sentence(fresh: Callable[[], Page]) -> None:
    page = fresh()
    log_in(page, "外部李强", f"/?c={NAME}")
    page.get_by_text("账号“李强”不在可以使用开卷的组里").wait_for()
    assert page.get_by_test_id("stChatInput").count() == 0 and page.get_by_test_id("stSidebarNavLink").count() == 0
    page.get_by_role("button", name="退出登录").click()
    assert nothing_but_the_entrance(page)


def test_a_login_that_is_broken_off_is_told_and_keeps_the_address(fresh: Callable[[], Page]) -> None:
    page = fresh()
    page.goto(RESTRICTED)
    page.get_by_role("button", name="登录", exact=True).click()
    page.get_by_role("link", name="不登录").click()
    page.get_by_text("上次登录没有完成").wait_for()
    assert nothing_but_the_entrance(page)
    page.get_by_role("button", name="登录", exact=True).click()
    page.get_by_role("link", name="客服陈晨").click()
    page.locator("#cited").wait_for()


def test_a_token_of_another_issuer_or_an_old_one_opens_nothing(
    fresh: Callable[[], Page], provider: IdentityServer
) -> None:
    page = fresh()
    provider.token_issuer = "https://elsewhere.example"
    try:
        page.goto("/")
        page.get_by_role("button", name="登录", exact=True).click()
        page.get_by_role("link", name="客服陈晨").click()
        page.get_by_text("上次登录没有完成").wait_for()
        assert nothing_but_the_entrance(page)
    finally:
        provider.token_issuer = ""
    provider.token_age = 13 * 3600
    try:
        page.get_by_role("button", name="登录", exact=True).click()
        page.get_by_role("link", name="客服陈晨").click()
        page.get_by_text("登录已过期").wait_for()
        assert nothing_but_the_entrance(page)
    finally:
        provider.token_age = 0
    page.get_by_role("button", name="登录", exact=True).click()
    page.get_by_role("link", name="客服陈晨").click()
    page.get_by_test_id("stChatInput").wait_for()


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        ({"server_metadata_url": "http://127.0.0.1:9/none"}, "连不上或答复不完整"),
        ({"client_secret": ""}, "缺少 client_secret"),
    ],
)
def test_a_provider_that_is_not_there_or_not_set_up_is_one_sentence(
    browser: Browser, place: Workplace, provider: IdentityServer, secrets: dict[str, str], said: str
) -> None:
    with started(place, provider, **secrets) as address, browser.new_context(base_url=address) as context:
        page = context.new_page()
        page.goto(RESTRICTED)
        page.get_by_text("开卷").first.wait_for()
        if "client_secret" not in secrets:
            page.get_by_role("button", name="登录", exact=True).click()
        assert said in sentence(page) and sentence(page).endswith("。")
        assert SECRET not in page.inner_text("body") and page.get_by_test_id("stSidebarNavLink").count() == 0


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    box.press("Enter")
