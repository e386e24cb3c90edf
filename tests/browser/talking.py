"""The app over the indexes that are there, with records of its own and a model that plays a script; and how to talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kaijuan.records.store import Records
from kaijuan.settings import read_settings
from tests.browser.running import running_app
from tests.models.scripted_server import Reply, ScriptedServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Questions of which a model is asked, not refused on evidence alone.
FIRST, SECOND = "E4032 是什么意思，可以让买家重试吗", "E4031 是什么意思"


@contextmanager
def talking_app(folder: Path, *script: Reply, **settings: str) -> Iterator[tuple[str, ScriptedServer]]:
    """The app's address and the server of its model; `folder` is its data folder."""
    there = read_settings().data_dir
    for name in ("index", "models", "cache", "locks"):
        if (there / name).exists():
            (folder / name).symlink_to(there / name)
    with ScriptedServer(*script) as model:
        named = {
            "DATA_DIR": str(folder),
            "ANSWERER": "openai",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "OPENAI_API_KEY": "k",
            **settings,
        }
        with running_app({f"KAIJUAN_{key}": value for key, value in named.items()}) as address:
            yield address, model


def records_of(folder: Path) -> Records:
    """The records that the app over this folder writes."""
    return Records(folder / "records.sqlite", days=30)


def ask(page: Page, question: str) -> None:
    """Type a question and send it."""
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    box.press("Enter")


def questions(page: Page) -> list[str]:
    """The questions of the conversation as they are shown."""
    found: list[str] = page.locator(".kj-question").all_inner_texts()
    return found
