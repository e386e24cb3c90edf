"""What a reader of office and web files hands over: the file as Markdown, and what it says about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Converted:
    """One file as Markdown text with LF line ends.

    `title` and `updated` (ISO day) are None where the file does not say them. `warnings` are sentences about what was
    left out or deserves a look. `pages` are character offsets at which pages begin, empty for files without pages.
    """

    text: str
    title: str | None
    updated: str | None
    warnings: tuple[str, ...]
    pages: tuple[int, ...] = ()
