"""Plain text files: the text as it is; the title comes from the front matter or the file's name."""

from __future__ import annotations

from pathlib import PurePosixPath

from kaijuan.readers.front_matter import FrontMatter
from kaijuan.types import Document


def plain_document(text: str, matter: FrontMatter, path: str) -> Document:
    """Document of a plain text; `path` is relative to the folder and is the id unless the front matter has one."""
    return Document(
        id=matter.id or path,
        title=matter.title or PurePosixPath(path).stem,
        text=text,
        path=path,
        updated=matter.updated,
        department=matter.department,
        kind=matter.kind,
        audience=matter.audience,
        syntax="plain",
    )
