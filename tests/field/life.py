"""`life.*`, and cases of several `files`: documents that change, go and move between real ingests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from kaijuan.errors import KaijuanError
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, compare, distinct, equal
from tests.field.staging import COLLECTION, VIEWER, Staging, Workshop


def run(case: Case, workshop: Workshop) -> None:
    """Play the steps, or ingest the files as often as asked."""
    with workshop.staging() as staging:
        if "files" in case.input:
            compare(case.exact, _files(case, staging))
        elif "steps" in case.input:
            compare(case.exact, _Steps(staging).play(case))
        else:
            raise Later("a situation without steps and without files")


def _files(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("files", "ingests")
    for name, text in case.input["files"].items():
        staging.write(name, text)
    ids = []
    for _ in range(int(case.input.get("ingests", 1))):
        staging.ingest()
        ids.append([chunk.id for chunk in staging.chunks()])
    chunks = staging.chunks()
    return {
        "documents": equal(len({chunk.source_id for chunk in chunks})),
        "chunks": equal(len(chunks)),
        "ids_equal": equal(all(one == ids[0] for one in ids) and bool(ids[0])),
        "growth": equal(len(ids[-1]) - len(ids[0])),
    }


class _Steps:
    """A folder whose files come, change and go; every step that ingests runs the real command."""

    def __init__(self, staging: Staging) -> None:
        self._staging = staging
        self._touched: list[str] = []
        self._said: list[str] = []
        self._moved: list[tuple[str, str]] = []
        self._last = ""

    def play(self, case: Case) -> dict[str, Check]:
        """Play all steps; the checks of what is there afterwards."""
        case.only_inputs("steps")
        doings: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "ingest": self._ingest,
            "remove": self._remove,
            "rename": self._rename,
            "ingest_folder": lambda step: self._run(),
        }
        for step in case.input["steps"]:
            doing = next((doings[key] for key in step if key in doings), None)
            if doing is None or set(step) - {*doings, "chunks", "holds"}:
                raise Later(f"unknown step {dict(step)}")
            doing(step)
        staging = self._staging
        of_touched = sum(len(staging.chunks(name)) for name in distinct(self._touched))
        return {
            "chunks_after": equal(of_touched, self._last),
            "documents_after": equal(len({chunk.source_id for chunk in staging.chunks()})),
            "old_path_chunks": equal(sum(len(staging.chunks(old)) for old, _ in self._moved), self._last),
            "new_path_chunks": equal(sum(len(staging.chunks(new)) for _, new in self._moved), self._last),
            "not_found_query": self._not_found,
            "cited": equal(any(self._is_cited(words) for words in self._said), self._last),
        }

    def _ingest(self, step: Mapping[str, Any]) -> None:
        name, count = str(step["ingest"]), int(step.get("chunks", 1))
        stem = PurePosixPath(name).stem
        texts = [f"{stem}第{n}节的内容" for n in range(1, count + 1)]
        if "holds" in step and texts:
            texts[-1] = str(step["holds"])  # in the last one, which is the first to go when the document gets shorter
        self._staging.write(name, "".join(f"## 第{n}节\n\n{text}。\n\n" for n, text in enumerate(texts, start=1)))
        self._touched.append(name)
        self._said += texts
        self._run()
        if (got := len(self._staging.chunks(name))) != count:
            raise Mismatch(f"chunks of {name} after its ingest", count, got)

    def _remove(self, step: Mapping[str, Any]) -> None:
        (self._staging.folder / step["remove"]).unlink()

    def _rename(self, step: Mapping[str, Any]) -> None:
        old, new = map(str, step["rename"])
        target = self._staging.folder / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self._staging.folder / old).rename(target)
        self._moved.append((old, new))

    def _run(self) -> None:
        ended = self._staging.command()
        self._last = f"the last ingest ended with {ended.status}: {ended.output.strip()[:100]}"

    def _not_found(self, words: Any) -> None:
        for hit in self._staging.keyword_trace(str(words)).keyword:
            if str(words) in hit.chunk.text:
                raise Mismatch("still found", f"no “{words}”", hit.chunk.text)

    def _is_cited(self, question: str) -> bool:
        """Whether an answer to a question in the document's own words rests on one of the files that are gone."""
        try:
            given = self._staging.services().answer(question, COLLECTION, VIEWER)
        except KaijuanError:
            return False
        there = {name for name in self._touched if (self._staging.folder / name).is_file()}
        return any(source.chunk.source_id in set(self._touched) - there for source in given.sources)
