"""Readers: files in, documents out; one file format a module, chosen by what a file holds."""

from kaijuan.readers.dates import parse_date
from kaijuan.readers.file import read_file
from kaijuan.readers.folder import iter_folder, read_collection, read_folder
from kaijuan.readers.limits import Limits
from kaijuan.readers.result import ReadError, ReadResult, Skipped
from kaijuan.readers.rules import Rules, rules_of

__all__ = [
    "Limits",
    "ReadError",
    "ReadResult",
    "Rules",
    "Skipped",
    "iter_folder",
    "parse_date",
    "read_collection",
    "read_file",
    "read_folder",
    "rules_of",
]
