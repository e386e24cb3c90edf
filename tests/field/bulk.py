"""`index.bulk`: a server that puts documents off or refuses them, each in its own line of the answer.

The answers of the case are played back by a server of ours in front of OpenSearch; what they call written is passed on
and really written, so that what is there in the end can be counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from tests.field.between import Forward, Reply, Request, between
from tests.field.cases import Case
from tests.field.outcome import Check, Mismatch, distinct, equal, occurs
from tests.field.staging import Staging

Json = dict[str, Any]


def stage(case: Case, staging: Staging) -> dict[str, Check]:
    """Ingest one document for each id of the case through the server that answers as the case says."""
    case.only_inputs("bulk_responses")
    playback = _Playback(case.input["bulk_responses"])
    for id_ in playback.ids:
        staging.write(_file(id_), f"资料正文，编号【{id_}】。\n")
    with between(staging.store.url, playback.answer) as watched:
        ended = staging.through(watched.url).command()
    if playback.answered < len(playback.responses):
        raise Mismatch("bulk requests", len(playback.responses), f"{playback.answered}; {ended.output}")
    there = [chunk.source_id for chunk in staging.chunks()]
    return {
        "retried": equal(playback.sent_again()),
        "failed": equal([id_ for id_ in playback.ids if occurs(_file(id_), ended.output)], ended.output),
        "written": equal([id_ for id_ in playback.ids if _file(id_) in there], ended.output),
        "duplicates": equal(len(there) - len(set(there))),
        "exit_zero": equal(ended.status == 0, ended.output),
    }


def _file(id_: str) -> str:
    return f"{id_}.md"


class _Playback:
    """Plays one response for each bulk request; a document that a response does not name is passed on."""

    def __init__(self, responses: Sequence[Mapping[str, Any]]) -> None:
        self.responses = [{item["id"]: item for item in response["items"]} for response in responses]
        self.ids = distinct(chain.from_iterable(self.responses))
        self.answered = 0
        self._sent: list[list[str]] = []

    def sent_again(self) -> list[str]:
        """Documents of all requests but the first."""
        return distinct(chain.from_iterable(self._sent[1:]))

    def answer(self, request: Request, forward: Forward) -> Reply:
        """The next response where the request is a bulk one."""
        if not request.path.endswith("/_bulk"):
            return forward(request)
        played = self.responses[self.answered] if self.answered < len(self.responses) else {}
        self.answered += 1
        pairs = list(_pairs(request.body))
        self._sent.append([id_ for id_, _ in pairs])
        refused = {id_ for id_, item in played.items() if item["status"] >= 300}
        passed = b"".join(lines for id_, lines in pairs if id_ not in refused)
        written = iter(json.loads(forward(_with(request, passed)).body)["items"] if passed else [])
        items = [_refusal(played[id_]) if id_ in refused else next(written) for id_, _ in pairs]
        return Reply(200, json.dumps({"took": 1, "errors": bool(refused), "items": items}).encode())


def _pairs(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Each document's id in the case, and its two lines."""
    lines = body.splitlines(keepends=True)
    for action, document in zip(lines[::2], lines[1::2], strict=True):
        yield json.loads(document)["source_id"].removesuffix(".md"), action + document


def _with(request: Request, body: bytes) -> Request:
    return Request(request.method, request.path, request.target, request.headers, body)


def _refusal(item: Mapping[str, Any]) -> Json:
    kind = item.get("reason", "rejected_execution_exception")
    error = {"type": kind, "reason": f"{kind} for {item['id']}"}
    return {"create": {"_id": item["id"], "status": item["status"], "error": error}}
