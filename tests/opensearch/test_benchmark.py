"""The benchmark of this engine runs from end to end, compares like with like, and leaves nothing on the server."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.opensearch.__main__ import main
from benchmarks.opensearch.queries import BARE, COLD, RETRIEVE, SEARCH
from benchmarks.opensearch.server import own_server
from benchmarks.opensearch.timing import Subject, Taken, interleaved
from kaijuan.engines.opensearch.client import Client, Server
from kaijuan.errors import SettingsError

SMALL = ["--size", "120", "--sizes", "80", "--questions", "3", "--rounds", "2", "--ingest-rounds", "1"]


def left_behind(url: str) -> list[str]:
    client = Client(Server(url))
    indices = client.read("GET", "/bench-*", allow_no_indices="true")
    client.close()
    return sorted(indices)


def test_all_parts_from_end_to_end(server_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = left_behind(server_url)
    file = tmp_path / "figures.json"
    assert main(["--url", server_url, "--json", str(file), *SMALL]) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    subjects = figures["queries"][0]["subjects"]
    assert {SEARCH, RETRIEVE, BARE, COLD} <= subjects.keys()
    assert all(0 < subject["p50_ms"] <= subject["p95_ms"] for subject in subjects.values())
    assert subjects[BARE]["ratio_to_bare"] == 1
    # The frameworks are no part of this environment, and their rows say so.
    assert set(figures["queries"][0]["frameworks"]) == {"haystack", "langchain", "llama-index"}
    assert "not installed" in capsys.readouterr().out
    assert len(figures["ingest"][0]["ours"]) == len(figures["ingest"][0]["bare"]) == 1
    assert [size["chunks"] for size in figures["growth"]] == [80]
    assert figures["growth"][0]["index_bytes"] > 80 * 512 * 4
    assert left_behind(server_url) == before


def test_the_indices_of_a_failed_run_are_removed(server_url: str) -> None:
    with pytest.raises(KeyboardInterrupt), own_server(server_url) as server:
        client = Client(server)
        client.once("PUT", f"/{server.prefix}x")
        client.close()
        assert f"{server.prefix}x" in left_behind(server_url)
        raise KeyboardInterrupt
    assert f"{server.prefix}x" not in left_behind(server_url)


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1:9200", "https://127.0.0.1:9200", "http://127.0.0.1.example:9200", "127.0.0.1:9200"]
)
def test_a_server_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"127\.0\.0\.1.*。\Z"), own_server(url):
        pass


def test_every_subject_gets_every_question_in_every_round() -> None:
    asked: list[tuple[str, int]] = []

    def subject(name: str, seconds: float) -> Subject:
        def answer(question: int) -> float:
            asked.append((name, question))
            return seconds * question

        return answer

    taken = interleaved({"a": subject("a", 2.0), "b": subject("b", 1.0)}, [3, 5, 9], 4, seed=1, label="")
    assert sorted(asked) == sorted([(name, question) for name in "ab" for question in (3, 5, 9)] * 4)
    assert {name for name, _ in asked[::2]} == {"a", "b"}  # either begins sometimes
    assert taken["a"].seconds.tolist() == [[6.0, 10.0, 18.0]] * 4
    assert taken["a"].ratio(taken["b"]) == 2.0
    assert len({tuple(asked[start : start + 6]) for start in range(0, 24, 6)}) > 1


def test_ratios_of_medians_and_of_single_rounds() -> None:
    ours, bare = (
        Taken(np.array([[1.0, 2.0, 3.0], [4.0, 4.0, 9.0]])),
        Taken(np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])),
    )
    assert ours.ratio(bare) == 3.5 / 1.5
    assert ours.ratio_range(bare) == (2.0, 2.0)
    assert bare.percentile(50) == 1500.0
