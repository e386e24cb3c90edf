"""Where the wanted passage stands: in the documents on disk, and in the chunks of the index that answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kaijuan.chunking import chunk
from kaijuan.collection import Collection
from kaijuan.diagnosis.spelling import Spoiled, place_in, share, spoiled, squeeze
from kaijuan.diagnosis.types import WantedKind
from kaijuan.engines.base import BuildMeta, Engine, KeywordQuery
from kaijuan.errors import IndexMissing, QuestionError
from kaijuan.indexing.read_cache import ReadCache
from kaijuan.indexing.standing import with_standing
from kaijuan.readers import ReadResult, Skipped, read_folder, rules_of
from kaijuan.text import query_terms, sentences
from kaijuan.types import Chunk, Document, Viewer

#: Hits that are looked through for a text that no document on disk holds.
LOOKED_THROUGH = 50
#: A text of fewer letters stands everywhere.
SHORTEST = 4
#: Bytes of a file that was left out which are looked through for the text.
LARGEST_LEFT_OUT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Located:
    """The wanted passage on disk and in the index, as far as the examiner may see it.

    `document` is the one on disk, `cut` its chunks as they would be made now, `parts` those that hold some of the text,
    `whole` those that hold all of it. `indexed` are the index's chunks of that document, `targets` those that hold the
    wanted passage, or a part of it where none holds all. `others` are further documents with the same text. `meta` None means that there is no index at all.
    """

    kind: WantedKind
    needle: str
    meta: BuildMeta | None
    document: Document | None = None
    cut: tuple[Chunk, ...] = ()
    parts: tuple[Chunk, ...] = ()
    whole: tuple[Chunk, ...] = ()
    indexed: tuple[Chunk, ...] = ()
    targets: tuple[Chunk, ...] = ()
    span: tuple[int, int] | None = None
    left_out: tuple[Skipped, ...] = ()
    spoiled: Spoiled | None = None
    spoiled_in: str = ""
    others: tuple[str, ...] = ()
    wanted: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The wanted text's sentences, squeezed."""
        found = (squeeze(self.wanted[start:end]) for start, end in sentences(self.wanted))
        return tuple(sentence for sentence in found if len(sentence) >= SHORTEST)


def read_documents(collection: Collection, cache: Path | None, examiner: Viewer) -> ReadResult:
    """The documents on disk that are open to the examiner, as an ingest would read them now."""
    rules = rules_of(collection)
    if cache is None:
        read = read_folder(collection.folder, rules)
    else:
        with ReadCache(cache) as known:
            read = read_folder(collection.folder, replace(rules, in_front=known.in_front(rules)))
    standing, _ = with_standing(read.documents)
    return replace(read, documents=tuple(d for d in standing if examiner.may_read(d.audience)))


def locate(wanted: str, collection: Collection, engine: Engine, examiner: Viewer, read: ReadResult) -> Located:
    """Find a chunk id, a document id or path, or a text; raises QuestionError for a text too short to look for."""
    return replace(_locate(wanted.strip(), collection, engine, examiner, read), wanted=wanted.strip())


def _locate(wanted: str, collection: Collection, engine: Engine, examiner: Viewer, read: ReadResult) -> Located:
    name = collection.name
    try:
        meta: BuildMeta | None = engine.meta(name)
    except IndexMissing:
        meta = None
    known = {d.id: d for d in read.documents} | {d.path: d for d in read.documents if d.path}
    fetched = engine.fetch(name, [wanted], examiner) if meta else []
    if fetched:
        own = known.get(fetched[0].source_id)
        return _of_chunk(fetched[0], own, collection, engine, examiner, meta)
    if document := known.get(wanted):
        return _of_document(document.id, document, collection, engine, examiner, meta)
    if meta and engine.document(name, wanted, examiner):
        return _of_document(wanted, None, collection, engine, examiner, meta)
    if left := tuple(s for s in read.skipped if wanted in (s.path, Path(s.path).name, Path(s.path).stem)):
        return Located("document", "", meta, left_out=left)
    source_id, hash_, _ = wanted.rpartition("#")
    if hash_ and (document := known.get(source_id)):
        cut = _cut(document, collection)
        own_chunk = next((c for c in cut if c.id == wanted), None)
        if own_chunk:
            return replace(
                _of_text(squeeze(own_chunk.text), [document], collection, engine, examiner, meta), kind="chunk"
            )
    return _find_text(wanted, collection, engine, examiner, read, meta)


def _find_text(
    wanted: str, collection: Collection, engine: Engine, examiner: Viewer, read: ReadResult, meta: BuildMeta | None
) -> Located:
    needle = squeeze(wanted)
    if len(needle) < SHORTEST:
        raise QuestionError(
            f"“{wanted[:20]}”不是片段或资料的编号，作为原文又太短，请写编号，或至少 {SHORTEST} 个字的原文。"
        )
    if holding := [d for d in read.documents if needle in squeeze(d.text)]:
        return _of_text(needle, holding, collection, engine, examiner, meta)
    hits = _hits(wanted, collection.name, engine, examiner) if meta else []
    # What a file that was left out says, and to whom, nobody knows but who may see all.
    left = tuple(s for s in read.skipped if examiner.sees_all and _holds(collection.folder / s.path, needle))
    if found := tuple(c for c in hits if needle in squeeze(c.text)):
        indexed = tuple(engine.document(collection.name, found[0].source_id, examiner))
        return Located("text", needle, meta, whole=found, parts=found, indexed=indexed, targets=found, left_out=left)
    return _near(wanted, needle, hits, read.documents, Located("text", needle, meta, left_out=left))


def _near(wanted: str, needle: str, hits: Sequence[Chunk], documents: Sequence[Document], nowhere: Located) -> Located:
    """The text in a spoiled form: in the document that holds most of it."""
    texts = [(d.id, d.text) for d in documents] + [(c.id, c.text) for c in hits]
    for name, text in sorted(texts, key=lambda item: -share(needle, squeeze(item[1]))):
        if found := spoiled(wanted, text):
            return replace(nowhere, spoiled=found, spoiled_in=name)
    return nowhere


def _of_chunk(
    own: Chunk,
    document: Document | None,
    collection: Collection,
    engine: Engine,
    examiner: Viewer,
    meta: BuildMeta | None,
) -> Located:
    indexed = tuple(engine.document(collection.name, own.source_id, examiner))
    cut = _cut(document, collection) if document else ()
    span = (own.start, own.end)
    return Located("chunk", squeeze(own.text), meta, document, cut, (own,), (own,), indexed, (own,), span)


def _of_document(
    source_id: str,
    document: Document | None,
    collection: Collection,
    engine: Engine,
    examiner: Viewer,
    meta: BuildMeta | None,
) -> Located:
    indexed = tuple(engine.document(collection.name, source_id, examiner)) if meta else ()
    cut = _cut(document, collection) if document else ()
    return Located("document", "", meta, document, cut, cut, cut, indexed, indexed)


def _of_text(
    needle: str,
    holding: Sequence[Document],
    collection: Collection,
    engine: Engine,
    examiner: Viewer,
    meta: BuildMeta | None,
) -> Located:
    """A text that documents on disk hold; what is said of the disk is said of the first that the index holds too."""
    located = [_of_text_in(needle, document, collection, engine, examiner, meta) for document in holding]
    first = next((found for found in located if found.targets), located[0])
    # The same words in another document serve as well: whichever came farthest is followed.
    more = [c for found in located if found is not first for c in found.targets if needle in squeeze(c.text)]
    targets = (*first.targets, *more) if any(needle in squeeze(c.text) for c in first.targets) else first.targets
    return replace(first, targets=targets, others=tuple(d.id for d in holding if d is not first.document))


def _of_text_in(
    needle: str, document: Document, collection: Collection, engine: Engine, examiner: Viewer, meta: BuildMeta | None
) -> Located:
    cut = _cut(document, collection)
    indexed = tuple(engine.document(collection.name, document.id, examiner)) if meta else ()
    span = place_in(needle, document.text)
    whole = tuple(c for c in cut if needle in squeeze(c.text))
    parts = whole or _over(span, cut)
    targets = tuple(c for c in indexed if needle in squeeze(c.text))
    if not targets and span is not None and _is_held(document, span, over := _over(span, indexed)):
        targets = over
    return Located("text", needle, meta, document, cut, parts, whole, indexed, targets, span)


def _over(span: tuple[int, int] | None, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks that hold some of a stretch of the document."""
    return tuple(c for c in chunks if span and c.start < span[1] and c.end > span[0])


def _is_held(document: Document, span: tuple[int, int], chunks: Sequence[Chunk]) -> bool:
    """Whether chunks hold a stretch of the document as it is, apart from blanks between them."""
    if any(document.text[c.start : c.end] not in c.text for c in chunks):
        return False
    left, at = "", span[0]
    for own in sorted(chunks, key=lambda c: c.start):
        left += document.text[at : own.start]
        at = max(at, own.end)
    return not squeeze(left + document.text[at : span[1]])


def _cut(document: Document, collection: Collection) -> tuple[Chunk, ...]:
    return tuple(chunk(document, collection.chunk_chars, collection.overlap_chars))


def _hits(wanted: str, name: str, engine: Engine, examiner: Viewer) -> list[Chunk]:
    terms = query_terms(wanted)
    found = engine.search(name, KeywordQuery(terms, LOOKED_THROUGH), None, examiner) if terms else None
    return [hit.chunk for hit in found.keyword] if found else []


def _holds(file: Path, needle: str) -> bool:
    """Whether a file that was left out holds the text as plain text."""
    with suppress(OSError):
        if file.is_file() and file.stat().st_size <= LARGEST_LEFT_OUT:
            return needle in squeeze(file.read_bytes().decode("utf-8", "ignore"))
    return False
