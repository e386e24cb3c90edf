"""What the admin page shows as HTML: findings in red and green, collections, versions with their gate, the ingest report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kaijuan.indexing.gate import COMPARED, NOTE
from kaijuan.indexing.versions import Version
from kaijuan.types import Finding
from kaijuan.ui.elements import Safe, join, tag
from kaijuan.ui.messages import say, say_or
from kaijuan.ui.tables import table_html

_NONE = "—"
#: What the line about the last ingest takes from its report as it is.
_REPORTED = ("version", "documents", "chunks", "embedded")


def findings_html(found: Sequence[Finding]) -> Safe:
    """The doctor's lines, what concerns all collections first, each collection under its name."""
    names = dict.fromkeys(["", *(finding.collection for finding in found)])
    return join([part for name in names for part in _group(name, [f for f in found if f.collection == name])])


def collections_html(label: str, rows: Sequence[tuple[str, str, Sequence[Version], str]], marked: int | None) -> Safe:
    """One row a collection: name, title, its versions, and the sentence that stands in their place when there is one."""
    columns = ("name", "title", "answering", "documents", "chunks", "created", "stored")
    head = tuple(say(f"admin.{column}") for column in columns)
    return table_html(label, head, [_collection(*row) for row in rows], marked, wide=2)


def versions_html(label: str, versions: Sequence[Version]) -> Safe:
    """Newest first, with what the gate said of each."""
    columns = ("version", "state", "created", "documents", "chunks", "model", "gate")
    head = tuple(say(f"admin.{column}") for column in columns)
    ordered = versions[::-1]
    marked = next((number for number, version in enumerate(ordered) if version.active), None)
    return table_html(label, head, [_version(version) for version in ordered], marked, wide=6)


def gate_text(note: Mapping[str, Any] | None) -> str:
    """A verdict as kept in a version's notes: outcome, figures with those before, questions that got worse."""
    if not note:
        return say("admin.outcome_none")
    return " · ".join((say_or(f"admin.outcome_{note.get('outcome')}", str(note.get("outcome"))), *_measured(note)))


def refusal_text(note: Mapping[str, Any] | None) -> str:
    """The figures of a refused build, without the outcome that the sentence around them tells."""
    return " · ".join(_measured(note or {}))


def report_html(report: Mapping[str, Any]) -> Safe:
    """The last ingest's report in short: its figures, what the health check found, files with remarks."""
    figures = {key: report[key] for key in _REPORTED}
    parts = [
        tag("p", say("admin.report_line", **figures, made=_time(report["made"]), seconds=f"{report['seconds']:.1f}")),
    ]
    health = report.get("health") or {}
    if counts := health.get("counts"):
        said = "，".join(f"{health['names'].get(kind, kind)} {count}" for kind, count in counts.items())
        parts.append(tag("p", say("admin.report_health", counts=said)))
    remarks = list(_remarks(report))
    if remarks:
        head = (say("admin.report_file"), say("admin.report_said"))
        parts.append(table_html(say("admin.report_files"), head, remarks, wide=1))
    elif not counts:
        parts.append(tag("p", say("admin.report_clean"), class_="kj-detail"))
    return join(parts)


def _group(name: str, found: Sequence[Finding]) -> Iterator[Safe]:
    if not found:
        return
    yield tag("h3", say("admin.collection_named", name=name) if name else say("admin.whole"), class_="kj-label")
    yield tag("ul", *(_finding(finding) for finding in found), class_="kj-findings")


def _finding(finding: Finding) -> Safe:
    level = tag("span", say(f"admin.level_{finding.level}"), class_=f"kj-level kj-level-{finding.level}")
    remedy = tag("div", say("admin.remedy", remedy=finding.remedy), class_="kj-detail") if finding.remedy else Safe()
    return tag("li", level, tag("div", tag("b", finding.check), " ", finding.said, remedy))


def _collection(name: str, title: str, versions: Sequence[Version], fault: str) -> tuple[str, ...]:
    active = next((version for version in versions if version.active), None)
    if fault or active is None:
        return name, title, fault or say("admin.not_indexed"), _NONE, _NONE, _NONE, str(len(versions))
    created = _time(active.meta.created)
    return name, title, active.name, str(active.documents), str(active.chunks), created, str(len(versions))


def _version(version: Version) -> tuple[str, ...]:
    meta = version.meta
    return (
        version.name,
        say("admin.active") if version.active else say("admin.idle"),
        _time(meta.created),
        str(version.documents),
        str(version.chunks),
        meta.embedder or say("admin.no_vectors"),
        gate_text(version.notes.get(NOTE)),
    )


def _measured(note: Mapping[str, Any]) -> Iterator[str]:
    yield from _figures(note)
    if note.get("lost"):
        yield say("admin.gate_lost", lost=", ".join(map(str, note["lost"])))


def _figures(note: Mapping[str, Any]) -> Iterator[str]:
    after, before = note.get("after"), note.get("before")
    if not after:
        return
    shown = {}
    for name in COMPARED:
        now = f"{after[name]:.1%}"
        shown[name] = say("admin.gate_was", now=now, before=f"{before[name]:.1%}") if before else now
    yield say("admin.gate_figures", scored=after["scored"], **shown)


def _remarks(report: Mapping[str, Any]) -> Iterator[tuple[str, Safe]]:
    for file in report["files"]:
        said = [*(skipped["message"] for skipped in file["skipped"]), *file["warnings"]]
        if said:
            yield file["path"], join([tag("div", one) for one in said])


def _time(iso: str) -> str:
    return iso[:19].replace("T", " ")
