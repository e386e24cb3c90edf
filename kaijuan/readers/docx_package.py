"""The parts of a Word file that its text rests on, found by their relationships.

The package is opened here and not by python-docx, which gives up on a file whose picture is missing, on files with
macros and on strict ones; its parser and elements are used for what is inside.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict

from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.oxml.xmlchemy import BaseOxmlElement

from kaijuan.readers.archive import Archive, damaged
from kaijuan.readers.core_properties import CoreProperties, core_properties

_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_USUAL = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"


class WordPackage:
    """A Word file by its parts; kinds are the last words of relationship types ("styles", "footnotes", "header")."""

    def __init__(self, data: bytes, name: str) -> None:
        """Open the file `name`; raises ReadError when it is no Word file or cannot be read."""
        self._name = name
        self._archive = Archive(data, name)
        main = next(iter(self._related("")["officeDocument"]), "word/document.xml")
        document = self._parse(main)
        body = document.find(qn("w:body")) if document is not None else None
        if body is None:
            raise damaged(name)
        self.body: BaseOxmlElement = body
        self._parts = self._related(main)

    def properties(self) -> CoreProperties:
        """What the file says about itself."""
        return core_properties(self._archive)

    def roots(self, kind: str) -> list[BaseOxmlElement]:
        """Root elements of the parts of this kind, in the order of their names; raises ReadError for a damaged one."""
        parsed = (self._parse(part) for part in sorted(self._parts[kind]))
        return [root for root in parsed if root is not None]

    def root(self, kind: str) -> BaseOxmlElement | None:
        """Root element of the one part of this kind, None where there is none."""
        return next(iter(self.roots(kind)), None)

    def _parse(self, part: str) -> BaseOxmlElement | None:
        data = self._archive.read(part)
        if not data:
            return None
        try:
            return parse_xml(data.replace(_STRICT, _USUAL))
        except (SyntaxError, ValueError) as error:  # what lxml says of broken XML is a SyntaxError
            raise damaged(self._name) from error

    def _related(self, part: str) -> defaultdict[str, list[str]]:
        """Names of the parts that a part points at, by kind."""
        folder, base = posixpath.split(part)
        found: defaultdict[str, list[str]] = defaultdict(list)
        relations = self._parse(posixpath.join(folder, "_rels", f"{base}.rels"))
        for relation in relations if relations is not None else ():
            if relation.get("TargetMode") != "External" and relation.get("Type"):
                target = posixpath.join("/", folder, relation.get("Target", ""))
                found[posixpath.basename(relation.get("Type"))].append(posixpath.normpath(target).lstrip("/"))
        return found
