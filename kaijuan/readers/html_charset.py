"""Bytes of a web page to text: by its mark, else as the page declares unless that is plainly wrong, else by evidence.

>>> page_text('<meta charset="gb2312"><p>退货</p>'.encode("gb18030"))
'<meta charset="gb2312"><p>退货</p>'
"""

from __future__ import annotations

import codecs
import re

from kaijuan.errors import CorpusError
from kaijuan.readers.decode import decode, ordinary

#: Bytes in which a page may declare its encoding.
_HEAD = 4096
_DECLARED = re.compile(
    rb"<meta\b[^>]*?charset\s*=\s*[\"']?\s*([a-z0-9_-]+)|<\?xml\b[^>]*?encoding\s*=\s*[\"']([a-z0-9_-]+)", re.IGNORECASE
)
#: Names that pages use for what is a part of a larger encoding, as browsers take them.
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252", "big5": "big5hkscs"}
_LINE_END = re.compile(r"\r\n?")


def page_text(data: bytes) -> str:
    """Text of a page with LF line ends; raises CorpusError when the bytes are not text."""
    declared = _declared(data)
    # What is valid UTF-8 is UTF-8 whatever an old declaration says; and a mark is asked by `decode`.
    if (
        declared is None
        or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        or _is_utf8(data)
    ):
        return decode(data)
    try:
        text = data.decode(declared, errors="strict")
    except UnicodeDecodeError:
        try:
            return decode(data)
        except CorpusError:
            text = data.decode(declared, errors="replace")
    return _LINE_END.sub("\n", text).replace("\0", "")


def _declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:_HEAD])
    if match is None:
        return None
    try:
        name = codecs.lookup((match[1] or match[2]).decode("ascii")).name
    except LookupError:
        return None
    # A declaration that could be read byte by byte is not in UTF-16.
    return None if name.startswith(("utf-16", "utf-32", "utf-8")) else _WIDER.get(name, name)


def _is_utf8(data: bytes) -> bool:
    try:
        return ordinary(data.decode("utf-8")) >= 0.6
    except UnicodeDecodeError:
        return False
