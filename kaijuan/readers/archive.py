"""Office files are zip archives: opened only after a look at what they are and at how large they would become."""

from __future__ import annotations

import zlib
from io import BytesIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from kaijuan.readers.result import ReadError

#: Bytes that the parts of a file may come to when unpacked.
LARGEST_UNPACKED = 200 * 1024 * 1024
#: How many times larger than packed a part may be; real documents stay below 100.
LARGEST_RATIO = 200
#: A part that is smaller than this when unpacked does no harm at any ratio.
HARMLESS = 4 * 1024 * 1024
#: Parts that an archive may have.
MOST_PARTS = 20_000

_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ENCRYPTED_FLAG = 0x1


class Archive:
    """The parts of an office file by name; names are compared without regard to case, as the format has it."""

    def __init__(self, data: bytes, name: str) -> None:
        """Open the archive `data` of the file `name`; raises ReadError when it must not or cannot be unpacked."""
        self._name = name
        if data.startswith(_OLE2):
            raise _wrapped(data, name)
        try:
            self._zip = ZipFile(BytesIO(data))
        except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise damaged(name) from error
        parts = self._zip.infolist()
        _check_sizes(parts, name)
        self._parts = {part.filename.lower(): part for part in parts}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._parts

    def read(self, part: str) -> bytes:
        """Bytes of one part, empty where there is none; raises ReadError for a damaged one."""
        found = self._parts.get(part.lower())
        if found is None:
            return b""
        try:
            return self._zip.read(found)
        except (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
            raise damaged(self._name) from error


def damaged(name: str) -> ReadError:
    """The error for a file whose content cannot be read."""
    return ReadError(f"{name} 已损坏或内容与扩展名不符，无法读取；请用办公软件打开并另存后重新导入。", "damaged")


def _wrapped(data: bytes, name: str) -> ReadError:
    """Files of before 2007, and today's under a password, come in the same wrapping."""
    if _ENCRYPTED_PACKAGE in data:
        return ReadError(f"{name} 设有打开密码，无法读取；请去掉密码后另存再导入。", "encrypted")
    return ReadError(
        f"{name} 是旧版办公文件（97-2003 格式），无法读取；请另存为 .docx 或 .xlsx 后再导入。", "old format"
    )


def _check_sizes(parts: list[ZipInfo], name: str) -> None:
    if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
        raise ReadError(f"{name} 的压缩内容设有密码，无法读取；请去掉密码后再导入。", "encrypted")
    if len(parts) > MOST_PARTS:
        raise ReadError(f"{name} 由 {len(parts)} 个部分组成，超过上限 {MOST_PARTS}，未读入；请拆分文件。", "too large")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > LARGEST_UNPACKED:
        limit = LARGEST_UNPACKED // 1024**2
        raise ReadError(
            f"{name} 解压后有 {unpacked // 1024**2} MB，超过上限 {limit} MB，未读入；请拆分文件。", "too large"
        )
    for part in parts:
        if part.file_size > HARMLESS and part.file_size > LARGEST_RATIO * max(1, part.compress_size):
            ratio = part.file_size // max(1, part.compress_size)
            raise ReadError(
                f"{name} 中的 {part.filename[:60]} 解压后大 {ratio} 倍，超过上限 {LARGEST_RATIO} 倍，疑似压缩炸弹，未读入；请检查文件来源。",
                "too large",
            )
