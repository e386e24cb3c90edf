"""`cite.*`: citation markers of a whole answer and of the same answer streamed in every small piece size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kaijuan.answering.citations import CitationReader, Cited, pieces, resolve
from tests.field.cases import Case
from tests.field.outcome import Mismatch, compare, distinct, equal, holds, lacks
from tests.field.staging import Workshop

#: Sizes of the pieces in which an answer is streamed.
_SIZES = (1, 2, 3)
_MARKER = re.compile(r"\[(\d+)\]")


def run(case: Case, workshop: Workshop) -> None:
    """Resolve the answer whole and streamed; all ways must agree before anything is compared."""
    case.only_inputs("answer", "pieces", "candidates", "candidate_ids")
    ids = [str(id_) for id_ in case.input.get("candidate_ids", ())]
    count = int(case.input.get("candidates", len(ids)))
    given = case.input.get("pieces")
    text = "".join(given) if given is not None else str(case.input["answer"])
    cited = resolve(text, count)
    prefixes = []
    for cut in [*([given] if given is not None else []), *(list(pieces(text, size)) for size in _SIZES)]:
        streamed, shown = _stream(cut, count)
        prefixes += shown
        if streamed != cited:
            raise Mismatch("streamed and whole differ", cited, streamed)
    compare(
        case.exact,
        {
            "cited": equal(cited.cited),
            "removed": equal(distinct(cited.removed)),
            "keeps": holds(cited.text, "answer"),
            "lacks": lacks(cited.text, "answer"),
            "links": lambda wanted: _links(wanted, text, cited, ids or [str(n) for n in range(1, count + 1)]),
            "supported": equal(bool(cited.cited)),
            "never_shown": lambda unwanted: _never_shown(unwanted, prefixes),
        },
    )


def _stream(cut: Iterable[str], count: int) -> tuple[Cited, list[str]]:
    """The answer from a stream, and all that stood on the page on the way."""
    reader = CitationReader(range(1, count + 1))
    shown, prefixes = "", []
    for piece in cut:
        shown += reader.feed(piece)
        prefixes.append(shown)
    shown += reader.close()
    return Cited(shown, tuple(reader.cited), tuple(reader.removed)), [*prefixes, shown]


def _links(wanted: dict[str, str], text: str, cited: Cited, ids: Sequence[str]) -> None:
    """Each number opens the candidate that the model saw under it, also where numbers are shown renewed from 1."""
    got = {str(number): ids[number - 1] for number in cited.cited}
    if got != wanted:
        raise Mismatch("links", wanted, got)
    reader = CitationReader(range(1, len(ids) + 1), renumber=True)
    renewed = reader.feed(text) + reader.close()
    sources = {reader.shown(number): ids[number - 1] for number in reader.cited}
    opened = [sources.get(int(number)) for number in distinct(_MARKER.findall(renewed))]
    if opened != [wanted[str(number)] for number in cited.cited]:
        raise Mismatch("links of renewed numbers", list(wanted.values()), opened)


def _never_shown(unwanted: Any, prefixes: Sequence[str]) -> None:
    for words in unwanted:
        for shown in prefixes:
            if words in shown:
                raise Mismatch("stood on the page for a moment", f"no {words}", shown)
