"""The server's answer to a question, read into hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kaijuan.engines.base import SearchResult
from kaijuan.engines.opensearch.catalogue import Held
from kaijuan.engines.opensearch.documents import Json, from_source
from kaijuan.engines.opensearch.faults import of_status, reason
from kaijuan.engines.opensearch.question import MOST_TERMS, Asked
from kaijuan.engines.opensearch.scoring import Holding, Scorer, idf
from kaijuan.errors import EngineError
from kaijuan.types import Chunk, Hit, Notice, TermScore

_LEGS = {"keyword": "关键词", "vector": "向量"}


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the server, part by part; a leg that was not asked is None."""

    keyword: Json | None
    vector: Json | None
    counts: tuple[Json, ...]

    @staticmethod
    def of(asked: Asked, responses: Sequence[Json]) -> Reply:
        """The parts of a multi-search answer to a question."""
        rest = list(responses)
        keyword = rest.pop(0) if asked.keyword is not None else None
        vector = rest.pop(0) if asked.vector is not None else None
        return Reply(keyword, vector, tuple(rest))

    def parts(self) -> list[Json]:
        """All parts there are."""
        return [part for part in (self.keyword, self.vector, *self.counts) if part is not None]

    def builds(self) -> set[str]:
        """Marks of the builds that hits came from."""
        return {str(hit["_source"]["build"]) for part in (self.keyword, self.vector) for hit in _hits(part)}

    def busy(self) -> bool:
        """Whether the server put a part off."""
        return any(part.get("status") in (429, 503) for part in self.parts())

    def failed_with(self, kind: str) -> bool:
        """Whether a part failed with an error of this type."""
        return any(part["error"].get("type") == kind for part in self.parts() if isinstance(part.get("error"), dict))


class _Row(NamedTuple):
    """One hit before it gets its rank; its chunk is made only when it is among those returned."""

    chunk_id: str
    score: float
    other: float | None
    terms: tuple[TermScore, ...]
    source: Json


def read(asked: Asked, reply: Reply, url: str) -> SearchResult:
    """Hits of both legs; a leg that failed is empty with a notice. Raises EngineError when no leg that was asked answered."""
    known = asked.known
    notices = [notice for name, part in _legs(reply) if (notice := _notice(name, part, url))]
    failed = [part for _, part in _legs(reply) if "error" in part]
    if failed and len(failed) == len(_legs(reply)):
        raise _error(failed[0], url)
    own = asked.keyword
    frequencies = asked.remembered | _counted(asked, reply, url)
    known.remember(frequencies, asked.viewer)
    everywhere = {term: held.everywhere for term, held in frequencies.items()}
    scorer = Scorer(known.stored, asked.terms, everywhere, own.k1 if own else None, own.b if own else None)
    by_keyword = _keyword_rows(reply.keyword, scorer, own.size) if own else []
    by_vector = _vector_rows(reply.vector, scorer, with_keyword=asked.scored)
    # The very score of the vector leg where it returned the passage too.
    cosines, scores = {r.chunk_id: r.score for r in by_vector}, {r.chunk_id: r.score for r in by_keyword}
    made: dict[str, Chunk] = {}
    if own is not None and len(own.terms) > MOST_TERMS:
        notices.append(Notice("keyword", f"问题有 {len(own.terms)} 个检索词，只用了前 {MOST_TERMS} 个，请缩短问题。"))
    return SearchResult(
        version=known.stored.version,
        keyword=_ranked(by_keyword, cosines, made),
        vector=_ranked(by_vector, scores, made),
        # A weight must not tell of a passage that the viewer may not read.
        term_weights={term: idf(known.stored.counts.chunks, frequencies[term].open) for term in asked.terms},
        notices=tuple(notices),
    )


def _counted(asked: Asked, reply: Reply, url: str) -> dict[str, Held]:
    for count in reply.counts:
        if "error" in count:
            raise _error(count, url)
    return {
        term: Held(int(count["hits"]["total"]["value"]), int(count["aggregations"]["open"]["doc_count"]))
        for term, count in zip(asked.unknown, reply.counts, strict=True)
    }


def _legs(reply: Reply) -> list[tuple[str, Json]]:
    return [(name, part) for name, part in (("keyword", reply.keyword), ("vector", reply.vector)) if part is not None]


def _hits(part: Json | None) -> list[Json]:
    return part["hits"]["hits"] if part is not None and "hits" in part else []


def _keyword_rows(part: Json | None, scorer: Scorer, size: int) -> list[_Row]:
    hits = _hits(part)
    rows = []
    for hit, terms in zip(hits, _shares(hits, scorer), strict=True):
        source = hit["_source"]
        cosine = hit["fields"]["cosine"][0] if "fields" in hit else None
        rows.append(_Row(source["chunk"]["id"], sum([term.score for term in terms]), cosine, terms, source))
    return sorted(rows, key=lambda row: (-row.score, row.chunk_id))[:size]


def _vector_rows(part: Json | None, scorer: Scorer, with_keyword: bool) -> list[_Row]:
    hits = _hits(part)
    rows = []
    for hit, terms in zip(hits, _shares(hits, scorer), strict=True):
        cosine = 2.0 * hit["_score"] - 1.0  # the score is (1 + cosine) / 2, by script and by graph
        other = float(sum([term.score for term in terms])) if with_keyword else None
        source = hit["_source"]
        rows.append(_Row(source["chunk"]["id"], cosine, other, terms, source))
    return sorted(rows, key=lambda row: (-row.score, row.chunk_id))


def _shares(hits: Sequence[Json], scorer: Scorer) -> list[tuple[TermScore, ...]]:
    holdings = []
    for hit in hits:
        source, matched = hit["_source"], hit.get("matched_queries", ())
        holdings.append(Holding(sorted([int(name) for name in matched]), source["length"], source["repeats"]))
    return scorer.shares(holdings)


def _ranked(rows: Iterable[_Row], others: Mapping[str, float], made: dict[str, Chunk]) -> tuple[Hit, ...]:
    """Hits in the order of the rows; `made` keeps the chunks, so that a passage in both legs is made once."""
    hits = []
    for rank, row in enumerate(rows, 1):
        chunk = made.get(row.chunk_id)
        if chunk is None:
            chunk = made[row.chunk_id] = from_source(row.source)
        hits.append(Hit(chunk, rank, row.score, others.get(row.chunk_id, row.other), row.terms))
    return tuple(hits)


def _notice(name: str, part: Json, url: str) -> Notice | None:
    leg = _LEGS[name]
    if "error" in part:
        return Notice(name, f"{leg}检索没有成功，结果只来自另一路：{_error(part, url)}")
    if part.get("timed_out") or part.get("_shards", {}).get("failed"):
        return Notice(name, f"{leg}检索没有在规定时间内完成，结果可能不全，请稍后重试。")
    return None


def _error(part: Json, url: str) -> EngineError:
    error: Any = part["error"]
    kind = str(error.get("type", "")) if isinstance(error, dict) else ""
    return of_status(url, part.get("status", 500), kind, reason(part))
