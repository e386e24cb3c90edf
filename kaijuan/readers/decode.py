"""Bytes of a text file to text: Chinese files come as UTF-8, as GB18030 and as UTF-16, with and without a mark.

>>> decode("退货\\r\\n七天".encode("gb18030"))
'退货\\n七天'
>>> decode(b"\\xef\\xbb\\xbf\\xe9\\x80\\x80")
'退'
"""

from __future__ import annotations

import codecs
import re

import charset_normalizer

from kaijuan.errors import CorpusError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the UTF-16 mark, so it is asked first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n?")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
#: Characters looked at to tell one encoding from another.
_SAMPLE = 20_000


def decode(data: bytes) -> str:
    """Text with LF line ends, without byte-order marks and NULs; a few broken bytes become U+FFFD.

    Raises CorpusError when the bytes are not text in any encoding known here.
    """
    text = _decoded(data).replace("\ufeff", "").replace("\0", "")
    if len(_CONTROL.findall(text[:_SAMPLE])) > len(text[:_SAMPLE]) // 20 + 2:
        raise CorpusError("文件内容不是文本，请先转存为 UTF-8 编码的文本文件。")
    return _LINE_END.sub("\n", text)


def decode_start(data: bytes) -> str:
    """Text of the start of a file that may break off inside a character; raises CorpusError like `decode`."""
    for encoding in ("utf-8", "gb18030"):
        # No character of either is longer than four bytes.
        for end in range(len(data), max(0, len(data) - 4), -1):
            if _strict(data[:end], encoding) is not None:
                return decode(data[:end])
    return decode(data[: len(data) - len(data) % 4])


def ordinary(text: str) -> float:
    """Share of characters, 0 to 1, that ordinary Chinese or English text is made of (printable ASCII and GB 2312).

    Text read in a wrong encoding comes out as rare characters: of all CJK characters a third are in GB 2312.
    """
    sample = text[:_SAMPLE]
    kept = sample.encode("gb2312", errors="ignore").decode("gb2312")
    return sum(c.isprintable() or c in "\r\n\t\f" for c in kept) / max(1, len(sample))


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    wide = _wide(data) if b"\0" in data else None
    text = wide if wide is not None else _strict(data, "utf-8")
    if text is not None:
        return text
    candidates = [c for c in (_strict(data, "gb18030"), _wide(data)) if c is not None]
    best = max(candidates, key=ordinary, default="")
    if best and ordinary(best) >= 0.6:
        return best
    damaged = data.decode("utf-8", errors="replace")
    if damaged.count("\ufffd") <= len(damaged) // 500 + 1 and ordinary(damaged) >= 0.6:
        return damaged
    guess = charset_normalizer.from_bytes(data).best()
    if guess is not None:
        return str(guess)
    if candidates:
        return best
    raise CorpusError("无法识别文件的文字编码，请把文件转存为 UTF-8 后再导入。")


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark, in the byte order that gives the more ordinary text; None where neither does."""
    if len(data) % 2:
        return None
    # NULs are the high bytes of ASCII; they settle what could be read both ways.
    little_first = data[1::2].count(0) >= data[::2].count(0)
    orders = ("utf-16-le", "utf-16-be") if little_first else ("utf-16-be", "utf-16-le")
    found = [t for t in (_strict(data, order) for order in orders) if t is not None]
    best = max(found, key=ordinary, default="")
    return best if ordinary(best) >= 0.9 else None


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
