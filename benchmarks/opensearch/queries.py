"""One question's two legs: the engine, the whole retrieval without embedding, and bare calls of the same two queries."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch

from benchmarks.material import DIMS, Material
from benchmarks.opensearch.timing import Subject, Taken, clocked, interleaved
from benchmarks.rivals import K1, B
from kaijuan.chunking.token_count import token_counter
from kaijuan.engines.base import BuildMeta, KeywordQuery, SearchResult, VectorQuery
from kaijuan.engines.opensearch.catalogue import Catalogue
from kaijuan.engines.opensearch.client import Client, Server, ndjson
from kaijuan.engines.opensearch.documents import Json
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.engines.opensearch.names import Names
from kaijuan.engines.opensearch.question import Asked, lines
from kaijuan.engines.opensearch.schema import Schema
from kaijuan.models.base import Vector
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.text import clean, query_terms
from kaijuan.types import Trace, Viewer

SIZE = 50
MODEL = f"random-{DIMS}"
VIEWER = Viewer()
#: Names of the subjects, as the table has them.
SEARCH, RETRIEVE, BARE, READY = "engine.search", "retrieve", "bare _msearch", "bare _msearch, ready bytes"
COLD, COLD_BARE = "engine.search, first time", "bare _msearch, first time"
#: Questions at the end of a material that are asked to warm the server and not measured.
WARM_UP = 20
#: Header and body of each leg in a multi-search.
_LEGS_LINES = 4


def build_meta(collection: str) -> BuildMeta:
    """Meta of an index of generated vectors."""
    return BuildMeta(collection, MODEL, DIMS, "none", "bigram-1", "bench", "bench", K1, B)


class PreparedEmbedder:
    """Looks a question's vector up, so that retrieval is timed without an embedding model."""

    name = MODEL
    dims = DIMS
    floor = None

    def __init__(self, material: Material) -> None:
        questions = [clean(question).strip() for question in material.questions]
        self._vectors: dict[str, Vector] = dict(zip(questions, material.question_vectors, strict=True))

    def query(self, text: str) -> Vector:
        """See Embedder.query; raises KeyError for a text that is no question of the material."""
        return self._vectors[text]

    def passage(self, text: str) -> Vector:
        """See Embedder.passage."""
        return self.query(text)

    def sentence(self, text: str) -> Vector:
        """See Embedder.sentence."""
        return self.query(text)


class Ours:
    """The engine and the retrieval over one collection; nothing of earlier questions is known to a new one."""

    def __init__(self, server: Server, collection: str, material: Material) -> None:
        self._engine = OpenSearchEngine(server)
        self._collection = collection
        self._questions = material.questions
        self._asked = [
            (KeywordQuery(query_terms(question), SIZE), VectorQuery(vector, SIZE))
            for question, vector in zip(material.questions, material.question_vectors, strict=True)
        ]
        counter = token_counter()
        self._stages = Stages(self._engine, PreparedEmbedder(material), FeatureReranker(), counter.count, counter.name)
        self._met: set[str] = set()
        self._engine.meta(collection)  # which build answers is asked once in the life of a process, not of a question

    def new_terms(self, question: int) -> int:
        """How many terms of a question no question before it had: their counts are asked for beside the legs."""
        terms = set(self._asked[question][0].terms) - self._met
        self._met |= terms
        return len(terms)

    def search(self, question: int) -> SearchResult:
        """Both legs."""
        keyword, vector = self._asked[question]
        return self._engine.search(self._collection, keyword, vector, VIEWER)

    def retrieve(self, question: int) -> Trace:
        """The whole way from the question to its context."""
        return retrieve(self._questions[question], self._collection, self._stages, Options(leg_size=SIZE), VIEWER)

    def close(self) -> None:
        """Close the connections."""
        self._engine.close()


class Bare:
    """The very queries that the templates make of a question, sent as they are; the answer is parsed JSON, nothing more."""

    def __init__(self, server: Server, collection: str, material: Material) -> None:
        client, schema, names = Client(server), Schema(), Names(server.prefix)
        schema.install(client)
        known = Catalogue(client, names).known(collection)
        timeout = f"{int(server.search_timeout * 1000)}ms"
        self._bodies: list[list[Json]] = []
        for question, vector in zip(material.questions, material.question_vectors, strict=True):
            terms = query_terms(question)
            asked = Asked(known, terms, {}, KeywordQuery(terms, SIZE), VectorQuery(vector, SIZE), VIEWER, timeout)
            # The legs come first; the counts of terms behind them are asked once and no part of a later question.
            legs = lines(asked, names.alias(collection), schema.ids)[:_LEGS_LINES]
            self._bodies.append(_rendered(client, legs))
        client.close()
        self._ready = [ndjson(body) for body in self._bodies]
        self._client = OpenSearch(hosts=[server.url], timeout=server.timeout)

    def search(self, question: int) -> Any:
        """As one writes it: dictionaries go in."""
        return self._client.msearch(body=self._bodies[question])

    def ready(self, question: int) -> Any:
        """The request as bytes that were made before."""
        return self._client.msearch(body=self._ready[question])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _rendered(client: Client, made: list[Json]) -> list[Json]:
    rendered = list(made)
    for place in range(1, len(made), 2):
        rendered[place] = client.read("POST", "/_render/template", made[place])["template_output"]
    return rendered


@dataclass(frozen=True, slots=True)
class Queries:
    """Times of all subjects on one material; `asked_terms` is the median of term counts asked in a question's first time."""

    material: str
    chunks: int
    questions: int
    rounds: int
    taken: dict[str, Taken]
    asked_terms: float


def measure_queries(
    server: Server, collection: str, material: Material, rounds: int, seed: int, others: dict[str, Subject]
) -> Queries:
    """Time the material's questions, the last WARM_UP excepted, on an index that is there; `others` are timed beside.

    Raises RuntimeError when the bare calls do not find what the engine finds.
    """
    measured = range(len(material.questions) - WARM_UP)
    warming = range(len(measured), len(material.questions))
    bare = Bare(server, collection, material)
    before, ours = Ours(server, collection, material), Ours(server, collection, material)
    local = {
        SEARCH: clocked(before.search),
        RETRIEVE: clocked(before.retrieve),
        BARE: clocked(bare.search),
        READY: clocked(bare.ready),
    }
    interleaved(local | others, warming, 5, seed, "warm-up")
    _check(before, bare, warming)
    new_terms: list[int] = []

    def first(question: int) -> float:
        new_terms.append(ours.new_terms(question))
        return clocked(ours.search)(question)

    cold = interleaved({COLD: first, COLD_BARE: local[BARE]}, measured, 1, seed, "first time")
    local |= {SEARCH: clocked(ours.search), RETRIEVE: clocked(ours.retrieve)}
    warm = interleaved(local | others, measured, rounds, seed + 1, material.name)
    for opened in (bare, before, ours):
        opened.close()
    asked_terms = float(statistics.median(new_terms))
    return Queries(material.name, len(material.chunks), len(measured), rounds, cold | warm, asked_terms)


def _check(ours: Ours, bare: Bare, questions: range) -> None:
    """The bare answer has every hit of ours: more in the keyword leg, whose best by exact lengths the engine chooses."""
    for question in questions:
        result = ours.search(question)
        keyword, vector = (
            [hit["_source"]["chunk"]["id"] for hit in part["hits"]["hits"]]
            for part in bare.search(question)["responses"]
        )
        mine = ({hit.chunk.id for hit in result.keyword}, {hit.chunk.id for hit in result.vector})
        if not mine[0] <= set(keyword) or mine[1] != set(vector):
            raise RuntimeError(f"question {question}: the bare call and the engine find different passages")
