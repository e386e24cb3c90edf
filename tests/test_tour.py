"""The tour shows what its lines promise, and its conversations are real ones: on the real services over the real corpora."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from kaijuan.answering.types import Answer
from kaijuan.collection import Collection, Stop, Talk
from kaijuan.demo import seed
from kaijuan.errors import SettingsError
from kaijuan.records.conversations import conversations, turns
from kaijuan.records.store import Records
from kaijuan.records.tickets import tickets
from kaijuan.records.visitors import DEMO_TOKEN, parse_roles, visitor_name
from kaijuan.settings import ROOT, Settings
from kaijuan.types import Candidate, Viewer
from kaijuan.ui.tour import stops_of
from kaijuan.ui.visitor import _FORM
from kaijuan.wiring import Services

KINDS = ("code", "paraphrase", "conflict", "refusal", "multi-hop", "permission")
ROLES = "访客: ; 管理: 管理"


def _stop(services: Services, kind: str) -> tuple[Collection, Stop]:
    return stops_of(services.collections())[KINDS.index(kind)]


def _ask(services: Services, kind: str, viewer: Viewer | None = None) -> Answer:
    collection, stop = _stop(services, kind)
    return services.answer(stop.question, collection.name, viewer or Viewer())


def _found(answer: Answer) -> Candidate:
    """The passage that the answer cites first."""
    return answer.sources[0].candidate


def test_six_stops_each_with_one_line(product: Services) -> None:
    stops = [stop for _, stop in stops_of(product.collections())]
    assert [stop.step for stop in stops] == list(range(1, len(KINDS) + 1))
    assert all(stop.look.endswith("。") and "\n" not in stop.look for stop in stops)
    assert len({stop.question for stop in stops}) == len(KINDS)


def test_code(product: Services) -> None:
    answer = _ask(product, "code")
    assert answer.sources and not answer.weak and not answer.refused
    assert all("YT-2007" in source.chunk.text for source in answer.sources)


def test_paraphrase(product: Services) -> None:
    collection, stop = _stop(product, "paraphrase")
    answer = _ask(product, "paraphrase")
    texts = [file.read_text(encoding="utf-8") for file in collection.folder.glob("*.md")]
    assert "抵税" in stop.question and texts and not any("抵税" in text for text in texts)
    found = _found(answer)
    assert "个人抬头开不了" in answer.text and found.vector_rank == 1
    assert found.keyword_rank is None or found.keyword_rank > 1


def test_conflict(product: Services) -> None:
    [conflict] = _ask(product, "conflict").conflicts
    assert len({statement.figure for statement in conflict.statements}) == 2
    assert all(statement.chunk.updated for statement in conflict.statements)
    assert [statement.newer for statement in conflict.statements].count(True) == 1


def test_refusal(product: Services) -> None:
    answer = _ask(product, "refusal")
    assert answer.refused and answer.sources == () and answer.nearest


def test_multi_hop(product: Services) -> None:
    answer = _ask(product, "multi-hop")
    added = [hop.added for hop in answer.trace.hops if hop.added]
    assert added and set(added) <= {source.chunk.id for source in answer.sources}
    assert len({source.chunk.source_id for source in answer.sources}) == 2


def test_permission(product: Services) -> None:
    _, stop = _stop(product, "permission")
    first, *others = parse_roles(ROLES)
    [wanted] = [role for role in others if role.name == stop.role]
    closed, opened = _ask(product, "permission", first), _ask(product, "permission", wanted)
    assert closed.refused and closed.sources == ()
    assert opened.sources and not opened.refused and "90 天" in opened.text
    restricted = {source.chunk.source_id for source in opened.sources}
    assert not restricted & {id for id, _ in closed.nearest}
    assert all(source.chunk.audience == (stop.role,) for source in opened.sources)


def test_the_guide_tells_the_truth_about_figures() -> None:
    """Figures that the guide names are the settings' own."""
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    guide = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "corpus" / "usage").glob("*.md")}
    assert f"{defaults['question_chars']} 个字" in guide["g01"]
    assert (
        f"前 {defaults['rerank_pool']} 段" in guide["g06"] and f"最多 {defaults['context_chunks']} 段" in guide["g06"]
    )
    assert f"下降超过 {defaults['gate_tolerance']} 时" in guide["g08"] and defaults["keep_versions"] == 2
    assert f"保存 {defaults['records_days']} 天" in guide["g10"]
    count = tomllib.loads((ROOT / "corpus" / "usage" / "collection.toml").read_text(encoding="utf-8"))["description"]
    assert f"共 {len(guide)} 篇" in count


@pytest.fixture
def demo(product: Services, tmp_path: Path) -> Services:
    settings = product.settings.model_copy(update={"demo": True, "demo_roles": ROLES, "data_dir": tmp_path})
    return replace(product, settings=settings, records=Records(settings.records_file, days=90))


def _talks(services: Services) -> list[Talk]:
    return [talk for collection in services.collections() for talk in collection.talks]


def test_conversations_are_had_once_for_every_role(demo: Services) -> None:
    roles, talks = parse_roles(ROLES), _talks(demo)
    assert len(talks) > 3 and (seed(demo), seed(demo)) == (len(talks) * len(roles), 0)
    assert demo.records
    for role in roles:
        listed = conversations(demo.records, visitor_name(role.name, DEMO_TOKEN))
        assert [one.title for one in listed] == [talk.questions[0] for talk in reversed(talks)]
        assert [one.turns for one in listed] == [len(talk.questions) for talk in reversed(talks)]
    assert len(tickets(demo.records).items) == len(roles)


def test_a_conversation_is_what_the_product_answers(demo: Services) -> None:
    seed(demo)
    assert demo.records
    viewer = visitor_name(parse_roles(ROLES)[0].name, DEMO_TOKEN)
    [talk] = [one for one in conversations(demo.records, viewer) if one.title == "SF-3000 整机保修多久"]
    first, second = turns(demo.records, talk.id, viewer)
    assert first.conflicts == 1 and first.context and first.hits
    assert second.asked != second.question and "SF-5100" in second.asked
    assert second.feedback and second.feedback.value == "up"


def test_the_records_of_a_demonstration_are_its_own(tmp_path: Path) -> None:
    real, shown = (Settings(data_dir=tmp_path, demo=demo, _env_file=None) for demo in (False, True))
    assert shown.records_file == tmp_path / "demo" / "records.sqlite" != real.records_file
    assert shown.index_dir == real.index_dir


def test_real_records_are_never_seeded(product: Services, tmp_path: Path) -> None:
    real = replace(
        product,
        settings=product.settings.model_copy(update={"demo": False}),
        records=Records(tmp_path / "records.sqlite", days=90),
    )
    with pytest.raises(SettingsError, match=r"scripts/demo.*。$"):
        seed(real)
    assert not (tmp_path / "records.sqlite").exists()


def test_the_token_of_a_demonstration_has_the_form_of_one() -> None:
    assert _FORM.fullmatch(DEMO_TOKEN)
