"""Plain text files: the text as it is; the title comes from the front matter or the file's name."""

from __future__ import annotations

from kaijuan.readers.document import document_of
from kaijuan.readers.front_matter import FrontMatter
from kaijuan.types import Document


def plain_document(text: str, matter: FrontMatter, path: str) -> Document:
    """Document of a plain text; `path` is relative to the folder and is the id unless the front matter has one."""
    return document_of(text, matter, path, syntax="plain")
