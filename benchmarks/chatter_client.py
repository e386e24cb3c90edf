"""One user of the API as benchmarks.chatters needs him: asks, times, and sees what belongs to somebody else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

#: The key that the app is started with.
KEY = "benchmark-of-this-machine"
RETRIEVAL = ("embed", "search", "fuse", "rerank", "context")


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer as a client got it: seconds of retrieval in the app, and seconds that the client waited."""

    id: str
    retrieval: float
    waited: float


@dataclass(slots=True)
class Outcome:
    """What one client got, and the first words of everything that was wrong."""

    asked: list[Asked] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """The questions as (collection, question), what each collection's passages say, and what a single user was answered.

    `sources` holds the cited chunks in order, by collection and question.
    """

    questions: tuple[tuple[str, str], ...]
    passages: dict[str, dict[str, str]]
    sources: dict[tuple[str, str], list[str]]


class Client:
    """One user: asks, times and checks."""

    def __init__(self, address: str) -> None:
        self._http = httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {KEY}"}, timeout=120)

    def passages(self, collection: str, question: str) -> dict[str, str]:
        """Texts of the collection's passages as far as a wide search brings them."""
        reply = self._http.post("/api/search", json={"collection": collection, "question": question, "size": 200})
        reply.raise_for_status()
        return {chunk: passage["text"] for chunk, passage in reply.json()["passages"].items()}

    def ask(self, collection: str, question: str, outcome: Outcome) -> dict[str, Any] | None:
        """The answer, noted in the outcome; None where there is none."""
        start = time.perf_counter()
        try:
            reply = self._http.post("/api/ask", json={"collection": collection, "question": question})
        except httpx2.HTTPError as error:
            outcome.wrong.append(f"{question}: {error!r}")
            return None
        waited = time.perf_counter() - start
        if reply.status_code != 200:
            outcome.wrong.append(f"{question}: {reply.status_code} {reply.text[:200]}")
            return None
        answer: dict[str, Any] = reply.json()
        retrieval = sum(answer["seconds"][stage] for stage in RETRIEVAL)
        outcome.asked.append(Asked(answer["id"] or "", retrieval, waited))
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def mixed_up(answer: dict[str, Any], collection: str, question: str, plan: Plan) -> Iterator[str]:
    """What of an answer belongs to another question, collection or moment."""
    if (answer["question"], answer["collection"]) != (question, collection):
        yield f"{collection} {question}: the answer is to {answer['collection']} {answer['question']}"
    for source in answer["sources"]:
        if plan.passages[collection].get(source["chunk"]) != source["text"]:
            yield f"{question}: {source['chunk']} is no passage of {collection}"
    if cited(answer) != plan.sources[collection, question]:
        yield f"{question}: cites {cited(answer)}, a single user was shown {plan.sources[collection, question]}"


def cited(answer: dict[str, Any]) -> list[str]:
    """Ids of the cited passages, in the order of their numbers."""
    return [source["chunk"] for source in answer["sources"]]
