"""`index.*` and `knn.k`: the real store under misfortune (vectors of a wrong length, no index, a very long source)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from kaijuan.chunking import whole
from kaijuan.errors import KaijuanError
from kaijuan.retrieval.retrieve import Options, retrieve
from kaijuan.types import Chunk, Document
from tests.field import aliases, bulk
from tests.field.between import Forward, Reply, Request, between
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, compare, distinct, equal, holds, occurs
from tests.field.staging import COLLECTION, OPENSEARCH, VIEWER, Staging, Workshop, build_meta
from tests.field.stand_ins import StandInEmbedder
from tests.real_opensearch import NAMED

#: File types of a document made up for a case; a source of another type is staged as Markdown.
_READABLE = (".md", ".markdown", ".txt")
_QUESTION = "资料正文说了什么"
#: What is asked of a server, in this order, before a new build answers.
_CHECKED = ("/_refresh", "/_count", "/_aliases")


def run(case: Case, workshop: Workshop) -> None:
    """Stage the case by its kind and by what its situation names."""
    stage = _stage(case)
    if workshop.engine != OPENSEARCH and needs_opensearch(case):
        raise Later(f"is about OpenSearch; name a server: {NAMED}")
    with workshop.staging() as staging:
        compare(case.exact, stage(case, staging))


def needs_opensearch(case: Case) -> bool:
    """Whether the situation can be on OpenSearch alone."""
    return case.kind == "index.bulk" or (case.kind == "index.alias" and aliases.needs_opensearch(case))


def _stage(case: Case) -> Callable[[Case, Staging], dict[str, Check]]:
    given = case.input
    if case.kind == "index.dimension":
        return _dimension_of_question if "query" in given else _dimension_of_ingest
    if case.kind == "index.vector":
        return _given_vectors if "chunks" in given else _too_few_vectors
    stages = {
        "index.alias": aliases.stage,
        "index.bulk": bulk.stage,
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
    names = staging.versions()
    write_documents(staging, int(case.input.get("chunks", 1)), "第二版")
    ended = staging.command(StandInEmbedder(dims, returned))
    written = sum(count for name, count in staging.versions().items() if name not in names)
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
    named = False
    with staging.engine() as engine:
        build = engine.open_build(build_meta(chunks, embedder))
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
    counted: list[int] = []

    def count_first(request: Request, forward: Forward) -> Reply:
        if request.path.endswith("/_refresh"):
            path = request.path.replace("/_refresh", "/_count")
            counted.append(json.loads(forward(Request("GET", path, path, {}, b"")).body)["count"])
        return forward(request)

    with ExitStack() as stack:
        watched = None
        if staging.store.engine == OPENSEARCH:
            watched = stack.enter_context(between(staging.store.url, count_first))
        engine = stack.enter_context((staging.through(watched.url) if watched else staging).engine())
        build = engine.open_build(build_meta(chunks, None))
        build.add(chunks, None)
        counted.append(sum(version.chunks for version in engine.versions(COLLECTION)))
        version = build.finish()
        engine.activate(COLLECTION, version.name)
    if set(counted) != {case.input.get("count_before_refresh", 0)} or len(counted) != (2 if watched else 1):
        raise Mismatch("counted before the refresh", case.input.get("count_before_refresh", 0), counted)
    if watched and watched.steps(*_CHECKED) != list(_CHECKED):
        raise Mismatch("steps before the alias moves", list(_CHECKED), watched.steps(*_CHECKED))
    found = len(staging.keyword_trace(_QUESTION).keyword)
    return {
        "verified_count": equal(version.chunks),
        "swapped": equal(staging.active() == [version.name] and found == count),
    }


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
    return {
        "auto_created": equal(staging.holds_anything()),
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


def shorten_output(output: str) -> str:
    """The first line of what a command printed."""
    return f"command said “{output.strip().splitlines()[0][:100]}”" if output.strip() else "command said nothing"
