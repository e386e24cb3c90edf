"""The admin page over the real services of a small collection: who may, health, versions, reindexing, roll back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import kaijuan.ui.access
import kaijuan.ui.shared
from kaijuan.indexing.ingest import ingest
from kaijuan.indexing.jobs import read_job
from kaijuan.indexing.lock import ingest_lock
from kaijuan.ui.access import is_local
from kaijuan.ui.messages import say
from kaijuan.wiring import Services
from tests.indexing.workplace import NAME, Workplace
from tests.retrieval.stand_ins import LetterEmbedder
from tests.ui.opened import html, opened, served

#: Seconds after which a job that should be over long ago is given up.
PATIENCE = 120.0


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    made = Workplace(tmp_path)
    gold = {"id": "q1", "question": "电子发票的抬头可以修改吗", "gold": ["d2#0"]}
    made.write("questions.jsonl", json.dumps(gold, ensure_ascii=False) + "\n")
    return made


@pytest.fixture
def services(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    made = place.services(LetterEmbedder())
    ingest(made.collection(NAME), made.ingesting())
    with served(made, monkeypatch):
        yield made


@pytest.fixture
def app(services: Services) -> AppTest:
    return opened("pages/admin.py")


def _key(app: AppTest, part: str) -> str:
    return next(button.key for button in app.button if button.key.startswith(part) and not button.key.endswith(".no"))


def _until(app: AppTest, services: Services, holds: Callable[[str], bool]) -> str:
    """The state of the job once it holds, and the page drawn anew."""
    end = time.monotonic() + PATIENCE
    while True:
        job = read_job(services.settings.data_dir / "jobs", NAME)
        if job is not None and holds(job.state):
            app.run()
            return job.state
        assert time.monotonic() < end, "the job did not come to its end"
        time.sleep(0.05)


def _reindexed(app: AppTest, services: Services) -> str:
    app.button(key="admin.reindex").click().run()
    return _until(app, services, lambda state: state != "running")


def test_the_doctors_lines_and_the_version_that_answers(app: AppTest) -> None:
    page = html(app)
    assert say("admin.local") in page
    assert "kj-level-ok" in page and "索引的模型" in page
    assert "v0001" in page and say("admin.active") in page and say("admin.outcome_first") in page
    assert say("admin.one_version") in page


def test_a_broken_collection_is_red_and_hides_nothing(app: AppTest, place: Workplace) -> None:
    other = place.settings.corpus_dir / "broken"
    other.mkdir()
    (other / "collection.toml").write_text("title = ", encoding="utf-8")
    app.button(key="admin.again").click().run()
    page = html(app)
    assert "kj-level-bad" in page and "broken/collection.toml" in page and "v0001" in page


def test_reindexing_goes_on_behind_the_page_and_a_fresh_session_sees_it(
    app: AppTest, services: Services, place: Workplace
) -> None:
    place.write("新品.md", "# 新品\n\n新品十月上市。\n")
    assert _reindexed(app, services) == "done"
    fresh = AppTest.from_file(Path(__file__).parents[2] / "app.py", default_timeout=30).run()
    fresh.switch_page("pages/admin.py")
    page = html(fresh.run())
    assert say("job.state_done") in page and say("job.judge") in page and "v0002" in page
    # Since an ingest has left a report, it is shown too.
    assert say("admin.no_report") not in page


def test_a_refused_build_can_be_forced_after_a_second_look(app: AppTest, services: Services, place: Workplace) -> None:
    (place.folder / "发票.md").unlink()
    assert _reindexed(app, services) == "refused"
    said = app.error[0].value.replace("\\", "")
    assert "recall@5 0.0%" in said and "q1" in said
    force = _key(app, f"admin.force.{NAME}")
    app.button(key=force).click().run()
    assert place.versions() == {"v0001": True}  # asked only
    app.button(key=f"{force}.no").click().run()
    assert f"{force}.yes" not in [button.key for button in app.button]
    app.button(key=force).click().run()
    app.button(key=f"{force}.yes").click().run()
    _until(app, services, lambda state: state == "done")
    assert place.versions()["v0001"] is False
    assert say("admin.outcome_overridden") in html(app)


def test_roll_back_asks_once_more(app: AppTest, services: Services, place: Workplace) -> None:
    place.write("新品.md", "# 新品\n\n新品十月上市。\n")
    assert _reindexed(app, services) == "done"
    assert place.versions() == {"v0001": False, "v0002": True}
    back = f"admin.roll_back.{NAME}.v0001"
    app.button(key=back).click().run()
    assert place.versions() == {"v0001": False, "v0002": True}
    app.button(key=f"{back}.yes").click().run()
    assert place.versions() == {"v0001": True, "v0002": False}
    assert app.success[0].value == say("admin.rolled_back", version="v0001")


def test_a_collection_that_is_being_indexed_elsewhere_says_so(app: AppTest, services: Services) -> None:
    with ingest_lock(services.settings.data_dir / "locks", NAME):
        assert _reindexed(app, services) == "failed"
    assert "正在由进程" in html(app)


def test_from_elsewhere_nothing_is_shown(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kaijuan.ui.access, "connection", lambda: ("192.168.1.20", {"host": "10.0.0.1:8501"}))
    app.run()
    assert len(app.error) == 1 and not app.button and "v0001" not in html(app)


@pytest.mark.parametrize(
    ("address", "headers", "local"),
    [
        (None, {}, True),
        (None, {"host": "127.0.0.1:8501"}, True),
        ("127.0.0.1", {"host": "localhost:8501"}, True),
        ("::1", {"host": "[::1]:8501"}, True),
        ("::1", {"host": "[::1]"}, True),
        ("192.168.1.20", {"host": "127.0.0.1:8501"}, False),
        (None, {"host": "kaijuan.example.com"}, False),
        (None, {"host": "127.0.0.1.example.com:8501"}, False),
        (None, {"host": "localhost:8501", "x-forwarded-for": "192.168.1.20"}, False),
        ("unix:", {"host": "localhost"}, False),
    ],
)
def test_only_the_machine_itself_is_local(address: str | None, headers: dict[str, str], local: bool) -> None:
    assert is_local(address, headers) is local
