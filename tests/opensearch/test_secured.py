"""A secured server: certificates that are checked, the least that a user must be allowed, passwords that change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import ingest.__main__
from kaijuan.engines.base import KeywordQuery, VectorQuery
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.errors import EngineError
from tests.commands import check_one_sentence, runner
from tests.engines.builders import ANYBODY, META, built, passage, unit
from tests.field.staging import COLLECTION, EMBEDDED, VIEWER, Staging, Store
from tests.opensearch.certificates import MISSING, Authority
from tests.opensearch.editions import edition_of, question, write_edition
from tests.opensearch.running import CannotStart
from tests.opensearch.secured import Role, SecuredServer, new_password, secured_server
from tests.opensearch.sentences import one_sentence
from tests.real_opensearch import absent
from tests.retrieval.stand_ins import LetterEmbedder

pytestmark = pytest.mark.slow

ASKER, INGESTER = "asker", "ingester"


@dataclass(frozen=True, slots=True)
class Secured:
    """A server with an indexed collection, and how its two users reach it."""

    server: SecuredServer
    asker: Server
    ingester: Server
    staging: Staging

    def answered(self, engine: OpenSearchEngine) -> int:
        """The edition that answers a question."""
        services = self.staging.services(LetterEmbedder(), engine)
        return edition_of(services.answer(question(3), COLLECTION, VIEWER))


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    if MISSING:
        absent(MISSING)
    try:
        with secured_server() as server, Staging(tmp_path_factory.mktemp("secured"), Store(EMBEDDED)) as staging:
            reached = {}
            for user, role in ((ASKER, "asking"), (INGESTER, "ingesting")):
                password = new_password()
                server.set_password(user, password)
                server.set_role(user, Role.read(role))
                reached[user] = server.reached_by(user, password)
            write_edition(staging, 0, 12)
            engine = OpenSearchEngine(reached[INGESTER])
            report = staging.ingest(LetterEmbedder(), engine)
            engine.close()
            assert report.chunks == 12
            yield Secured(server, reached[ASKER], reached[INGESTER], staging)
    except CannotStart as error:
        absent(str(error))


@pytest.fixture
def app(secured: Secured) -> Iterator[OpenSearchEngine]:
    """The engine of an app that may ask and no more."""
    engine = OpenSearchEngine(secured.asker)
    yield engine
    engine.close()


def everything_asked(engine: OpenSearchEngine, collection: str) -> None:
    """All that a page asks an engine for."""
    engine.search(collection, KeywordQuery(("退货",), 5), VectorQuery(unit(1, 0, 0, 0), 5), ANYBODY)
    assert engine.meta(collection).collection == collection
    assert engine.source_ids(collection, ANYBODY) == ["a"]
    assert engine.fetch(collection, ["a#0"], ANYBODY) == engine.document(collection, "a", ANYBODY)


def everything_ingested(engine: OpenSearchEngine, collection: str) -> None:
    """All that an ingest asks an engine for."""
    engine.clean_up(collection)
    first = built(engine, [passage("a#0", "退货")], collection=collection)
    everything_asked(engine, collection)
    engine.note(collection, first.name, {"gate": "passed"})
    engine.open_build(replace(META, collection=collection)).abandon()


def test_the_least_rights_suffice_and_asking_cannot_ingest(secured: Secured, app: OpenSearchEngine) -> None:
    assert secured.answered(app) == 0
    with one_sentence("权限不够", "indices:admin/get", kind=EngineError):
        secured.staging.ingest(LetterEmbedder(), app)
    assert secured.answered(app) == 0


def _permissions() -> list[tuple[str, str]]:
    return [
        (name, p)
        for name in ("asking", "ingesting")
        for role in [Role.read(name)]
        for p in (*role.cluster, *role.index)
    ]


def test_no_right_is_too_much(secured: Secured) -> None:
    """Whoever lacks one of the recommended rights is told which one."""
    user, password = "lacking", new_password()
    secured.server.set_password(user, password)
    owner = OpenSearchEngine(secured.ingester)
    built(owner, [passage("a#0", "退货")])
    owner.close()
    for name, permission in _permissions():
        secured.server.set_role(user, Role.read(name).without(permission))
        engine = OpenSearchEngine(secured.server.reached_by(user, password))
        with one_sentence("权限不够", kind=EngineError):
            if name == "asking":
                everything_asked(engine, "shop")
            else:
                everything_ingested(engine, "rights")
        engine.close()
    secured.server.set_role(user, Role.read("ingesting"))
    engine = OpenSearchEngine(secured.server.reached_by(user, password))
    everything_ingested(engine, "rights")
    engine.close()


def test_the_doctor_sees_everything_with_its_own_role(secured: Secured) -> None:
    user, password = "doctor", new_password()
    secured.server.set_password(user, password)
    secured.server.set_role(user, Role.read("doctor"))
    engine = OpenSearchEngine(secured.server.reached_by(user, password))
    assert [finding for finding in engine.health([COLLECTION]) if finding.level != "ok"] == []
    engine.close()


def test_certificates_are_checked(secured: Secured, tmp_path: Path) -> None:
    stranger = Authority.made(tmp_path, "stranger")
    for wrong in ("", str(stranger.own.file)):
        engine = OpenSearchEngine(replace(secured.asker, ca_file=wrong))
        with one_sentence("证书无法验证", "KAIJUAN_OPENSEARCH_CA", kind=EngineError):
            secured.answered(engine)
        engine.close()
    unchecked = OpenSearchEngine(replace(secured.asker, ca_file="", verify=False))
    assert secured.answered(unchecked) == 0
    unchecked.close()


def test_a_password_that_changes_under_the_app(secured: Secured, app: OpenSearchEngine) -> None:
    assert secured.answered(app) == 0
    other = new_password()
    secured.server.set_password(ASKER, other)
    try:
        with one_sentence("不接受", "KAIJUAN_OPENSEARCH_USER", kind=EngineError):
            secured.answered(app)
        changed = OpenSearchEngine(replace(secured.asker, password=other))
        assert secured.answered(changed) == 0
        changed.close()
    finally:
        secured.server.set_password(ASKER, secured.asker.password)
    assert secured.answered(app) == 0


def test_a_wrong_password_is_not_waited_for(
    secured: Secured, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = new_password()
    for name, value in {
        "CORPUS_DIR": secured.staging.settings.corpus_dir,
        "DATA_DIR": secured.staging.settings.data_dir,
        "EMBEDDER": "none",
        "ENGINE": "opensearch",
        "OPENSEARCH_URL": secured.asker.url,
        "OPENSEARCH_USER": ASKER,
        "OPENSEARCH_PASSWORD": wrong,
        "OPENSEARCH_CA": secured.asker.ca_file,
    }.items():
        monkeypatch.setenv(f"KAIJUAN_{name}", str(value))
    ended = runner(capsys)(ingest.__main__.main, COLLECTION)
    check_one_sentence(ended, "不接受", "KAIJUAN_OPENSEARCH_USER", secured.asker.url)
    assert wrong not in ended.err
