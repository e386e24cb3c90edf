"""One document of a text and of what is known about it."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import Literal

from kaijuan.readers.front_matter import FrontMatter
from kaijuan.types import Document


def document_of(
    text: str,
    matter: FrontMatter,
    path: str,
    title: str | None = None,
    syntax: Literal["markdown", "plain"] = "markdown",
) -> Document:
    """Document of a text; `path` is its id unless the front matter has one, and its stem the title of last resort."""
    return Document(
        # One spelling of the name on every system: macOS takes composed characters apart.
        id=matter.id or unicodedata.normalize("NFC", path),
        title=matter.title or title or PurePosixPath(path).stem,
        text=text,
        path=path,
        updated=matter.updated,
        department=matter.department,
        kind=matter.kind,
        audience=matter.audience,
        syntax=syntax,
        supersedes=matter.supersedes,
        standing=matter.standing,
    )
