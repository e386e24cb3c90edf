"""Wiring: from settings to services, the same for pages and commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from kaijuan.answering.types import Answer, Finished, Piece, Retrieved
from kaijuan.errors import CollectionNotFound, CorpusError, IndexMissing, ModelUnavailable, QuestionError, ViewError
from kaijuan.indexing.ingest import ingest
from kaijuan.settings import Settings
from kaijuan.types import Viewer
from kaijuan.wiring import Services, load_services
from tests.indexing.workplace import NAME, VIEWER, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


@pytest.fixture
def services(place: Workplace) -> Services:
    made = load_services(place.settings)
    ingest(made.collection(NAME), made.ingesting())
    return made


def _settings(place: Workplace, **changes: object) -> Settings:
    return Settings(**{**place.settings.model_dump(), **changes}, _env_file=None)


def test_options_are_those_of_settings_and_collection(place: Workplace) -> None:
    place.write("collection.toml", "leg_size = 7\n")
    made = load_services(
        _settings(place, rrf_k=30, rerank_pool=9, context_chunks=3, context_tokens=500, question_chars=80)
    )
    options = made.options(made.collection(NAME))
    assert (options.leg_size, options.rrf_k, options.rerank_pool) == (7, 30, 9)
    assert (options.context_chunks, options.context_tokens, options.question_chars) == (3, 500, 80)
    assert options.keyword_leg and options.vector_leg and options.rerank and options.version is None


def test_settings_are_kept_when_a_question_is_answered(place: Workplace) -> None:
    made = load_services(_settings(place, context_chunks=1, question_chars=50))
    ingest(made.collection(NAME), made.ingesting())
    trace = made.answer("退货发票" * 20, NAME, VIEWER).trace
    assert len(trace.context) == 1 and len(trace.searched) <= 51


def test_loading_touches_nothing(place: Workplace) -> None:
    load_services(place.settings)
    assert not place.settings.data_dir.exists()


def test_the_stream_and_the_answer_are_the_same(services: Services) -> None:
    events = list(services.ask("退货运费由谁承担", NAME, VIEWER))
    assert isinstance(events[0], Retrieved) and isinstance(events[-1], Finished)
    whole = services.answer("退货运费由谁承担", NAME, VIEWER)
    assert isinstance(whole, Answer) and not whole.refused
    assert "".join(e.text for e in events if isinstance(e, Piece)) == whole.text == events[-1].answer.text


@pytest.mark.parametrize(
    ("name", "question", "error"),
    [("none", "退货", CollectionNotFound), (NAME, " ", QuestionError), (NAME, "😀", QuestionError)],
)
def test_mistakes_are_told_before_the_first_event(
    services: Services, name: str, question: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        services.ask(question, name, VIEWER)


def test_asking_before_indexing_is_told_before_the_first_event(place: Workplace) -> None:
    with pytest.raises(IndexMissing, match=f"python -m ingest {NAME}"):
        load_services(place.settings).ask("退货", NAME, VIEWER)


def test_a_collection_that_cannot_be_asked_yet_says_why(place: Workplace) -> None:
    services = load_services(place.settings)
    assert isinstance(services.fault(NAME), IndexMissing)
    place.ingest()
    assert services.fault(NAME) is None


def test_collections_are_sorted_and_a_broken_one_does_not_hide_the_others(services: Services, place: Workplace) -> None:
    other = place.settings.corpus_dir / "aaa"
    other.mkdir()
    (other / "collection.toml").write_text('title = "甲"\n', encoding="utf-8")
    assert [own.name for own in services.collections()] == ["aaa", NAME]
    (other / "collection.toml").write_text("title =", encoding="utf-8")
    assert [own.name for own in services.collections()] == [NAME]
    assert services.collection_names() == ["aaa", NAME]
    with pytest.raises(CorpusError, match="aaa"):
        services.collection("aaa")


def test_a_document_is_given_whole_and_in_order(services: Services, place: Workplace) -> None:
    chunks = services.document(NAME, "d1", VIEWER)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks))) and "七天" in chunks[0].text
    # A file without an id of its own goes by its name.
    assert services.document(NAME, "型号.txt", VIEWER)[0].source_id == "型号.txt"


@pytest.mark.parametrize("source", ["none", "", "../发票.md", "/etc/passwd", "..\\..\\x", "d1#0", "x" * 5000, "a\0b"])
def test_a_document_that_is_not_there_is_one_sentence(services: Services, source: str) -> None:
    with pytest.raises(ViewError) as error:
        services.document(NAME, source, VIEWER)
    said = str(error.value)
    assert said.endswith("。") and said.count("。") == 1 and len(said) < 200


def test_a_restricted_document_and_one_that_does_not_exist_say_the_same(place: Workplace) -> None:
    place.write("内部.md", "---\nid: d9\naudience: [staff]\n---\n\n名单仅供内部使用。\n")
    made = load_services(place.settings)
    ingest(made.collection(NAME), made.ingesting())
    said = []
    for source in ("d9", "d8"):
        with pytest.raises(ViewError) as error:
            made.document(NAME, source, VIEWER)
        said.append(str(error.value).replace(source, "…"))
    assert said[0] == said[1]
    assert made.document(NAME, "d9", Viewer("staff", frozenset({"staff"})))
    assert "名单" not in made.answer("名单仅供内部使用", NAME, VIEWER).text


def test_a_missing_model_is_a_notice_for_every_question(place: Workplace) -> None:
    made = load_services(place.settings)
    assert made.stages.embedder is None
    assert [notice.stage for notice in made.status(NAME)] == ["embed"]
    ingest(made.collection(NAME), made.ingesting())
    assert made.status(NAME)[0] in made.answer("退货运费", NAME, VIEWER).notices


def test_a_model_asked_for_by_name_must_be_there(place: Workplace) -> None:
    with pytest.raises(ModelUnavailable, match="scripts/setup"):
        load_services(_settings(place, embedder="bge"))


def test_auto_never_fails(place: Workplace) -> None:
    made = load_services(_settings(place, embedder="auto"))
    assert made.stages.embedder_notice is not None and made.stages.embedder_notice.text.endswith("。")


def test_the_real_model_gives_no_notice_and_a_floor(product: Services) -> None:
    assert product.stages.embedder is not None and product.status("shop") == ()
    assert product.stages.embedder.floor is not None
    trace = product.answer("邮费什么时候可以免掉", "shop", VIEWER).trace
    assert trace.vector and trace.evidence.floor == product.stages.embedder.floor
    assert trace.notices == () and trace.token_counter
