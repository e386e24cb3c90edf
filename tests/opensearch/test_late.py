"""A server that comes up after the app and the ingest: both wait with a message, and nothing has to be started again."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ingest.__main__
from kaijuan.errors import EngineNotReady
from kaijuan.settings import ROOT
from tests.browser.running import running_app, running_browser, what_is_missing
from tests.commands import runner
from tests.field.staging import COLLECTION, OPENSEARCH, VIEWER, Staging, Store
from tests.opensearch.editions import edition_of, question, staging_environment, write_edition
from tests.opensearch.running import OwnServer
from tests.opensearch.sentences import one_sentence

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

PATIENCE = 120.0


@pytest.fixture
def staging(late: OwnServer, tmp_path: Path) -> Iterator[Staging]:
    prefix = f"late-{secrets.token_hex(4)}-"
    with Staging(tmp_path, Store(OPENSEARCH, late.url, prefix)) as staging:
        write_edition(staging, 0, 12)
        yield staging


def command(staging: Staging, *arguments: str) -> subprocess.Popen[str]:
    """`python -m ingest`, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "ingest", *arguments],
        cwd=ROOT,
        env={**os.environ, **staging_environment(staging)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_an_app_and_an_ingest_that_are_up_before_the_server(late: OwnServer, staging: Staging) -> None:
    app = staging.services(None)
    for _ in range(2):
        with one_sentence(late.url, "连接不上", kind=EngineNotReady):
            app.answer(question(3), COLLECTION, VIEWER)
    waiting = command(staging, "--all", "--if-missing")
    assert waiting.stdout is not None
    said = waiting.stdout.readline()
    assert late.url in said and "连接不上" in said and said.endswith("先等它就绪，最多 60 秒。\n")
    late.start()
    out, err = waiting.communicate(timeout=PATIENCE)
    assert (waiting.returncode, err) == (0, "") and "已切换到版本 v0001" in out and "连接不上" not in out
    assert edition_of(app.answer(question(3), COLLECTION, VIEWER)) == 0


def test_an_ingest_that_waits_in_vain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with Staging(tmp_path, Store(OPENSEARCH, "http://127.0.0.1:1", "late-")) as staging:
        for name, value in staging_environment(staging).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(ingest.__main__, "PATIENCE", 1.5)
        ended = runner(capsys)(ingest.__main__.main, COLLECTION)
    assert ended.status == 1 and ended.out.count("\n") == 1
    said = ended.err.strip()
    assert said.count("。") == 1 and said.endswith("。") and "http://127.0.0.1:1 连接不上" in said and "\n" not in said


@pytest.fixture
def browser() -> Iterator[Browser]:
    if missing := what_is_missing():
        if os.environ.get("KAIJUAN_REQUIRE_BROWSER") == "1":
            pytest.fail(f"KAIJUAN_REQUIRE_BROWSER=1, but {missing}")
        pytest.skip(missing)
    with running_browser() as started:
        yield started


@pytest.mark.browser
def test_a_page_that_is_open_before_the_server_comes_to_life_by_itself(
    browser: Browser, late: OwnServer, staging: Staging
) -> None:
    with running_app(staging_environment(staging)) as address:
        page = browser.new_page(base_url=address)
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"/?c={COLLECTION}")
        warning = page.get_by_test_id("stAlert").filter(has_text="自动重试")
        warning.wait_for()
        said = warning.inner_text().strip()
        assert late.url in said and "连接不上" in said and said.count("。") == 1
        ask = page.get_by_test_id("stChatInput").locator("textarea")
        ask.fill(question(3))
        ask.press("Enter")
        page.get_by_test_id("stChatMessage").get_by_text("连接不上").wait_for()
        page.reload()
        late.start()
        warning.filter(has_text="尚未建立索引").wait_for()
        staging.ingest(None)
        warning.wait_for(state="detached")
        ask.fill(question(3))
        ask.press("Enter")
        page.locator(".kj-cite").first.wait_for()
        assert "第0版" in page.locator(".kj-body").inner_text()
