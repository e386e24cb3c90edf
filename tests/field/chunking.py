"""`chunk.*` and `parse.*`: a file read, cut and ingested for real, at the sizes that the case gives."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from kaijuan.chunking import chunk
from kaijuan.errors import CorpusError, KaijuanError
from kaijuan.readers import ReadError, Skipped, read_file
from kaijuan.readers.csv import read_table
from kaijuan.readers.decode import decode
from kaijuan.types import Document
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, at_most, compare, equal, listed
from tests.field.passages import Passages, passage_checks
from tests.field.staging import Staging, Workshop

_DEFAULT_SIZES = {"chunk_chars": 512, "overlap_chars": 64}
_BYSTANDER = "zz-旁边的文件.md"
#: Keys that say how to run the case; they expect nothing of the result.
_NO_EXPECTATION = frozenset({"at", "or_refused"})


@dataclass(frozen=True, slots=True)
class _Given:
    """A file as the case gives it."""

    name: str
    content: bytes


def run(case: Case, workshop: Workshop) -> None:
    """Read and cut the file once for each of the settings; each must hold."""
    case.only_inputs("file", "settings", "text", "repeat", "text_template", "from", "to")
    given = _given(case)
    problems = []
    for sizes in _sizes(case):
        try:
            with workshop.staging() as staging:
                _run_at(case, given, sizes, staging)
        except Mismatch as mismatch:
            problems.append(f"{mismatch} at {dict(sizes)}" if "settings" in case.input else str(mismatch))
    if problems:
        raise Mismatch("; ".join(problems))


def _given(case: Case) -> _Given:
    given = case.input
    if "file" in given:
        return _Given(PurePosixPath(given["file"]).name, case.path(given["file"]).read_bytes())
    if "text_template" in given:
        first, last = int(given.get("from", 1)), int(given["to"])
        text = "".join(given["text_template"].replace("{i}", str(i)) for i in range(first, last + 1))
    elif "text" in given:
        text = given["text"] * int(given.get("repeat", 1))
    else:
        raise Later("a situation without file and text")
    return _Given("text.txt", text.encode("utf-8"))


def _sizes(case: Case) -> Iterator[Mapping[str, int]]:
    for sizes in [*listed(case.input.get("settings", [])), *listed(case.exact.get("at", []))] or [{}]:
        if unknown := set(sizes) - set(_DEFAULT_SIZES):
            raise Later(f"unknown size {', '.join(sorted(unknown))}")
        yield {**_DEFAULT_SIZES, **sizes}


def _run_at(case: Case, given: _Given, sizes: Mapping[str, int], staging: Staging) -> None:
    exact = {key: value for key, value in case.exact.items() if key not in _NO_EXPECTATION}
    staging.write(given.name, given.content)
    start = time.perf_counter()
    documents, skipped = _read(given.name, staging)
    try:
        pieces = [chunk(document, sizes["chunk_chars"], sizes["overlap_chars"]) for document in documents]
    except KaijuanError as error:
        seconds = time.perf_counter() - start
        _refused(case, error, exact, seconds)
        return
    seconds = time.perf_counter() - start
    passages = Passages.of(documents, pieces) if documents else None
    if passages:
        passages.check_whole(sizes["overlap_chars"])
    checks = _checks(passages, skipped, seconds, sizes, given.name, staging)
    compare(exact, {**checks, **_data_file_checks(given, passages)})


def _read(name: str, staging: Staging) -> tuple[list[Document], Skipped | None]:
    """Documents of the file; why there is none where the whole file was left out."""
    try:
        found = read_file(staging.folder / name, staging.folder)
    except ReadError as error:
        return [], Skipped(name, error.reason_code, str(error))
    return [one for one in found if isinstance(one, Document)], None


def _data_file_checks(given: _Given, passages: Passages | None) -> dict[str, Check]:
    """What a CSV file is asked that gave a document for each row: its columns and rows stand in no table any more."""
    if passages is None or not given.name.endswith(".csv") or passages.columns():
        return {}
    table = read_table(decode(given.content), given.name)
    return {"columns": equal(list(table.header)), "rows": equal(passages.records)}


def _refused(case: Case, error: KaijuanError, exact: Mapping[str, Any], seconds: float) -> None:
    """Settings that cannot work: right where the case allows it, as long as it was said at once and clearly."""
    if not case.exact.get("or_refused"):
        raise Mismatch("refused", "chunks", str(error))
    if not (isinstance(error, CorpusError) and str(error).strip()):
        raise Mismatch("refused without a clear message", "a sentence", repr(error))
    compare({key: exact[key] for key in exact if key in _timing(seconds)}, _timing(seconds))


def _timing(seconds: float) -> dict[str, Check]:
    return {"max_seconds": at_most(round(seconds, 2)), "terminates_s": at_most(round(seconds, 2))}


def _checks(
    passages: Passages | None,
    skipped: Skipped | None,
    seconds: float,
    sizes: Mapping[str, int],
    name: str,
    staging: Staging,
) -> dict[str, Check]:
    always: dict[str, Check] = {
        **_timing(seconds),
        "reported_lines": lambda wanted: _reported_lines(wanted, name, staging),
        "reported_as": lambda wanted: _reported_as(wanted, name, sizes, staging),
    }
    if passages is None:
        # A file that was left out has no chunks, and every key that asks for text cannot hold.
        message = skipped.message if skipped else ""
        return {**dict.fromkeys(passage_checks(None, sizes), _not_read(message)), **always, "chunks": equal(0)}
    return {**passage_checks(passages, sizes), **always}


def _not_read(message: str) -> Check:
    def check(wanted: Any) -> None:
        raise Mismatch("the file was not read", wanted, message)

    return check


def _reported_as(wanted: Any, name: str, sizes: Mapping[str, int], staging: Staging) -> None:
    """Named in the ingest's report under this reason, while the other files go in."""
    staging.sizes(**sizes)
    staging.write(_BYSTANDER, "# 旁边的文件\n\n这份文件没有问题。\n")
    report = staging.ingest()
    got = {skipped.path: skipped.reason_code for skipped in report.skipped}
    if got.get(name) != wanted:
        raise Mismatch("report", wanted, got)
    if not staging.chunks(_BYSTANDER):
        raise Mismatch("the other files did not go in")


def _reported_lines(wanted: Any, name: str, staging: Staging) -> None:
    """Just these lines of the file are named in the ingest's report, in words too, and the rest went in."""
    skipped = [one for one in staging.ingest().skipped if one.path == name]
    equal(listed(wanted))([one.line for one in skipped])
    for one in skipped:
        if f"第 {one.line} 行" not in one.message:
            raise Mismatch("message names no line", one.line, one.message)
    if not staging.chunks():
        raise Mismatch("the other records did not go in")
