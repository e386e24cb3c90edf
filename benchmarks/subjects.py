"""What is timed: the engine's legs, the whole retrieval, and their rivals, over one indexed material."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.material import DIMS, Material
from benchmarks.rivals import K1, B, Bm25s, bare_product
from kaijuan.chunking.token_count import token_counter
from kaijuan.engines.base import BuildMeta, KeywordQuery, VectorQuery
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.models.feature_rerank import FeatureReranker
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.text import analyze, query_terms
from kaijuan.types import Viewer

SIZE = 50
COLLECTION = "bench"
MODEL = "random-512"


class ConstantEmbedder:
    """Gives every question the same unit vector at once: retrieval is timed without an embedding model."""

    name = MODEL
    dims = DIMS
    floor = None

    def __init__(self, vector: np.ndarray) -> None:
        self._vector = vector

    def passage(self, text: str) -> np.ndarray:
        """See Embedder.passage."""
        return self._vector

    def query(self, text: str) -> np.ndarray:
        """See Embedder.query."""
        return self._vector

    def sentence(self, text: str) -> np.ndarray:
        return self.query(text)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A material in an engine: seconds of the build, bytes on disk."""

    engine: EmbeddedEngine
    seconds: float
    disk_bytes: int


def index(material: Material, index_dir: Path) -> Indexed:
    """Build the material's index, with a progress bar."""
    engine = EmbeddedEngine(index_dir)
    start = time.perf_counter()
    build = engine.open_build(BuildMeta(COLLECTION, MODEL, DIMS, "none", "bigram-1", "bench", "bench", K1, B))
    for begin in tqdm(range(0, len(material.chunks), 500), desc=f"index {material.name}", unit="batch", leave=False):
        build.add(material.chunks[begin : begin + 500], material.vectors[begin : begin + 500])
    version = build.finish().name
    engine.activate(COLLECTION, version)
    seconds = time.perf_counter() - start
    files = (index_dir / COLLECTION / version).iterdir()
    return Indexed(engine, seconds, sum(path.stat().st_size for path in files))


def subjects(material: Material, engine: EmbeddedEngine) -> dict[str, Callable[[int], object]]:
    """Functions of a question's number. Terms are ready everywhere but in `retrieve`."""
    terms = [query_terms(question) for question in material.questions]
    vectors, asked = material.vectors, material.question_vectors
    viewer = Viewer()
    counter = token_counter()
    stages = Stages(engine, ConstantEmbedder(asked[0]), FeatureReranker(), counter.count, counter.name)

    def keyword_ranking(question: int) -> object:
        snapshot = engine.snapshot(COLLECTION)
        postings = snapshot.postings.lookup(terms[question])
        scores, best = snapshot.rank_keyword(postings, SIZE, snapshot.store.closed(viewer))
        return best, scores[best]

    timed: dict[str, Callable[[int], object]] = {
        "keyword ranking": keyword_ranking,
        "keyword hits": lambda q: engine.search(COLLECTION, KeywordQuery(terms[q], SIZE), None, viewer),
        "numpy product": lambda q: bare_product(vectors, asked[q], SIZE),
        "vector hits": lambda q: engine.search(COLLECTION, None, VectorQuery(asked[q], SIZE), viewer),
        "retrieve": lambda q: retrieve(material.questions[q], COLLECTION, stages, Options(), viewer),
    }
    try:
        rival = Bm25s([analyze(c.search_text) for c in tqdm(material.chunks, desc="tokens", leave=False)], terms)
    except ImportError:
        print("bm25s 未安装，跳过与它的对比；可运行 .venv/bin/pip install bm25s。")
        return timed
    return {
        "bm25s.retrieve": lambda q: rival.retrieve(q, SIZE),
        "bm25s direct": lambda q: rival.direct(q, SIZE),
        **timed,
    }


def disagreement(material: Material, timed: dict[str, Callable[[int], object]], questions: int = 20) -> float | None:
    """Largest relative difference between bm25s' best scores and the engine's own, None without bm25s.

    bm25s leaves the constant factor k1 + 1 out.
    """
    if "bm25s direct" not in timed:
        return None
    worst = 0.0
    for question in range(min(questions, len(material.questions))):
        theirs = np.asarray(timed["bm25s direct"](question)[0], dtype=np.float64) * (K1 + 1)  # type: ignore[index]
        ours = timed["keyword ranking"](question)[1]  # type: ignore[index]
        theirs = theirs[theirs > 0][: len(ours)]
        worst = max(worst, float(np.max(np.abs(theirs - ours) / ours, initial=0.0)))
    return worst
