"""`python -m kaijuan doctor` as a person calls it: one line a finding, and an exit status that a script can use."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from ingest.__main__ import main as ingest_main
from kaijuan.__main__ import main as kaijuan_main
from kaijuan.engines.opensearch.client import Server
from kaijuan.wiring import Services
from tests.commands import Ended, Run, check_one_sentence, process, runner
from tests.indexing.workplace import NAME, Workplace

EXAMPLES = 'title = "小集合"\nexamples = ["退货运费由谁承担"]\n'
NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    made = Workplace(tmp_path)
    made.write("collection.toml", EXAMPLES)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def indexed(place: Workplace) -> Workplace:
    place.ingest()
    return place


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def lines(ended: Ended, level: str) -> list[str]:
    """Lines of a level; every one of them that is not good has a remedy."""
    assert "Traceback" not in ended.out + ended.err and ended.err == "", ended
    found = [line for line in ended.out.splitlines() if line.startswith(f"  {level}")]
    assert level == "好" or all("；办法：" in line for line in found), found
    return found


def test_a_healthy_collection_ends_0(indexed: Workplace) -> None:
    ended = process("kaijuan", "doctor")
    assert ended.status == 0 and lines(ended, "坏") == []
    assert f"集合 {NAME}" in ended.out.splitlines()
    assert [line.split()[1] for line in lines(ended, "注意")] == ["嵌入模型"], "the keyword leg alone, as set"
    assert any("1 个问题中 100% 有命中" in line for line in lines(ended, "好"))
    assert ended.out.splitlines()[-1] == "0 处要处理，1 处要留意。"


def test_columns_stand_under_each_other(indexed: Workplace, run: Run) -> None:
    found = [line for line in run(kaijuan_main, "doctor", NAME).out.splitlines() if line.startswith("  ")]
    starts = set()
    for line in found:
        level, check, said = line.split(maxsplit=2)
        starts.add(tuple(columns(line[: line.index(part, 2)]) for part in (level, check, said)))
    assert len(found) > 5 and len(starts) == 1


def columns(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def test_json_holds_every_finding(indexed: Workplace, run: Run) -> None:
    ended = run(kaijuan_main, "doctor", "--json")
    found = json.loads(ended.out)
    assert ended.status == 0 and {"check", "level", "said", "remedy", "collection"} == set(found[0])
    assert {finding["collection"] for finding in found} == {"", NAME}
    assert run(kaijuan_main, "doctor", "nichts", "--json").status == 1


def test_a_missing_index_ends_1_and_the_remedy_cures_it(place: Workplace, run: Run) -> None:
    ended = run(kaijuan_main, "doctor")
    [line] = lines(ended, "坏")
    assert ended.status == 1 and line.endswith(f"；办法：运行 python -m ingest {NAME}")
    assert not place.settings.index_dir.exists()
    assert run(ingest_main, NAME).status == 0
    assert run(kaijuan_main, "doctor").status == 0


def test_one_unknown_name_does_not_hide_the_others(indexed: Workplace, run: Run) -> None:
    ended = run(kaijuan_main, "doctor", "nichts", NAME)
    [line] = lines(ended, "坏")
    assert ended.status == 1 and "没有名为“nichts”的集合，现有：" in line and NAME in line
    assert any("关键词检索" in line for line in lines(ended, "好"))


def test_a_broken_collection_file_is_a_finding(indexed: Workplace, run: Run) -> None:
    indexed.write("collection.toml", "title = \n")
    ended = run(kaijuan_main, "doctor")
    [line] = lines(ended, "坏")
    assert ended.status == 1 and f"{NAME}/collection.toml" in line


def test_labelled_questions_are_asked_too_and_unreadable_ones_are_a_warning(indexed: Workplace, run: Run) -> None:
    rows = [("发票抬头能改吗", ["d2"]), ("退货运费由谁承担", ["d1"]), ("火星上能用吗", [])]
    file = "\n".join(json.dumps({"id": str(n), "question": q, "gold": g}) for n, (q, g) in enumerate(rows))
    indexed.write("questions.jsonl", file)
    assert "2 个问题中 100% 有命中" in run(kaijuan_main, "doctor").out, "doubles and unanswerable ones left out"
    indexed.write("questions.jsonl", "{")
    ended = run(kaijuan_main, "doctor")
    assert ended.status == 0 and "1 个问题中 100% 有命中" in ended.out
    assert any("questions.jsonl" in line for line in lines(ended, "注意"))


def test_without_collections_the_engine_is_looked_at(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_CORPUS_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("KAIJUAN_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "none")
    ended = run(kaijuan_main, "doctor")
    assert ended.status == 0 and "没有集合" in ended.out and "数据目录" in ended.out


def test_a_server_that_is_down_and_a_missing_model_are_two_red_lines(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_ENGINE", "opensearch")
    monkeypatch.setenv("KAIJUAN_OPENSEARCH_URL", NOBODY)
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "bge")
    ended = process("kaijuan", "doctor")
    red = lines(ended, "坏")
    assert ended.status == 1 and [line.split()[1] for line in red] == ["连接", "嵌入模型"]
    assert NOBODY in red[0] and "KAIJUAN_OPENSEARCH_URL" in red[0] and "scripts/setup" in red[1]


def test_a_certificate_file_that_is_not_there_is_a_red_line(
    place: Workplace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAIJUAN_ENGINE", "opensearch")
    monkeypatch.setenv("KAIJUAN_OPENSEARCH_URL", "https://127.0.0.1:1")
    monkeypatch.setenv("KAIJUAN_OPENSEARCH_CA", str(place.root / "none.pem"))
    ended = run(kaijuan_main, "doctor")
    assert ended.status == 1 and [line.split()[1] for line in lines(ended, "坏")] == ["连接"]


def test_a_wrong_setting_is_one_sentence(place: Workplace, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_ENGINE", "solr")
    check_one_sentence(run(kaijuan_main, "doctor"), "KAIJUAN_ENGINE", "solr")


def test_the_product_is_well_with_its_model(product: Services, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_CORPUS_DIR", str(product.settings.corpus_dir))
    monkeypatch.setenv("KAIJUAN_DATA_DIR", str(product.settings.data_dir))
    monkeypatch.setenv("KAIJUAN_EMBEDDER", "bge")
    ended = run(kaijuan_main, "doctor")
    assert ended.status == 0 and lines(ended, "坏") == lines(ended, "注意") == []
    assert ended.out.splitlines()[-1] == "一切正常。"
    assert sum("向量检索" in line for line in ended.out.splitlines()) == len(product.collection_names())


@pytest.mark.slow
def test_on_a_real_server(place: Workplace, server: Server, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAIJUAN_ENGINE", "opensearch")
    monkeypatch.setenv("KAIJUAN_OPENSEARCH_URL", server.url)
    monkeypatch.setenv("KAIJUAN_OPENSEARCH_PREFIX", server.prefix)
    before = [line for line in lines(run(kaijuan_main, "doctor"), "坏") if "集群状态" not in line]
    assert [line.split()[1] for line in before] == ["别名"] and f"python -m ingest {NAME}" in before[0]
    assert run(ingest_main, NAME).status == 0
    ended = run(kaijuan_main, "doctor")
    assert [line for line in lines(ended, "坏") if "集群状态" not in line] == []
    assert any("分词" in line for line in lines(ended, "好"))
