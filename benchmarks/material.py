"""What the benchmarks search: passages and questions, generated from a seed or read from a folder of real ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kaijuan.types import Chunk

SEED = 20261130
DIMS = 512
MEDIAN_CHARS = 250
#: Two-character words of the generated language, their first and second characters drawn from this many Han characters.
WORDS, CHARACTERS = 20_000, 2_500
#: The frequency of the word of rank r is 1 / (r + OFFSET); the offset keeps the commonest word at about 1 % of a text.
OFFSET = 8.0
SENTENCE_WORDS, QUESTION_WORDS = 9, 6


@dataclass(frozen=True, slots=True)
class Material:
    """Chunks with unit vectors (n, dims) float32, and questions with unit vectors (q, dims)."""

    name: str
    chunks: list[Chunk]
    vectors: np.ndarray
    questions: list[str]
    question_vectors: np.ndarray


def generated(size: int, questions: int, seed: int = SEED) -> Material:
    """`size` passages of Chinese-like text, lengths log-normal around 250 characters, and questions made of their words."""
    rng = np.random.default_rng(seed)
    words = _vocabulary(rng)
    ranks = np.arange(1, WORDS + 1)
    odds = np.cumsum(1.0 / (ranks + OFFSET))
    odds /= odds[-1]
    lengths = np.clip(rng.lognormal(np.log(MEDIAN_CHARS), 0.6, size), 20, 1_000).astype(int)
    chunks = []
    for number, length in enumerate(lengths):
        drawn = np.searchsorted(odds, rng.random(int(length) // 2))
        chunks.append(_chunk(number, [words[n] for n in drawn]))
    asked = [_question(rng, words, odds, chunks) for _ in range(questions)]
    return Material(f"generated-{size}", chunks, unit_vectors(rng, size), asked, unit_vectors(rng, questions))


def dataset(folder: Path, size: int, questions: int, seed: int = SEED) -> Material:
    """The first `size` passages and the questions of a folder with corpus.jsonl and queries.jsonl; vectors are random."""
    rng = np.random.default_rng(seed)
    passages = _lines(folder / "corpus.jsonl")[:size]
    chunks = [Chunk(f"{p['id']}#0", p["id"], p.get("title", ""), p["text"], end=len(p["text"])) for p in passages]
    asked = [q["text"] for q in _lines(folder / "queries.jsonl")][:questions]
    return Material(folder.name, chunks, unit_vectors(rng, len(chunks)), asked, unit_vectors(rng, len(asked)))


def unit_vectors(rng: np.random.Generator, count: int) -> np.ndarray:
    """Random unit vectors (count, 512) float32: good for speed, worthless for quality."""
    vectors = rng.standard_normal((count, DIMS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _vocabulary(rng: np.random.Generator) -> list[str]:
    # The first level of GB 2312 holds the 3,755 common characters; rare ones would cost a token counter too much.
    common = [bytes([0xB0 + n // 94, 0xA1 + n % 94]).decode("gb2312") for n in range(3_755)]
    characters = [common[int(n)] for n in rng.choice(len(common), CHARACTERS, replace=False)]
    pairs = rng.choice(CHARACTERS * CHARACTERS, WORDS, replace=False)
    return [characters[int(p) // CHARACTERS] + characters[int(p) % CHARACTERS] for p in pairs]


def _chunk(number: int, words: list[str]) -> Chunk:
    lines = ["".join(words[n : n + SENTENCE_WORDS]) for n in range(0, len(words), SENTENCE_WORDS)]
    text = "。".join(lines) + "。"
    return Chunk(f"d{number // 5:05d}#{number % 5}", f"d{number // 5:05d}", words[0] + words[-1], text, end=len(text))


def _question(rng: np.random.Generator, words: list[str], odds: np.ndarray, chunks: list[Chunk]) -> str:
    """A stretch of some passage, as a question that repeats its wording, and two words from anywhere."""
    text = chunks[int(rng.integers(len(chunks)))].text
    longest = max(text.split("。"), key=len)
    own = longest[: 2 * (QUESTION_WORDS - 2)]
    others = [words[int(n)] for n in np.searchsorted(odds, rng.random(2))]
    return f"{own}，{''.join(others)}？"


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
