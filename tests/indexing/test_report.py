"""Reports as files: what programs and people find in them, and that nothing of a document gets out of its place."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ingest.__main__ import main as ingest_main
from kaijuan.errors import IngestError
from kaijuan.indexing.report import KEPT, write_files, write_report
from tests.commands import Run, check_one_sentence, runner
from tests.indexing.workplace import NAME, Workplace

HOSTILE = "<script>alert(1)</script>\"'&"


class _Page(HTMLParser):
    """Tags and text of a page, and whatever it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.fetched: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        self.tags.add(tag)
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        self.text += data


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    made = Workplace(tmp_path)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_every_file_is_told_of_with_its_reasons(place: Workplace) -> None:
    place.write("空.md", "")
    place.write("图.png", b"\x89PNG\r\n\x1a\n")
    place.write("怪 日期.md", "---\nupdated: 某天\n---\n\n正文。\n")
    files = {file.path: file for file in place.ingest().files}
    assert list(files) == sorted(files) and len(files) == 6
    assert [(f.documents, f.chunks) for f in (files["退货.md"], files["空.md"])] == [(1, 1), (0, 0)]
    assert [files[name].skipped[0].reason_code for name in ("空.md", "图.png")] == ["empty", "unknown type"]
    assert len(files["怪 日期.md"].warnings) == 1 and not files["退货.md"].warnings


def test_the_report_is_written_under_its_time_and_as_the_latest(place: Workplace, run: Run) -> None:
    ended = run(ingest_main, NAME)
    folder = place.settings.data_dir / "reports" / NAME
    assert ended.status == 0 and str(folder / "latest.html") in ended.out and "没有发现问题" in ended.out
    first = json.loads((folder / "latest.json").read_text(encoding="utf-8"))
    assert (first["collection"], first["version"], first["chunks"]) == (NAME, "v0001", 3)
    assert [file["path"] for file in first["files"]] == sorted(file["path"] for file in first["files"])
    run(ingest_main, NAME)
    assert len(list(folder.glob("[0-9]*.json"))) == len(list(folder.glob("[0-9]*.html"))) == 2
    assert json.loads((folder / "latest.json").read_text(encoding="utf-8"))["unchanged"]
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


def test_old_reports_go(place: Workplace) -> None:
    report = place.ingest()
    for _ in range(KEPT + 3):
        write_report(report, place.root / "reports")
    assert len(list((place.root / "reports" / NAME).glob("[0-9]*.json"))) == KEPT


def test_the_page_stands_alone_and_shows_a_document_as_text_only(place: Workplace) -> None:
    place.write("攻击.md", f"---\ntitle: {json.dumps(HOSTILE)}\n---\n\n| {HOSTILE} | 18 元 |\n| 西藏 | 22 元 |\n")
    place.write("<b>空.md", "")
    text = write_files(place.ingest(), place.root / "r.html").read_text(encoding="utf-8")
    page = _Page(text)
    assert page.fetched == [] and not page.tags & {"script", "b", "link", "img", "iframe"}
    assert HOSTILE in page.text and "<b>空.md" in page.text and "表格没有表头" in page.text
    assert "url(" not in text and "@import" not in text


def test_a_report_can_be_written_elsewhere(place: Workplace, run: Run) -> None:
    assert run(ingest_main, NAME, "--report", str(place.root / "deep" / "mine.json")).status == 0
    assert sorted(p.name for p in (place.root / "deep").iterdir()) == ["mine.html", "mine.json"]
    assert not (place.settings.data_dir / "reports").exists()


def test_a_report_that_cannot_be_written_is_one_sentence_and_the_index_is_there(place: Workplace, run: Run) -> None:
    (place.root / "file").write_text("", encoding="utf-8")
    ended = run(ingest_main, NAME, "--report", str(place.root / "file" / "mine.html"))
    assert ended.status == 1 and ended.err.count("\n") == 1 and ended.err.rstrip().endswith("。")
    assert place.found("SF-3000 打不开")
    with pytest.raises(IngestError, match="无法写入"):
        write_files(place.ingest(), place.root / "file" / "mine")


def test_one_report_for_several_collections_is_refused(place: Workplace, run: Run) -> None:
    for option in (["--watch"], ["--report", "x.html"]):
        ended = run(ingest_main, NAME, "other", *option)
        assert ended.status == 2 and ended.out == "" and ended.err.count("\n") == 1


def test_a_watched_collection_that_does_not_exist_is_one_sentence(place: Workplace, run: Run) -> None:
    check_one_sentence(run(ingest_main, "nichts", "--watch"), "nichts")


def test_questions_that_lost_their_passages_are_told_also_when_nothing_changed(place: Workplace) -> None:
    place.write(
        "questions.jsonl",
        '{"id": "q1", "question": "电子发票", "gold": ["d2"]}\n{"id": "q2", "question": "运费", "gold": ["d9"]}\n',
    )
    for unchanged in (False, True):
        report = place.ingest()
        assert report.unchanged == unchanged and report.health is not None
        assert dict(report.health.counts) == {"questions": 1} and "q2" in report.health.findings[0].said
