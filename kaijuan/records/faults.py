"""What can go wrong with the file of records, as RecordsError with its kind and one sentence."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from kaijuan.errors import RecordsError, RecordsFault

#: What reaching for the file can raise; the last two are values that no table can hold.
FAULTS = (sqlite3.Error, OSError, OverflowError, UnicodeError)

_BY_CODE: dict[int, RecordsFault] = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_FULL: "disk",
    sqlite3.SQLITE_IOERR: "disk",
    sqlite3.SQLITE_READONLY: "denied",
    sqlite3.SQLITE_CANTOPEN: "denied",
    sqlite3.SQLITE_PERM: "denied",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
}
_BY_ERRNO: dict[int, RecordsFault] = {
    errno.ENOSPC: "disk",
    errno.EDQUOT: "disk",
    errno.EFBIG: "disk",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EROFS: "denied",
}
_SENTENCES: dict[RecordsFault, str] = {
    "locked": "记录文件 {name} 一直被别的程序占用（{reason}），请稍后再试。",
    "disk": "记录文件 {name} 读写磁盘失败（{reason}），请检查磁盘空间后再试。",
    "denied": "记录文件 {name} 打不开或不能写（{reason}），请检查 KAIJUAN_DATA_DIR 的权限。",
    "damaged": "记录文件 {name} 已损坏（{reason}），请把它移到别处后再试。",
    "odd": "记录文件 {name} 没能读写（{reason}），请管理员检查这个文件。",
}
#: The low byte of an extended result code is the plain one.
_PLAIN = 0xFF


def kind_of(error: BaseException) -> RecordsFault:
    """Which of the known faults an error is."""
    if isinstance(error, sqlite3.Error):
        code: int = getattr(error, "sqlite_errorcode", 0)
        return _BY_CODE.get(code & _PLAIN, "odd")
    if isinstance(error, TimeoutError):
        return "locked"
    return _BY_ERRNO.get(error.errno or 0, "odd") if isinstance(error, OSError) else "odd"


def records_error(error: BaseException, path: Path) -> RecordsError:
    """An error of the file or of SQLite in the product's own words."""
    kind = kind_of(error)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return RecordsError(_SENTENCES[kind].format(name=path.name, reason=reason), kind)


def moved_aside(path: Path, aside: Path | None) -> RecordsError:
    """What is said when a damaged file made room for a new one; `aside` is None when another process moved it."""
    where = f"改名为 {aside.name} " if aside else "移到一旁"
    return RecordsError(
        f"记录文件 {path.name} 已损坏，已{where}并开始了新的记录；请管理员设法从旧文件找回以前的记录。", "damaged"
    )


def newer_schema(path: Path, found: int, known: int) -> RecordsError:
    """What is said about a file that a later program wrote."""
    return RecordsError(
        f"记录文件 {path.name} 的格式是 {found}，本程序只认识到 {known}，请升级程序或换一个 KAIJUAN_DATA_DIR。", "newer"
    )
