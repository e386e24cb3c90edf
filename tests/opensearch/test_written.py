"""What the client writes, byte by byte."""

from __future__ import annotations

import json

import numpy as np

from kaijuan.engines.opensearch.client import ndjson, numbers


def test_lines_are_json_and_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    lines: list[object] = [{"text": "退货\n“七天”"}, {"text": "\ud83d半"}, {"number": 2**70}]
    written = ndjson(lines)
    assert written.endswith(b"\n")
    assert [json.loads(line) for line in written.splitlines()] == [lines[0], {"text": "?半"}, lines[2]]


def test_a_vector_keeps_every_bit() -> None:
    vector = np.random.default_rng(3).normal(size=512).astype(np.float32)
    for given in (vector, vector.astype(np.float64), np.stack([vector, vector], axis=1)[:, 0]):
        written = numbers(given)
        assert (np.array(json.loads(written), dtype=np.float32) == vector).all()
        assert len(written) < 12 * 512
