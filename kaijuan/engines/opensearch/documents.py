"""A chunk's form on the server, and who may read it.

The field `search` gets the tokens of kaijuan.text.analyze, not the text: folding radicals, traditional characters,
spaced-out lines and the further spellings of codes are beyond the server's analyzers. Terms are parted by blanks; the
extra spellings hang on them by "|" and are indexed at the same place, so that they can be found and add no length.

>>> token_line(analyze("SF-3000 打不开"))
'sf-3000|sf3000|sf 打不|3000|打 不开|不|开'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple
from hashlib import blake2b
from typing import Any

from kaijuan.text import Analysis, analyze
from kaijuan.types import Chunk, Standing, Viewer

#: Lucene takes no term above 32,766 bytes, the server no document id above 512.
_LONGEST_TERM, _LONGEST_ID = 256, 400
#: Mark of passages open to everybody; those of a group carry "g:" and its name.
_EVERYBODY = "everybody"

Json = dict[str, Any]


def stored_term(term: str) -> str:
    """A term as indexed and asked for: itself, or for a monstrously long one its beginning and a hash."""
    return term if len(term) <= _LONGEST_TERM else _shortened(term, _LONGEST_TERM)


def document_id(chunk_id: str) -> str:
    """Id of a chunk's document on the server."""
    return chunk_id if len(chunk_id.encode("utf-8")) <= _LONGEST_ID else _shortened(chunk_id, _LONGEST_ID // 4)


def _shortened(text: str, length: int) -> str:
    return f"{text[: length - 32]}{blake2b(text.encode('utf-8'), digest_size=16).hexdigest()}"


def token_line(analysis: Analysis) -> str:
    """Tokens in one line; the extras are spread evenly over the terms."""
    terms, extras = _stored(analysis.terms), _stored(analysis.extras)
    if not terms or not extras:
        return " ".join(terms)
    # Places do not matter, only what shares one: phrases are not searched. By columns, since by groups it takes
    # three times as long, and an ingest makes a line of every chunk.
    share = -(-len(extras) // len(terms))
    whole = len(extras) // share
    groups = map("|".join, zip(terms, *(extras[place::share] for place in range(share)), strict=False))
    rest = ["|".join((*terms[whole : whole + 1], *extras[whole * share :])), *terms[whole + 1 :]]
    return " ".join([*groups, *rest]) if whole < len(terms) else " ".join(groups)


def _stored(tokens: tuple[str, ...]) -> tuple[str, ...]:
    if max(map(len, tokens), default=0) <= _LONGEST_TERM:
        return tokens
    return tuple(map(stored_term, tokens))


def repeats(analysis: Analysis) -> str:
    """Tokens that stand in a text more than once, with their counts; looked up by `frequency`.

    >>> repeats(analyze("退货，退货"))
    ' 退货=2 退=2 货=2 '
    """
    counts = Counter((*_stored(analysis.terms), *_stored(analysis.extras)))
    return "".join([*(f" {token}={count}" for token, count in counts.items() if count > 1), " "])


def repeat_mark(token: str) -> str:
    """What stands in `repeats` before the count of a token."""
    return f" {token}="


def frequency(mark: str, repeated: str) -> int:
    """How often the token of a `repeat_mark` stands in a text that holds it and has these repeats."""
    if mark not in repeated:
        return 1
    start = repeated.index(mark) + len(mark)
    return int(repeated[start : repeated.index(" ", start)])


def to_document(chunk: Chunk, analysis: Analysis, build: str) -> Json:
    """The document of a chunk, without its vector."""
    return {
        "id": chunk.id,
        "source_id": chunk.source_id,
        "position": chunk.position,
        "readers": [f"g:{group}" for group in chunk.audience] or [_EVERYBODY],
        "search": token_line(analysis),
        "length": len(analysis.terms),
        "repeats": repeats(analysis),
        "build": build,
        "chunk": {
            "title": chunk.title,
            "text": chunk.text,
            "headings": chunk.headings,
            "start": chunk.start,
            "end": chunk.end,
            "updated": chunk.updated,
            "department": chunk.department,
            "kind": chunk.kind,
            "audience": chunk.audience,
            "id": chunk.id,
            "source_id": chunk.source_id,
            "position": chunk.position,
            "standing": None if chunk.standing is None else astuple(chunk.standing),
            "page": chunk.page,
            "path": chunk.path,
        },
    }


def analysis_of(chunk: Chunk) -> Analysis:
    """Tokens of what both legs index of a chunk."""
    return analyze(chunk.search_text)


def from_source(source: Json) -> Chunk:
    """The chunk in a document's source."""
    stored = source["chunk"]
    # By place: a hundred chunks a question, and by name they take twice the time.
    return Chunk(
        stored["id"],
        stored["source_id"],
        stored["title"],
        stored["text"],
        tuple(stored["headings"]),
        stored["position"],
        stored["start"],
        stored["end"],
        stored["updated"],
        stored["department"],
        stored["kind"],
        tuple(stored["audience"]),
        Standing(*standing) if (standing := stored.get("standing")) else None,
        stored.get("page"),
        stored.get("path", ""),
    )


def reader_filter(viewer: Viewer) -> list[Json]:
    """Filter clauses that let through what the viewer may read; none for someone who may read everything."""
    if viewer.sees_all:
        return []
    return [{"terms": {"readers": [_EVERYBODY, *(f"g:{group}" for group in sorted(viewer.groups))]}}]
