"""Chunking: one document in, its passages out, cut along the document's own structure."""

from kaijuan.chunking.chunker import CHUNKING, chunk, whole

__all__ = ["CHUNKING", "chunk", "recipe", "whole"]


def recipe(limit: int, overlap: int) -> str:
    """How chunks are made, as every build records it.

    >>> recipe(512, 64).removeprefix(CHUNKING)
    '/512/64'
    """
    return f"{CHUNKING}/{limit}/{overlap}"
