"""What can be asked of a document and its chunks: the checks of reading cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kaijuan.text import sentences
from kaijuan.types import Chunk, Document
from tests.field.outcome import Check, Later, Mismatch, at_least, at_most, equal, holds, lacks, listed, occurs

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t>]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_FENCE_LINE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})", re.MULTILINE)
_ITEM_LINE = re.compile(r"^([ \t]+)(?:[-*+]|\d{1,9}[.)])\s.*$", re.MULTILINE)
_RULE_ROW = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\Z")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Passages:
    """A document and the chunks that were made of it; `records` says how many documents its file gave."""

    document: Document
    chunks: tuple[Chunk, ...]
    records: int = 1

    @classmethod
    def of(cls, documents: Sequence[Document], chunks: Sequence[Sequence[Chunk]]) -> Passages:
        """Of the documents of one file and the chunks of each; several are looked at as if they were one text."""
        if len(documents) == 1:
            return cls(documents[0], tuple(chunks[0]))
        text, moved = "", []
        for document, pieces in zip(documents, chunks, strict=True):
            moved += [replace(piece, start=piece.start + len(text), end=piece.end + len(text)) for piece in pieces]
            text += document.text + "\n\n"
        return cls(replace(documents[0], text=text), tuple(moved), len(documents))

    def own(self, chunk: Chunk) -> str:
        """The chunk's own part of the document, without what is repeated at its head."""
        return self.document.text[chunk.start : chunk.end]

    def check_whole(self, overlap: int) -> None:
        """What holds of every cut: nothing lost, nothing made up, ids of their own, no text twice without overlap."""
        text = self.document.text
        missing = [text[i] for i in sorted(set(range(len(text))) - self._covered()) if not text[i].isspace()]
        if missing:
            raise Mismatch("characters that no chunk holds", "none", "".join(missing))
        for chunk in self.chunks:
            if self.own(chunk) not in chunk.text:
                raise Mismatch(f"{chunk.id} does not show its own text", self.own(chunk), chunk.text)
        if len({chunk.id for chunk in self.chunks}) != len(self.chunks):
            raise Mismatch("ids are not distinct", "distinct", [chunk.id for chunk in self.chunks])
        if overlap == 0 and sum(c.end - c.start for c in self.chunks) != len(self._covered()):
            raise Mismatch("text stands in two chunks although no overlap is set")

    def total(self) -> int:
        """Characters of the document that the chunks hold between them."""
        return len(self._covered())

    def with_own(self, words: str) -> list[Chunk]:
        """Chunks in whose own part the words are."""
        return [chunk for chunk in self.chunks if occurs(words, self.own(chunk))]

    def table_rows(self) -> list[str]:
        """Data rows of the document's Markdown tables, as written."""
        return [row for _, rows in self._tables() for row in rows]

    def columns(self) -> list[str]:
        """Header cells of the document's first Markdown table."""
        header = next((header for header, _ in self._tables()), "")
        return [cell.strip() for cell in _BAR.split(header.strip().strip("|"))] if header else []

    def _tables(self) -> list[tuple[str, list[str]]]:
        lines = self.document.text.split("\n")
        tables = []
        for at in range(len(lines) - 1):
            if "|" in lines[at] and "|" in lines[at + 1] and _RULE_ROW.match(lines[at + 1]):
                end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n]), len(lines))
                tables.append((lines[at], lines[at + 2 : end]))
        return tables

    def _covered(self) -> set[int]:
        return {i for chunk in self.chunks for i in range(chunk.start, chunk.end)}


def passage_checks(passages: Passages | None, sizes: Mapping[str, int]) -> dict[str, Check]:
    """The checks by key; without passages only their names are of use."""
    made = passages or Passages(Document("", "", ""), ())
    text = made.document.text
    everything = "\n".join([text, *(chunk.search_text for chunk in made.chunks)])
    longest = max((len(chunk.text) for chunk in made.chunks), default=0)
    return {
        "contains": holds(text),
        "lacks": lacks(everything),
        "lacks_glued": lacks(everything),
        "contains_any": lambda groups: _contains_any(groups, text),
        "count": lambda wanted: _count(wanted, made, sizes["overlap_chars"] == 0, lambda got, n: got == n),
        "count_at_most": lambda wanted: _count(wanted, made, sizes["overlap_chars"] == 0, lambda got, n: got <= n),
        "order": lambda wanted: _order(wanted, text),
        "together": lambda groups: _together(groups, made),
        "heading": lambda wanted: _heading(wanted, made),
        "headings_lack": lambda names: _headings_lack(names, made),
        "row_with_header": lambda wanted: _row_with_header(wanted, made),
        "rows": lambda wanted: _rows(wanted, made),
        "rows_intact": equal(all(_stands_in_one(row, made) for row in made.table_rows())),
        "columns": equal(made.columns()),
        "records": equal(made.records),
        "title": equal(made.document.title),
        "date": equal(made.document.updated),
        "max_chars": at_most(longest),
        "min_chunks": at_least(len(made.chunks)),
        "chunks": equal(len(made.chunks)),
        "total_chars": equal(made.total()),
        "whole_sentences": lambda wanted: _whole_sentences(wanted, made),
        "ids_distinct": equal(len({chunk.id for chunk in made.chunks}) == len(made.chunks)),
        "fence_torn": equal(_fence_torn(made, sizes["chunk_chars"])),
        "nesting_kept": equal(all(_stands_in_one(m.group(), made) for m in _ITEM_LINE.finditer(text))),
    }


def _contains_any(groups: Any, text: str) -> None:
    for group in groups if groups and isinstance(groups[0], list) else [groups]:
        if not any(occurs(words, text) for words in group):
            raise Mismatch("none of the group is there", group, text)


def _count(wanted: dict[str, int], made: Passages, disjoint: bool, fits: Callable[[int, int], bool]) -> None:
    for words, number in wanted.items():
        counts = {"document": made.document.text.count(words)}
        if disjoint:
            counts["chunks"] = sum(made.own(chunk).count(words) for chunk in made.chunks)
        if not all(fits(got, number) for got in counts.values()):
            raise Mismatch(f"times of “{words[:20]}”", number, counts)


def _order(wanted: Sequence[str], text: str) -> None:
    at = 0
    for words in wanted:
        found = text.find(words, at)
        if found < 0:
            raise Mismatch("not in this order", words, text[at : at + 80])
        at = found + len(words)


def _together(groups: Sequence[Sequence[str]], made: Passages) -> None:
    for group in groups:
        if not any(all(occurs(words, chunk.search_text) for words in group) for chunk in made.chunks):
            raise Mismatch("no chunk holds the group", group, [chunk.text for chunk in made.chunks])


def _heading(wanted: Sequence[Mapping[str, Any]], made: Passages) -> None:
    for one in wanted:
        if unknown := set(one) - {"needle", "path", "path_ends"}:
            raise Later(f"unknown key heading.{', '.join(sorted(unknown))}")
        found = made.with_own(one["needle"])
        if not found:
            raise Mismatch("no chunk holds the needle", one["needle"], [chunk.text for chunk in made.chunks])
        for path in (list(chunk.headings) for chunk in found):
            ends = one.get("path_ends", one.get("path", []))
            if ("path" in one and path != one["path"]) or path[len(path) - len(ends) :] != ends:
                raise Mismatch(f"heading path of “{one['needle']}”", ends, path)


def _headings_lack(names: Any, made: Passages) -> None:
    for chunk in made.chunks:
        for name in listed(names):
            if name in chunk.headings:
                raise Mismatch("taken for a heading", f"no {name}", list(chunk.headings))


def _row_with_header(wanted: Any, made: Passages) -> None:
    for one in listed(wanted):
        for row in listed(one["rows"]):
            found = [chunk for chunk in made.chunks if occurs(row, chunk.text)]
            if not found:
                raise Mismatch("no chunk holds the row", row, [chunk.text for chunk in made.chunks])
            for chunk in found:
                if lost := [cell for cell in listed(one["header"]) if not occurs(cell, chunk.text)]:
                    raise Mismatch(f"the row {row} has no header", lost, chunk.text)


def _rows(wanted: Any, made: Passages) -> None:
    rows = made.table_rows()
    equal(len(rows))(wanted)
    kept = sum(made.own(chunk).split("\n").count(row) for row in dict.fromkeys(rows) for chunk in made.chunks)
    if kept < wanted:
        raise Mismatch("whole rows in the chunks", wanted, kept)


def _stands_in_one(line: str, made: Passages) -> bool:
    return any(line.rstrip() in chunk.text for chunk in made.chunks)


def _whole_sentences(wanted: Mapping[str, Any], made: Passages) -> None:
    text = made.document.text
    spans = sentences(text)
    said = [text[start:end] for start, end in spans]
    first = next((n for n, sentence in enumerate(said) if sentence.startswith(wanted["from"])), None)
    last = next((n for n, sentence in enumerate(said) if sentence.startswith(wanted["to"])), None)
    if first is None or last is None:
        raise Mismatch("the sentences are not there", [wanted["from"], wanted["to"]], said[:2])
    whole = [sentence for sentence in said[first : last + 1] if any(sentence in chunk.text for chunk in made.chunks)]
    if len(whole) != wanted["count"]:
        raise Mismatch("sentences that one chunk holds whole", wanted["count"], len(whole))
    ends = {end for _, end in spans}
    if torn := [made.own(chunk)[-20:] for chunk in made.chunks if chunk.end not in ends]:
        raise Mismatch("chunks that end inside a sentence", "none", torn)


def _fence_torn(made: Passages, limit: int) -> bool:
    """Whether a chunk holds half a fence, or one that would fit is spread over several."""
    if any(len(_FENCE_LINE.findall(chunk.text)) % 2 for chunk in made.chunks):
        return True
    fences = (match.group() for match in _FENCE.finditer(made.document.text))
    return any(len(fence) <= limit and not _stands_in_one(fence, made) for fence in fences)
