"""Names on the server: a collection is an alias, each of its builds an index of its own.

>>> names = Names("kaijuan-")
>>> names.alias("shop"), names.index("shop", "v0002"), names.version("kaijuan-shop.v0002")
('kaijuan-shop', 'kaijuan-shop.v0002', 'v0002')
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kaijuan.errors import CollectionNotFound

# Index names are lower case, which the names of collections are too.
_COLLECTION = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
_VERSION = re.compile(r"v([0-9]{4,9})\Z")


@dataclass(frozen=True, slots=True)
class Names:
    """Names of aliases and indices, all beginning with `prefix`.

    The full stop before the version cannot stand in a collection's name, so no alias is ever called like an index.
    """

    prefix: str = "kaijuan-"

    def alias(self, collection: str) -> str:
        """The alias that questions are asked of; raises CollectionNotFound for a name that could mean something else."""
        if not _COLLECTION.match(collection):
            raise CollectionNotFound(f"没有名为“{collection[:64]}”的集合；集合名只能由小写字母、数字、“-”和“_”组成。")
        return f"{self.prefix}{collection}"

    def index(self, collection: str, version: str) -> str:
        """The index of one version; the version's name has to be a checked one."""
        return f"{self.alias(collection)}.{version}"

    def pattern(self, collection: str) -> str:
        """Pattern of all indices of a collection."""
        return f"{self.alias(collection)}.v*"

    def version(self, index: str) -> str:
        """The version's name in an index's name, empty when it holds none."""
        version = index.rpartition(".")[2]
        return version if is_version(version) else ""


def is_version(name: str) -> bool:
    """Whether a version can have this name."""
    return _VERSION.match(name) is not None


def version_number(name: str) -> int:
    """Number of a version, 0 for any other name."""
    match = _VERSION.match(name)
    return int(match[1]) if match else 0
