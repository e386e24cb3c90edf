"""The report of an ingest as files: plain data for programs, a page of its own for people, and always the latest."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kaijuan.errors import IngestError
from kaijuan.indexing.gate import changes
from kaijuan.indexing.health import KINDS, Health
from kaijuan.indexing.ingest import IngestReport
from kaijuan.indexing.report_page import page

#: Reports of a collection that are kept.
KEPT = 20
LATEST = "latest"


def write_report(report: IngestReport, folder: Path) -> Path:
    """Write a report under its time and as the latest into the collection's folder of reports; the page's path.

    Raises IngestError when it cannot be written.
    """
    made = datetime.now(UTC)
    place = folder / report.collection
    write_files(report, place / made.strftime("%Y%m%dT%H%M%S.%fZ"), made)
    latest = write_files(report, place / LATEST, made)
    for suffix in (".json", ".html"):
        for old in sorted(p for p in place.glob(f"[0-9]*{suffix}"))[:-KEPT]:
            old.unlink(missing_ok=True)
    return latest


def write_files(report: IngestReport, file: Path, made: datetime | None = None) -> Path:
    """Write `file` with the endings .json and .html in place of its own; the page's path.

    Raises IngestError when they cannot be written.
    """
    plain = as_plain(report, made or datetime.now(UTC))
    # Not with_suffix: it would take a time's fraction for an ending.
    stem = file.with_suffix("") if file.suffix in (".json", ".html") else file
    html = stem.with_name(f"{stem.name}.html")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _replace(stem.with_name(f"{stem.name}.json"), json.dumps(plain, ensure_ascii=False, indent=1))
        _replace(html, page(plain))
    except OSError as error:
        raise IngestError(
            f"集合 {report.collection} 已建立索引，但报告 {file} 无法写入（{error.strerror}），请检查目录和权限。"
        ) from error
    return html


def as_plain(report: IngestReport, made: datetime) -> dict[str, Any]:
    """The report as plain data."""
    gate = report.gate
    return {
        "collection": report.collection,
        "version": report.version,
        "made": made.isoformat(timespec="seconds"),
        "unchanged": report.unchanged,
        "documents": report.documents,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "reused_files": report.reused_files,
        "seconds": round(report.seconds, 3),
        "health_seconds": round(report.health_seconds, 3),
        "gate": {**gate.as_note(), "said": changes(gate)} if gate else None,
        "files": [asdict(file) for file in report.files],
        "rejected": [{"chunk_id": chunk_id, "reason": reason} for chunk_id, reason in report.rejected],
        "warnings": list(report.warnings),
        "cleaned": list(report.cleaned),
        "pruned": list(report.pruned),
        "health": _health(report.health) if report.health else None,
    }


def _health(health: Health) -> dict[str, Any]:
    return {
        "today": health.today,
        "counts": dict(health.counts),
        "names": dict(KINDS),
        "findings": [asdict(finding) for finding in health.findings],
    }


def _replace(file: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it; what UTF-8 cannot hold is shown as a question mark."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8", errors="replace")
    unfinished.replace(file)
