"""Chunking: one document in, its passages out, cut along the document's own structure."""

from kaijuan.chunking.chunker import CHUNKING, chunk, whole

__all__ = ["CHUNKING", "chunk", "whole"]
