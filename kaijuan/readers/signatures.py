"""Signatures: files that hold no text for an index, known by their first bytes, and what to do about each.

>>> refused_binary(b"\\x89PNG\\r\\n\\x1a\\n")
('图片', '请把图中的文字写成 .md 或 .txt 文件')
"""

from __future__ import annotations

import re

#: Beginnings that no text has, as what they are, the next step, and a pattern of bytes.
_SIGNATURES = tuple(
    (name, step, re.compile(pattern, re.DOTALL))
    for name, step, pattern in (
        (
            "图片",
            "请把图中的文字写成 .md 或 .txt 文件",
            rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|\0\0\x01\0|RIFF....WEBP|\0{3}.ftyp(?:hei|hev|mif1|avif)"
            rb"|8BPS\0|BM.{4}\0{4}",
        ),
        (
            "压缩包",
            "请解压后把里面的文件放进资料文件夹",
            rb"\x1f\x8b|7z\xbc\xaf|Rar!\x1a|BZh\d1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd|MSCF\0{4}|.{257}ustar",
        ),
        (
            "音频或视频",
            "请把内容整理成文字后再导入",
            rb"\0{2}..ftyp|ID3[\2-\4]\0|OggS\0|fLaC\0|\x1a\x45\xdf\xa3|RIFF....(?:WAVE|AVI )|\xff[\xfb\xf3]",
        ),
        ("程序", "请从资料文件夹中删除它", rb"\x7fELF|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|MZ[^\0]?\0"),
        ("数据库文件", "请导出为 .csv 后再导入", rb"SQLite format 3\0|PAR1\x15|\0\x01\0\0Standard"),
    )
)


def refused_binary(head: bytes) -> tuple[str, str] | None:
    """What a binary file is and the next step, in words for an error; None where its first bytes say nothing."""
    return next(((name, step) for name, step, pattern in _SIGNATURES if pattern.match(head)), None)
