"""Ten threads of questions through five reindexings, on both engines: no failed, no empty and no mixed answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kaijuan.wiring import Services
from tests.field.staging import COLLECTION, EMBEDDED, OPENSEARCH, VIEWER, Staging, Store
from tests.opensearch.editions import edition_of, question, write_edition
from tests.real_opensearch import lent
from tests.retrieval.stand_ins import LetterEmbedder

pytestmark = pytest.mark.slow

THREADS, REINDEXINGS, DOCUMENTS = 10, 5, 16
#: Seconds between two questions of a thread, so that the ingest gets its turn.
BREATH = 0.02
#: Seconds after which a thread that should have asked long ago is given up.
PATIENCE = 120.0


@pytest.fixture(params=[EMBEDDED, OPENSEARCH])
def staging(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Staging]:
    if request.param == EMBEDDED:
        with Staging(tmp_path) as staging:
            yield staging
        return
    url = request.getfixturevalue("server_url")
    with lent(url, "switch") as server, Staging(tmp_path, Store(OPENSEARCH, url, server.prefix)) as staging:
        yield staging


@dataclass
class Asking:
    """One thread that asks until it is told to stop; what it got, in order, as (version, edition)."""

    services: Services
    number: int
    stop: threading.Event
    got: list[tuple[str, int]] = field(default_factory=list)
    failed: list[BaseException] = field(default_factory=list)

    def run(self) -> None:
        asked = self.number
        while not self.stop.is_set():
            try:
                answer = self.services.answer(question(asked % DOCUMENTS), COLLECTION, VIEWER)
                self.got.append((answer.trace.version, edition_of(answer)))
            except BaseException as error:
                self.failed.append(error)
            asked += THREADS
            time.sleep(BREATH)


def test_no_question_notices_a_reindexing(staging: Staging) -> None:
    write_edition(staging, 0, DOCUMENTS)
    edition_by_version = {staging.ingest(LetterEmbedder()).version: 0}
    stop = threading.Event()
    services = staging.services(LetterEmbedder())
    asking = [Asking(services, number, stop) for number in range(THREADS)]
    threads = [threading.Thread(target=one.run) for one in asking]
    for thread in threads:
        thread.start()
    try:
        for edition in range(1, REINDEXINGS + 1):
            write_edition(staging, edition, DOCUMENTS)
            # Another engine object, as the ingest of another process has.
            edition_by_version[staging.ingest(LetterEmbedder()).version] = edition
        before = [len(one.got) for one in asking]
        end = time.monotonic() + PATIENCE
        while any(len(one.got) < count + 2 for one, count in zip(asking, before, strict=True)):
            assert time.monotonic() < end, "a thread no longer asks"
            time.sleep(0.05)
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
    assert [error for one in asking for error in one.failed] == []
    for one in asking:
        assert [edition for _, edition in one.got] == sorted(edition for _, edition in one.got), (
            "never back to an old one"
        )
        assert all(edition_by_version[version] == edition for version, edition in one.got)
        assert one.got[-1][1] == REINDEXINGS
    seen = {edition for one in asking for _, edition in one.got}
    assert len(seen) > 2, "questions were asked meanwhile"
