"""`index.alias`: the step from the build that answers to the next one, under the eyes of a reader.

On OpenSearch every request goes through a server of ours that notes it. The embedded engine's pointer takes the alias's
place; it names one version and nothing else, so that cases of another situation are about OpenSearch alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kaijuan.engines.embedded.engine import EmbeddedEngine
from kaijuan.engines.opensearch.client import Server
from kaijuan.engines.opensearch.names import Names
from tests.field.between import between
from tests.field.cases import Case
from tests.field.outcome import Check, Later, Mismatch, equal
from tests.field.staging import COLLECTION, OPENSEARCH, Command, Staging
from tests.real_opensearch import client, indices

_DOCUMENTS = 3


def needs_opensearch(case: Case) -> bool:
    """Whether the situation cannot be with a pointer that names one version."""
    before = case.input["before"]
    return bool(set(before) - {case.input["alias"]}) or len(before.get(case.input["alias"], ())) > 1


def stage(case: Case, staging: Staging) -> dict[str, Check]:
    """Bring the situation about, then ingest once more and see how the new build comes to answer."""
    case.only_inputs("alias", "before", "new_index")
    if staging.store.engine == OPENSEARCH:
        return _on_server(case, staging)
    names = {_ingest(staging, old): old for old in case.input["before"].get(case.input["alias"], ())}
    engine = _WatchedEngine(staging.settings.index_dir)
    _write(staging, case.input["new_index"])
    with _watching(staging.active) as seen:
        names[staging.ingest(engine=engine).version] = case.input["new_index"]
    # All that happened to the pointer, as one list of what went and what came for each request.
    actions = [
        change
        for before, after in engine.switches
        for change in (
            *("remove old" for _ in set(before) - set(after)),
            *("add new" for _ in set(after) - set(before)),
        )
    ]
    return {
        "alias_requests": equal(len(engine.switches)),
        "actions": equal(actions),
        "targets_after": equal([names.get(version, version) for version in staging.active()]),
        "zero_targets_seen": equal(bool(names) and any(not targets for targets in seen)),
    }


def _on_server(case: Case, staging: Staging) -> dict[str, Check]:
    before: Mapping[str, Any] = case.input["before"]
    if set(before) - {case.input["alias"], "concrete_index"}:
        raise Later(f"unknown situation: {', '.join(sorted(before))} before")
    cluster = _Cluster(staging)
    names = {cluster.index(_ingest(staging, old)): old for old in before.get(case.input["alias"], ())}
    if len(names) > 1:
        cluster.point_at(list(names))
    if "concrete_index" in before:
        cluster.make_stray()
    _write(staging, case.input["new_index"])
    with between(staging.store.url) as watched, _watching(cluster.targets) as seen:
        ended = staging.through(watched.url).command()
    after = [names.get(index, case.input["new_index"]) for index in cluster.targets()]
    requests = watched.writes("_alias")
    stopped = _stopped(case, ended, cluster)
    return {
        "alias_requests": equal(len(requests), ended.output),
        "actions": equal([_named(action, names) for one in requests for action in json.loads(one.body)["actions"]]),
        "targets_after": lambda wanted: None if stopped else equal(after, ended.output)(wanted),
        "zero_targets_seen": equal(bool(names) and any(not targets for targets in seen)),
        "separate_delete": equal(
            any(r.method == "DELETE" and r.path == f"/{cluster.alias}" for r in watched.writes(""))
        ),
        "or_message": equal(stopped or after == [case.input["new_index"]], ended.output),
    }


def _stopped(case: Case, ended: Command, cluster: _Cluster) -> bool:
    """Whether the run ended, where that is allowed, with one sentence on the index and what to do, and left it alone."""
    said = ended.output.strip()
    clear = said.endswith("。") and "\n" not in said and cluster.alias in said and "删除这个索引" in said
    return bool(case.exact.get("or_message")) and ended.status != 0 and clear and cluster.stray_is_whole()


def _named(action: Mapping[str, Any], names: Mapping[str, str]) -> str:
    [(verb, about)] = action.items()
    return f"{verb} {'old' if about['index'] in names else 'new'}"


def _ingest(staging: Staging, generation: str) -> str:
    _write(staging, generation)
    return staging.ingest().version


def _write(staging: Staging, generation: str) -> None:
    for number in range(_DOCUMENTS):
        staging.write(f"d{number}.md", f"{generation} 的资料正文，编号 N{number}。\n")


class _Cluster:
    """The server behind the product's back: what its alias names, and what somebody else does to it."""

    def __init__(self, staging: Staging) -> None:
        self._server = Server(staging.store.url, prefix=staging.store.prefix)
        self._names = Names(staging.store.prefix)
        self.alias = self._names.alias(COLLECTION)

    def index(self, version: str) -> str:
        """The index of a version."""
        return self._names.index(COLLECTION, version)

    def targets(self) -> list[str]:
        """The indices that the alias names now; an index of that name is none."""
        found = indices(self._server)
        return [index for index, described in found.items() if self.alias in described["aliases"]]

    def point_at(self, indices: list[str]) -> None:
        """Leave the alias on all of these, as a crash between two requests would."""
        actions = [{"add": {"index": index, "alias": self.alias}} for index in indices]
        self._ask("POST", "/_aliases", {"actions": actions})

    def make_stray(self) -> None:
        """An index that bears the alias's name and holds something, as a stray write makes it."""
        self._ask("PUT", f"/{self.alias}")
        self._ask("PUT", f"/{self.alias}/_doc/1", {"stray": "write"}, refresh="true")

    def stray_is_whole(self) -> bool:
        """Whether that index still holds what it held."""
        return bool(self._ask("GET", f"/{self.alias}/_count")["count"] == 1)

    def _ask(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        with client(self._server) as asking:
            return asking.once(method, path, body, **params)


class _WatchedEngine(EmbeddedEngine):
    """Notes what answered before and after every switch."""

    def __init__(self, index_dir: Path) -> None:
        super().__init__(index_dir)
        self.switches: list[tuple[list[str], list[str]]] = []

    def activate(self, collection: str, version: str) -> None:
        """See Engine.activate."""
        before = self._targets(collection)
        super().activate(collection, version)
        self.switches.append((before, self._targets(collection)))

    def _targets(self, collection: str) -> list[str]:
        return [version.name for version in self.versions(collection) if version.active]


@contextmanager
def _watching(targets: Callable[[], list[str]]) -> Iterator[list[list[str]]]:
    """What a reader sees of the versions that answer, over and over until the block ends."""
    seen: list[list[str]] = []
    errors: list[Exception] = []
    finished = threading.Event()

    def look() -> None:
        try:
            while not finished.is_set():
                seen.append(targets())
        except Exception as error:
            errors.append(error)

    reader = threading.Thread(target=look)
    reader.start()
    try:
        yield seen
    finally:
        finished.set()
        reader.join()
    if errors:
        raise Mismatch("the reader could not look", "targets", repr(errors[0]))
    seen.append(targets())
