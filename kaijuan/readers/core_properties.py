"""What an office file says about itself in docProps/core.xml: its title and the day it was last changed.

>>> _day("2026-03-05T16:11:08Z"), _day("")
('2026-03-05', None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from kaijuan.readers.archive import Archive
from kaijuan.readers.dates import parse_date

_PART = "docProps/core.xml"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_MODIFIED = "{http://purl.org/dc/terms/}modified"
# What programs write by themselves says nothing about the document.
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|excel)\b.*|(?:word|excel) document|(?:文档|工作簿|document|book|workbook)\s*\d*|无标题|untitled|标题|title)",
    re.IGNORECASE,
)
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class CoreProperties:
    """Title and ISO day of the last change, None where the file does not say."""

    title: str | None = None
    modified: str | None = None


def core_properties(archive: Archive) -> CoreProperties:
    """Properties of an office file; a damaged part counts as missing, and nothing is ever made up for it."""
    try:
        root = ElementTree.fromstring(archive.read(_PART))
    except (ElementTree.ParseError, ValueError, LookupError):
        return CoreProperties()
    title = " ".join((root.findtext(_TITLE) or "").split())
    if _NO_TITLE.fullmatch(title) or len(title) > _LONGEST_TITLE:
        title = ""
    return CoreProperties(title or None, _day(root.findtext(_MODIFIED) or ""))


def _day(written: str) -> str | None:
    return parse_date(written.strip().replace("T", " "))
