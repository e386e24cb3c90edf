"""A question as one `_msearch/template` request: both legs, and the counts of terms not met before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kaijuan.engines.base import KeywordQuery, VectorQuery
from kaijuan.engines.opensearch.catalogue import Held, Known
from kaijuan.engines.opensearch.client import numbers
from kaijuan.engines.opensearch.documents import Json, reader_filter, stored_term
from kaijuan.types import Viewer

#: The server takes 1024 clauses in a query.
MOST_TERMS = 1000
#: Up to this many chunks every vector is compared; an HNSW graph is quicker beyond, and may miss some.
EXACT_UP_TO = 20_000
#: Lucene walks its graph with as many candidates as neighbours are asked for; fewer than this miss too many.
_CANDIDATES = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What goes into one question; `terms` are at most MOST_TERMS of the query's, `remembered` their known frequencies."""

    known: Known
    terms: tuple[str, ...]
    remembered: dict[str, Held]
    keyword: KeywordQuery | None
    vector: VectorQuery | None
    viewer: Viewer
    timeout: str
    #: Whether keyword scores were wanted, also where no term is left to search for and every score is 0.
    scored: bool = False

    @property
    def exact(self) -> bool:
        """Whether the vector leg compares every vector."""
        return self.known.stored.counts.chunks <= EXACT_UP_TO

    @property
    def unknown(self) -> list[str]:
        """Terms whose frequency has yet to be asked for."""
        return [term for term in self.terms if term not in self.remembered]


def keyword_window(query: KeywordQuery) -> int:
    """How many hits to ask Lucene for, so that the best by exact lengths are among them.

    A length that Lucene rounds moves a score by a few per cent, past a handful of places; another k1 or b than the
    build's moves it further.
    """
    own = query.k1 is not None or query.b is not None
    return min(10_000, 4 * query.size + 100 if own else query.size + max(10, query.size // 5))


def lines(asked: Asked, target: str, ids: dict[str, str]) -> list[Json]:
    """Header and template of each search in turn: keyword leg, vector leg, one count for each unknown term.

    `target` is what the legs are asked of; the counts are asked of the very index they are remembered for.
    """
    made: list[Json] = []
    index = asked.known.stored.index
    if asked.keyword is not None:
        made += [{"index": target}, {"id": ids["keyword"], "params": _keyword(asked, asked.keyword)}]
    if asked.vector is not None:
        made += [{"index": target}, {"id": ids["vector"], "params": _vector(asked, asked.vector)}]
    for term in asked.unknown:
        made += [{"index": index}, {"id": ids["weight"], "params": _weight(asked, term)}]
    return made


def _keyword(asked: Asked, query: KeywordQuery) -> Json:
    return {
        "size": keyword_window(query),
        "timeout": asked.timeout,
        "terms": _named(asked.terms),
        "filter": reader_filter(asked.viewer),
        # The cosine of every keyword hit, those among them that the vector leg does not return.
        "cosines": asked.vector is not None,
        "vector": numbers(asked.vector.vector) if asked.vector is not None else "",
    }


def _vector(asked: Asked, query: VectorQuery) -> Json:
    readers = reader_filter(asked.viewer)
    terms = [_reported(_named(asked.terms))] if asked.terms else []
    return {
        "size": query.size,
        "k": max(2 * query.size, _CANDIDATES),
        "timeout": asked.timeout,
        # As text: the server would read 512 numbers one by one, only to write them again.
        "vector": numbers(query.vector),
        "exact": asked.exact,
        "restricted": bool(readers),
        "filter": readers,
        "terms_only": terms,
        "filter_and_terms": [*readers, *terms],
    }


def _weight(asked: Asked, term: str) -> Json:
    return {
        "term": {"search": {"value": stored_term(term)}},
        "filter": reader_filter(asked.viewer),
        "timeout": asked.timeout,
    }


def _named(terms: Sequence[str]) -> list[Json]:
    return [{"term": {"search": {"value": stored_term(t), "_name": str(n)}}} for n, t in enumerate(terms)]


def _reported(clauses: Sequence[Json]) -> Json:
    """A filter that lets everything through: its named clauses say which of them each hit fulfils and change nothing."""
    return {"bool": {"should": [{"match_all": {}}, *clauses]}}
