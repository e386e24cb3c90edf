"""The field cases of chunking, as far as Markdown and plain text files go."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from kaijuan.chunking import chunk
from kaijuan.errors import CorpusError
from kaijuan.readers import ReadError, parse_date, read_file
from kaijuan.types import Chunk, Document

FIELD = Path(__file__).parent.parent / "field"
CASES = [json.loads(line) for line in (FIELD / "cases.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]
FILES = [c for c in CASES if c["kind"].startswith("chunk.") and c.get("file", "").endswith((".md", ".txt"))]
DATES = [c for c in CASES if c["kind"] == "date.parse"]
BLANKS = re.compile(r"\s+")


@pytest.mark.parametrize("case", FILES, ids=lambda c: c["id"])
def test_file(case: dict[str, Any]) -> None:
    exact = case["expect"]["exact"]
    at = exact.get("at", {})
    began = time.perf_counter()
    try:
        (document,) = read_file(FIELD / case["file"], FIELD)
    except ReadError as error:
        assert (error.reason_code, 0) == (exact["reported_as"], exact["chunks"])
        return
    made = chunk(document, at.get("chunk_chars", 512), at.get("overlap_chars", 64))
    assert time.perf_counter() - began < exact.get("max_seconds", 5)
    check_document(document, exact)
    check_passages(made, exact)
    check_structure(made, exact)


def check_document(document: Document, exact: dict[str, Any]) -> None:
    assert document.title == exact.get("title", document.title)
    assert document.updated == exact.get("date", document.updated)


def check_passages(made: list[Chunk], exact: dict[str, Any]) -> None:
    everything = "\n".join(c.text for c in made)
    for words in exact.get("contains", []):
        assert words in everything
    for words in exact.get("lacks", []):
        assert words not in everything
    for words, count in exact.get("count", {}).items():
        assert everything.count(words) == count
    places = [everything.index(words) for words in exact.get("order", [])]
    assert places == sorted(places)
    for group in exact.get("together", []):
        assert any(all(words in c.text for words in group) for c in made)
    assert max(len(c.text) for c in made) <= exact.get("max_chars", 512)
    assert len(made) >= exact.get("min_chunks", 1)
    assert len({c.id for c in made}) == len(made)
    if "total_chars" in exact:
        assert len(BLANKS.sub("", "".join(c.text for c in made))) == exact["total_chars"]


def check_structure(made: list[Chunk], exact: dict[str, Any]) -> None:
    for heading in exact.get("heading", []):
        (holder,) = [c for c in made if heading["needle"] in c.text]
        ends = tuple(heading["path_ends"])
        assert holder.headings[-len(ends) :] == ends
    assert not {h for c in made for h in c.headings} & set(exact.get("headings_lack", []))
    if wanted := exact.get("row_with_header"):
        for row in wanted["rows"]:
            holders = [c for c in made if f"| {row} |" in c.text]
            assert holders and all(cell in c.text for c in holders for cell in wanted["header"])
    if "fence_torn" in exact:
        assert all(c.text.count("```") % 2 == 0 for c in made)
    if sentences := exact.get("whole_sentences"):
        for number in range(1, sentences["count"] + 1):
            assert any(re.search(rf"第{number}条，[^。]*。", c.text) for c in made)
        assert all(c.text.endswith("。") for c in made)


@pytest.mark.parametrize("case", DATES, ids=lambda c: c["id"])
def test_dates(case: dict[str, Any]) -> None:
    exact = case["expect"]["exact"]
    for written, expected in (exact.get("dates") or exact["shown"]).items():
        assert parse_date(written) == expected


def test_settings_are_refused() -> None:
    for case in CASES:
        if case["id"] == "S-CHK-14":
            (document,) = read_file(FIELD / case["input"]["file"], FIELD)
            settings = [case["input"]["settings"]]
        elif case["id"] == "S-CHK-15":
            document = Document("d", "t", case["input"]["text"] * case["input"]["repeat"])
            settings = case["input"]["settings"]
        else:
            continue
        for setting in settings:
            with pytest.raises(CorpusError):
                chunk(document, setting["chunk_chars"], setting["overlap_chars"])
