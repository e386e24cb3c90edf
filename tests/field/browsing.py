"""`ui.submit`: two questions to the running app in a real browser, the second while the first answer still streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.running import running_app, running_browser, what_is_missing
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, compare, equal
from tests.field.staging import COLLECTION, Workshop
from tests.models.scripted_server import Reply, ScriptedServer, piece, stream, text_stream

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SUBMIT, _STARTS, _ENDS = "submit ", "stream starts", "stream ends"
#: What the first answer says before it pauses for longer than the case lasts, and what every further one says.
_BEGINNING, _END = "先拔下电源", "等十秒再插上"


def run(case: Case, workshop: Workshop) -> None:
    """Play the case's events; raises Later where there is no browser."""
    if missing := what_is_missing():
        raise Later(f"needs a browser: {missing}")
    case.only_inputs("events")
    events = [str(event) for event in case.input["events"]]
    asked = [event.removeprefix(_SUBMIT) for event in events if event.startswith(_SUBMIT)]
    slow: Reply = stream([piece(f"{_BEGINNING}[1]，"), 3600.0], done=False)
    with workshop.staging() as staging, ScriptedServer(slow, *[text_stream(f"{_END}[1]。") for _ in asked]) as model:
        for number, question in enumerate(asked):
            staging.write(f"{number}.md", f"# {question}\n\n{question}的处理办法是{_BEGINNING}，{_END}。\n")
        staging.ingest()
        settings = {
            "CORPUS_DIR": str(staging.settings.corpus_dir),
            "DATA_DIR": str(staging.settings.data_dir),
            "EMBEDDER": "none",
            "ANSWERER": "openai",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "OPENAI_API_KEY": "k",
        }
        with (
            running_app({f"KAIJUAN_{name}": value for name, value in settings.items()}) as address,
            running_browser() as browser,
        ):
            page = browser.new_page(base_url=address)
            page.goto(f"/?c={COLLECTION}")
            for event in events:
                _play(page, event)
            _compare(case, page)


def _play(page: Page, event: str) -> None:
    if event.startswith(_SUBMIT):
        box = page.get_by_test_id("stChatInput").locator("textarea")
        box.fill(event.removeprefix(_SUBMIT))
        box.press("Enter")
    elif event == _STARTS:
        page.get_by_text(_BEGINNING).first.wait_for()
    elif event == _ENDS:
        page.locator(".kj-body").filter(has_text=_END).first.wait_for()
        page.locator(".kj-progress").wait_for(state="detached")
    else:
        raise Later(f"unknown event {event}")


def _compare(case: Case, page: Page) -> None:
    shown = page.locator(".kj-question").all_inner_texts()
    first = page.get_by_test_id("stChatMessage").nth(1).inner_text()
    if _END not in first and "已停止" not in first:
        raise Mismatch("the first answer is neither whole nor marked as broken off", "已停止", first)
    checks: dict[str, Check] = {
        "user_messages": equal(shown),
        "duplicates": equal(len(shown) - len(set(shown))),
    }
    compare(case.exact, checks)
