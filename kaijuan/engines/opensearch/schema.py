"""The files of search_templates/: the form of an index, and the stored templates of a question.

A stored template's id ends in a hash of its text. A changed file is thus a new template that the next ingest or
question installs, and programs with the old text keep using theirs.
"""

from __future__ import annotations

import json
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kaijuan.engines.base import BuildMeta
from kaijuan.engines.opensearch.client import Client
from kaijuan.errors import EngineError
from kaijuan.settings import ROOT

TEMPLATES = ("keyword", "vector", "weight")
#: Lucene averages the length of passages over all tokens, extras included, but counts only terms in each passage's own.
#: In the corpora there are 1.1 extras to a term. These k1 and b undo it: k1'(1-b') = k1(1-b), k1'b' = k1·b·2.1.
_TOKENS_PER_TERM = 2.1


class Schema:
    """Reads the folder once, when first needed."""

    def __init__(self, folder: Path = ROOT / "search_templates") -> None:
        self._folder = folder

    @cached_property
    def templates(self) -> dict[str, str]:
        """Source of each template by its name."""
        return {name: self._read(f"{name}.mustache") for name in TEMPLATES}

    @cached_property
    def ids(self) -> dict[str, str]:
        """Id under which each template is stored."""
        return {name: f"kaijuan-{name}-{_hash(source)}" for name, source in self.templates.items()}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the form of an index; recorded in every build."""
        return _hash(self._read("index.json"))

    def index_body(self, meta: BuildMeta, stored_meta: dict[str, Any]) -> dict[str, Any]:
        """Settings and mappings of a new index for this build."""
        try:
            body: dict[str, Any] = json.loads(self._read("index.json"))
            similarity = body["settings"]["index"]["similarity"]["passage"]
            mappings = body["mappings"]
            similarity["k1"], similarity["b"] = lucene_parameters(meta.k1, meta.b)
            mappings["_meta"] = stored_meta
            if meta.dims:
                mappings["properties"]["vector"]["dimension"] = meta.dims
            else:
                del mappings["properties"]["vector"]
                del body["settings"]["index"]["knn"]
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError(
                f"search_templates/index.json 读不懂（{error}），请对照 search_templates/README.md 改正。"
            ) from error
        return body

    def install(self, client: Client) -> None:
        """Store the templates on the server; storing one again changes nothing."""
        for name, source in self.templates.items():
            client.once("PUT", f"/_scripts/{self.ids[name]}", {"script": {"lang": "mustache", "source": source}})

    def _read(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise EngineError(f"search_templates/{name} 读不出来（{error}），请从代码库恢复这个文件。") from error


def lucene_parameters(k1: float, b: float) -> tuple[float, float]:
    """k1 and b for the index."""
    stretched = 1.0 - b + b * _TOKENS_PER_TERM
    return round(k1 * stretched, 6), round(b * _TOKENS_PER_TERM / stretched, 6)


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=6).hexdigest()
