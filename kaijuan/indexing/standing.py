"""Which documents were superseded by others: what one says it replaces is no longer in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kaijuan.text import fold
from kaijuan.types import Document, Standing


def with_standing(documents: Sequence[Document]) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """The documents, those that another one supersedes marked so, and sentences about names that fit none.

    A document is named by its id, its path or its title; one that names itself, or is superseded by a draft or by a
    withdrawn document, stays as it is. Of several that supersede one, the newest counts, then the last by id. It is
    named only where every reader of the superseded document may read it too.
    """
    by_name = _names(documents)
    heirs: dict[str, Document] = {}
    warnings = []
    for document in sorted(documents, key=lambda d: (d.updated or "", d.id)):
        if document.standing is not None and document.standing.status != "in_force":
            continue
        for name in document.supersedes:
            replaced = by_name.get(fold(name))
            if replaced is None:
                said = f"{document.path or document.id} 写明取代“{name}”，但集合里没有这份资料，请核对编号或标题。"
                warnings.append(said)
            elif replaced.id != document.id:
                heirs[replaced.id] = document
    marked = tuple(_superseded(d, heirs[d.id]) if d.id in heirs else d for d in documents)
    return marked, tuple(warnings)


def _names(documents: Sequence[Document]) -> dict[str, Document]:
    """Documents by everything they may be called; ids before paths before titles."""
    names: dict[str, Document] = {}
    for attribute in ("id", "path", "title"):
        for document in documents:
            if name := fold(getattr(document, attribute)):
                names.setdefault(name, document)
    return names


def _superseded(document: Document, heir: Document) -> Document:
    before = document.standing or Standing()
    status = before.status if before.status == "withdrawn" else "superseded"
    if not _open_to_all_of(document, heir):
        return replace(document, standing=replace(before, status=status))
    return replace(document, standing=replace(before, status=status, by=heir.id, by_title=heir.title))


def _open_to_all_of(document: Document, heir: Document) -> bool:
    """Whether everybody who may read the document may read its heir: what one says must not name the other otherwise."""
    return not heir.audience or (bool(document.audience) and set(document.audience) <= set(heir.audience))
