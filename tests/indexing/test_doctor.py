"""The doctor above the engine: a build against what is set now, and what each leg brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kaijuan.collection import Collection
from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.indexing.doctor import QUESTIONS, Patient, examine
from kaijuan.models.base import Vector
from kaijuan.retrieval.retrieve import Options, Stages
from kaijuan.text import ANALYZER
from kaijuan.types import Finding, Notice
from tests.engines.builders import built, passage
from tests.indexing.workplace import NAME, CountingEmbedder, Workplace
from tests.retrieval.stand_ins import BrokenEmbedder, LetterEmbedder

ASKED = ("退货运费由谁承担", "SF-3000 打不开")
ABOVE = ["索引的模型", "分词版本", "分段设置", "关键词检索", "向量检索"]


class OtherEmbedder(LetterEmbedder):
    """Another model, with vectors of the same length."""

    name = "other"


class LongerEmbedder(LetterEmbedder):
    """The same model, with longer vectors than before."""

    dims = 65


class AskedEmbedder(CountingEmbedder):
    """Keeps the questions too."""

    def query(self, text: str) -> Vector:
        """See Embedder.query."""
        return self.passage(text)


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def looked_at(
    place: Workplace, embedder: LetterEmbedder | None, questions: Sequence[str] = ASKED, **changes: object
) -> list[Finding]:
    """What the doctor says of the tiny collection."""
    services = place.services(embedder)
    collection = services.collection(NAME)
    patient = Patient(collection, services.options(collection), tuple(questions))
    found = examine(replace(services.stages, **changes), [patient])  # type: ignore[arg-type]
    assert all(finding.remedy for finding in found if finding.level != "ok"), found
    return found


def of_build(found: list[Finding]) -> list[tuple[str, str]]:
    return [(f.check, f.level) for f in found if f.collection == NAME and f.check != "索引"]


def the(found: list[Finding], check: str) -> Finding:
    [finding] = [finding for finding in found if finding.check == check]
    return finding


def test_what_was_just_ingested_is_well(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    found = looked_at(place, LetterEmbedder())
    assert {finding.level for finding in found} == {"ok"}
    assert [f.check for f in found] == ["数据目录", "磁盘", "嵌入模型", "索引", *ABOVE]
    assert the(found, "向量检索").said == "2 个问题中 100% 有命中，100% 进入融合后的前 10 名"


@pytest.mark.parametrize(
    ("built_with", "used", "said"),
    [
        (LetterEmbedder(), OtherEmbedder(), "索引里是 letters（64 维），现在的模型是 other（64 维）"),
        (None, LetterEmbedder(), "索引里没有向量，现在的模型是 letters"),
    ],
)
def test_a_build_of_another_model_and_an_ingest_that_cures_it(
    place: Workplace, built_with: LetterEmbedder | None, used: LetterEmbedder, said: str
) -> None:
    place.ingest(built_with)
    found = looked_at(place, used)
    assert of_build(found) == [(ABOVE[0], "bad"), *((check, "ok") for check in ABOVE[1:4])], "the words still work"
    assert said in the(found, "索引的模型").said and f"python -m ingest {NAME}" in the(found, "索引的模型").remedy
    place.ingest(used)
    assert of_build(looked_at(place, used)) == [(check, "ok") for check in ABOVE]


def test_vectors_of_another_length_under_the_same_name(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    finding = the(looked_at(place, LongerEmbedder()), "索引的模型")
    assert finding.level == "bad" and finding.said == "索引里是 letters（64 维），现在的模型是 letters（65 维）"


def test_no_model_is_bad_unless_it_was_chosen(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    found = looked_at(place, None)
    assert the(found, "嵌入模型").level == "bad" and "scripts/setup" in the(found, "嵌入模型").remedy
    assert the(found, "索引的模型").level == "warn"
    place.ingest(None)
    assert the(looked_at(place, None), "索引的模型").level == "ok"
    services = place.services(None)
    patient = Patient(services.collection(NAME), Options(), ASKED)
    chosen = examine(services.stages, [patient], keyword_only=True)
    assert the(chosen, "嵌入模型").level == "warn" and the(chosen, "关键词检索").level == "ok"
    assert not [finding for finding in chosen if finding.level == "bad"]


def test_a_notice_about_the_model_is_said(place: Workplace) -> None:
    notice = Notice("embed", "模型 x 缺少文件，目前使用备用模型 y，语义检索较弱；请运行 scripts/setup 获取中文模型。")
    place.ingest(LetterEmbedder())
    found = looked_at(place, LetterEmbedder(), embedder_notice=notice)
    finding = the(found, "嵌入模型")
    assert (finding.level, finding.remedy) == ("warn", "运行 scripts/setup 获取中文模型")
    assert finding.said == "模型 x 缺少文件，目前使用备用模型 y，语义检索较弱"
    assert of_build(found) == [(check, "ok") for check in ABOVE], "and not once more for every question"
    assert the(looked_at(place, None, embedder_notice=notice), "嵌入模型").level == "bad"


def test_chunks_of_another_size_ask_for_an_ingest(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    place.write("collection.toml", "chunk_chars = 100\noverlap_chars = 10\n")
    finding = the(looked_at(place, LetterEmbedder()), "分段设置")
    assert finding.level == "warn" and "/512/64，" in finding.said and finding.said.endswith("/100/10")
    place.ingest(LetterEmbedder())
    assert the(looked_at(place, LetterEmbedder()), "分段设置").level == "ok"


def test_words_cut_in_another_way(tmp_path: Path) -> None:
    stages, patient = made(tmp_path, analyzer="bigram-0")
    finding = the(examine(stages, [patient]), "分词版本")
    assert finding.level == "bad" and "bigram-0" in finding.said and ANALYZER in finding.said


def test_a_leg_that_never_brings_anything_is_bad(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    found = looked_at(place, LetterEmbedder(), ["xyzzy", "plugh"])
    assert the(found, "关键词检索").level == "bad" and "0% 有命中，0% 进入" in the(found, "关键词检索").said
    assert the(found, "向量检索").level == "ok"
    found = looked_at(place, BrokenEmbedder())
    assert the(found, "向量检索").level == "bad" and the(found, "关键词检索").level == "ok"
    assert the(found, "试检索").level == "warn" and "模型文件不见了" in the(found, "试检索").said


def test_the_share_is_that_of_all_questions(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    found = looked_at(place, LetterEmbedder(), [*ASKED, "xyzzy", "plugh", "？！"])
    assert "4 个问题中 50% 有命中，50% 进入" in the(found, "关键词检索").said, "one is no question"


@pytest.mark.parametrize("questions", [[], ["？"]])
def test_without_questions_nothing_is_claimed(place: Workplace, questions: list[str]) -> None:
    place.ingest(LetterEmbedder())
    found = looked_at(place, LetterEmbedder(), questions)
    assert the(found, "试检索").level == "warn" and "examples" in the(found, "试检索").remedy
    assert of_build(found)[-1] == ("试检索", "warn")


def test_no_more_than_so_many_questions_are_asked(place: Workplace) -> None:
    place.ingest(LetterEmbedder())
    embedder = AskedEmbedder()
    looked_at(place, embedder, [f"退货 {n}" for n in range(3 * QUESTIONS)])
    assert len(embedder.passages) == QUESTIONS


def test_restricted_passages_count_and_nothing_of_them_is_shown(tmp_path: Path) -> None:
    stages, patient = made(tmp_path, audience="staff")
    found = examine(stages, [patient])
    assert the(found, "关键词检索").level == "ok"
    assert not any("退货" in finding.said for finding in found)


def test_a_collection_that_the_engine_cannot_ask_has_its_findings_alone(tmp_path: Path) -> None:
    stages, patient = made(tmp_path)
    other = replace(patient, collection=Collection("yunti", tmp_path, ""))
    found = examine(stages, [other, patient])
    assert [(f.collection, f.check) for f in found if f.collection == "yunti"] == [("yunti", "索引")]
    assert len([f for f in found if f.collection == "shop"]) > 4


def made(folder: Path, audience: str = "", **meta: object) -> tuple[Stages, Patient]:
    """A collection of one passage."""
    engine, embedder = EmbeddedEngine(folder / "index"), LetterEmbedder()
    chunk = passage("a#0", "退货运费由买家承担", *filter(None, [audience]))
    vectors = np.stack([embedder.passage(chunk.search_text)])
    built(engine, [chunk], vectors, **{"embedder": embedder.name, "dims": embedder.dims, **meta})
    collection = Collection("shop", folder, "")
    return Stages(engine, embedder, None, len, "characters"), Patient(collection, Options(), ASKED)
