"""`index.*` and `knn.k`: the real store under misfortune (vectors of a wrong length, no index, a very long source)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from kaijuan.chunking import whole
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.errors import KaijuanError
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.types import Chunk, Document
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, compare, distinct, equal, holds, occurs
from tests.field.staging import COLLECTION, VIEWER, Staging, Workshop, build_meta
from tests.field.stand_ins import StandInEmbedder

#: File types of a document made up for a case; a source of another type is staged as Markdown.
_READABLE = (".md", ".markdown", ".txt")
_QUESTION = "资料正文说了什么"


def run(case: Case, workshop: Workshop) -> None:
    """Stage the case by its kind and by what its situation names."""
    stage = _stage(case)
    with workshop.staging() as staging:
        compare(case.exact, stage(case, staging))


def _stage(case: Case) -> Callable[[Case, Staging], dict[str, Check]]:
    given = case.input
    if case.kind == "index.bulk":
        raise Later("needs OpenSearch's bulk API")
    if case.kind == "index.alias":
        if set(given["before"]) - {given["alias"]} or len(given["before"].get(given["alias"], ())) > 1:
            raise Later("needs OpenSearch's aliases: the embedded engine's pointer names one version and nothing else")
        return _alias
    if case.kind == "index.dimension":
        return _dimension_of_question if "query" in given else _dimension_of_ingest
    if case.kind == "index.vector":
        return _given_vectors if "chunks" in given else _too_few_vectors
    stages = {
        "index.refresh": _refresh,
        "index.window": _window,
        "index.auto-create": _auto_create,
        "knn.k": _fewer_than_k,
    }
    if case.kind not in stages:
        raise Later(f"unknown kind {case.kind}")
    return stages[case.kind]


def write_documents(staging: Staging, count: int, generation: str = "第一版") -> None:
    """As many documents of one chunk each, all of which the same question finds."""
    for number in range(count):
        staging.write(f"d{number:05d}.md", f"{generation}的资料正文，编号 N{number:05d}。\n")


def _dimension_of_ingest(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("mapping_dimension", "vector_dimension", "chunks")
    dims, returned = int(case.input["mapping_dimension"]), int(case.input["vector_dimension"])
    write_documents(staging, int(case.input.get("chunks", 1)))
    staging.ingest(StandInEmbedder(dims))
    before = staging.active()
    names = _versions(staging)
    write_documents(staging, int(case.input.get("chunks", 1)), "第二版")
    ended = staging.command(StandInEmbedder(dims, returned))
    written = sum(count for name, count in _versions(staging).items() if name not in names)
    return {
        "written": equal(written),
        "message_names": holds(ended.output, "message"),
        "exit_zero": equal(ended.status == 0, ended.output),
        "alias_unchanged": equal(staging.active() == before),
    }


def _dimension_of_question(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("mapping_dimension", "vector_dimension", "query", "chunks")
    dims, returned = int(case.input["mapping_dimension"]), int(case.input["vector_dimension"])
    staging.write("资料.md", f"{case.input['query']}：资料正文。\n")
    staging.ingest(StandInEmbedder(dims))
    services = staging.services(StandInEmbedder(dims, returned))
    try:
        given = services.answer(case.input["query"], COLLECTION, VIEWER)
        fine = bool(given.text.strip()) and bool(given.notices) and not given.trace.vector
    except KaijuanError as error:
        fine = bool(str(error).strip())
    except Exception as error:
        raise Mismatch("traceback on the page", "one sentence", repr(error)) from error
    return {"error_shown_or_keyword_only": equal(fine), "traceback_shown": equal(False)}


def _given_vectors(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("space", "chunks")
    rows = {str(row["id"]): np.asarray(row["vector"], dtype=np.float32) for row in case.input["chunks"]}
    sizes = {len(vector) for vector in rows.values()}
    for id_ in rows:
        staging.write(f"{id_}.md", f"资料正文，编号【{id_}】。\n")
    given = {f"【{id_}】": vector for id_, vector in rows.items()}
    ended = staging.command(StandInEmbedder(max(sizes), given=given))
    written = [id_ for id_ in rows if staging.chunks(f"{id_}.md")]
    return {
        "written": equal(written, shorten_output(ended.output)),
        "reported": equal([id_ for id_ in rows if occurs(f"{id_}.md", ended.output)], shorten_output(ended.output)),
        "exit_zero": equal(ended.status == 0),
    }


def _too_few_vectors(case: Case, staging: Staging) -> dict[str, Check]:
    """At the store's own door: our models take one text a call, so that no batch of theirs can come back short."""
    case.only_inputs("texts", "vectors_returned")
    embedder = StandInEmbedder()
    chunks = [whole(Document(f"d{n}", "", str(text))) for n, text in enumerate(case.input["texts"])]
    returned = int(case.input["vectors_returned"])
    vectors = np.stack([embedder.passage(chunks[n % len(chunks)].search_text) for n in range(returned)])
    engine = EmbeddedEngine(staging.settings.index_dir)
    build = engine.open_build(build_meta(chunks, embedder))
    named = False
    try:
        build.add(chunks, vectors)
        engine.activate(COLLECTION, build.finish().name)
    except KaijuanError as error:
        build.abandon()
        named = all(str(number) in str(error) for number in (len(chunks), len(vectors)))
    return {"shifted": equal(_shifted(chunks, embedder, staging)), "error_named": equal(named)}


def _shifted(chunks: list[Chunk], embedder: StandInEmbedder, staging: Staging) -> int:
    """How many stored chunks are not nearest to their own vector."""
    stored = {chunk.id for chunk in staging.chunks()}
    stages = staging.services(embedder).stages
    options = Options(leg_size=1, keyword_leg=False)
    return sum(
        retrieve(chunk.search_text, COLLECTION, stages, options, VIEWER).vector[0].chunk.id != chunk.id
        for chunk in chunks
        if chunk.id in stored
    )


def _refresh(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("refresh_interval", "written", "count_before_refresh")
    count = int(case.input["written"])
    chunks = [whole(Document(f"d{n}", "", f"资料正文 N{n:05d}")) for n in range(count)]
    engine = EmbeddedEngine(staging.settings.index_dir)
    build = engine.open_build(build_meta(chunks, None))
    build.add(chunks, None)
    early = sum(version.chunks for version in engine.versions(COLLECTION))
    if early != case.input.get("count_before_refresh", 0):
        raise Mismatch("counted before it was finished", case.input["count_before_refresh"], early)
    version = build.finish()
    engine.activate(COLLECTION, version.name)
    found = len(staging.keyword_trace(_QUESTION).keyword)
    return {
        "verified_count": equal(version.chunks),
        "swapped": equal(staging.active() == [version.name] and found == count),
    }


def _alias(case: Case, staging: Staging) -> dict[str, Check]:
    """The pointer to the version that answers takes the alias's place; a reader looks at it all the time."""
    case.only_inputs("alias", "before", "new_index")
    names = {}
    for old in case.input["before"].get(case.input["alias"], ()):
        write_documents(staging, 3)
        names[staging.ingest().version] = old
    write_documents(staging, 3, "第二版")
    engine = _WatchedEngine(staging.settings.index_dir)
    with _watching(staging) as seen:
        names[staging.ingest(engine=engine).version] = case.input["new_index"]
    # All that happened to the pointer, as one list of what went and what came for each request.
    actions = [
        change
        for before, after in engine.switches
        for change in (
            *("remove old" for _ in set(before) - set(after)),
            *("add new" for _ in set(after) - set(before)),
        )
    ]
    return {
        "alias_requests": equal(len(engine.switches)),
        "actions": equal(actions),
        "targets_after": equal([names.get(version, version) for version in staging.active()]),
        "zero_targets_seen": equal(bool(names) and any(not targets for targets in seen)),
    }


class _WatchedEngine(EmbeddedEngine):
    """Notes what answered before and after every switch."""

    def __init__(self, index_dir: Path) -> None:
        super().__init__(index_dir)
        self.switches: list[tuple[list[str], list[str]]] = []

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate."""
        before = self._targets(collection)
        super().activate(collection, version)
        self.switches.append((before, self._targets(collection)))

    def _targets(self, collection: str) -> list[str]:
        return [version.name for version in self.versions(collection) if version.active]


@contextmanager
def _watching(staging: Staging) -> Iterator[list[list[str]]]:
    """What a reader sees of the versions that answer, over and over until the block ends."""
    seen: list[list[str]] = []
    finished = threading.Event()

    def look() -> None:
        while not finished.is_set():
            seen.append(staging.active())

    reader = threading.Thread(target=look)
    reader.start()
    try:
        yield seen
    finally:
        finished.set()
        reader.join()
    seen.append(staging.active())


def _window(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("source", "chunks", "operation")
    operation = case.input.get("operation", "delete")
    if operation not in ("delete", "list"):
        raise Later(f"unknown operation {operation}")
    given = PurePosixPath(case.input["source"])
    source = given if given.suffix in _READABLE else given.with_suffix(".md")
    sections = (f"## 第{n}问\n\n第{n}条回答。\n\n" for n in range(int(case.input["chunks"])))
    staging.write("另一份.md", "另一份资料。\n")
    staging.write(str(source), "".join(sections))
    staging.ingest()
    listed_before = len(staging.chunks(str(source)))
    if operation == "delete":
        (staging.folder / source).unlink()
        staging.ingest()
    left = len(staging.chunks(str(source)))
    return {"deleted": equal(listed_before - left), "left": equal(left), "listed": equal(listed_before)}


def _auto_create(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("indices", "query")
    if case.input.get("indices"):
        raise Later("unknown situation: indices are there already")
    message = ""
    try:
        staging.services().answer(str(case.input["query"]), COLLECTION, VIEWER)
    except KaijuanError as error:
        message = str(error)
    index_dir = staging.settings.index_dir
    return {
        "auto_created": equal(index_dir.is_dir() and any(index_dir.iterdir())),
        "message_contains_any": lambda words: _any(words, message),
        "message_contains": holds(message, "message"),
    }


def _fewer_than_k(case: Case, staging: Staging) -> dict[str, Check]:
    case.only_inputs("docs", "k", "size")
    count = int(case.input["docs"])
    embedder = StandInEmbedder()
    chunks = [whole(Document(f"d{n}", "", f"资料正文 N{n:05d}")) for n in range(count)]
    stages = staging.index(chunks, embedder)
    options = Options(leg_size=int(case.input["k"]), keyword_leg=False)
    trace = retrieve(_QUESTION, COLLECTION, stages, options, VIEWER)
    ids = distinct(candidate.chunk.id for candidate in trace.candidates)
    return {"candidates": equal(min(len(ids), int(case.input.get("size", len(ids)))))}


def _any(words: Any, message: str) -> None:
    if not any(word in message for word in words):
        raise Mismatch("message", words, message or "none")


def _versions(staging: Staging) -> dict[str, int]:
    return {v.name: v.chunks for v in EmbeddedEngine(staging.settings.index_dir).versions(COLLECTION)}


def shorten_output(output: str) -> str:
    """The first line of what a command printed."""
    return f"command said “{output.strip().splitlines()[0][:100]}”" if output.strip() else "command said nothing"
