"""Many people at once over HTTP: `python -m benchmarks.chatters [--seconds 120] [--chatters 20] [--engine embedded|opensearch] [--pages]`.

The app is started on a free port of 127.0.0.1 with a data folder of its own, both corpora indexed into it. One user asks
every frozen question of both; then so many chatters ask them all the time, each in an order of its own, without a pause
between answer and question. Nothing may go wrong, no answer may be another one's, and all must be in the records.

Retrieval is what the traces say (embed, search, fuse, rerank, context); an answer is what the client waits for. Bound: on
C cores the work of N chatters is at best N / C times as much for each core, so the 95th percentile of retrieval has to
stay below twice the single user's times N / C. The clients run on the same cores as the app. `--pages` has a browser ask
on the page meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.chatter_client import KEY, Asked, Client, Outcome, Plan, cited, mixed_up
from benchmarks.opensearch.server import own_server
from kaijuan.collection import collection_names
from kaijuan.evaluation.questions import load_questions
from kaijuan.records.figures import Spread, spread
from kaijuan.settings import ROOT, Settings
from tests.browser.running import running_app, running_browser, what_is_missing

#: The single user's rounds over all questions: the first one warms the caches and is not counted.
ROUNDS = 3
#: Seconds between two questions on the page.
PAGE_PAUSE = 2.0


def single_user(address: str, questions: Sequence[tuple[str, str]]) -> tuple[Plan, Outcome, int]:
    """What one user is answered, figures without the warm-up, and how many answers there were with it."""
    client, warm, outcome = Client(address), Outcome(), Outcome()
    passages: dict[str, dict[str, str]] = {}
    sources: dict[tuple[str, str], list[str]] = {}
    for number in range(ROUNDS):
        for collection, question in questions:
            if number == 0:
                passages.setdefault(collection, {}).update(client.passages(collection, question))
            answer = client.ask(collection, question, outcome if number else warm)
            sources[collection, question] = cited(answer) if answer else []
    client.close()
    outcome.wrong += warm.wrong
    return Plan(tuple(questions), passages, sources), outcome, len(warm.asked) + len(outcome.asked)


def chatter(address: str, plan: Plan, number: int, until: float) -> Outcome:
    """One of many: all questions in an order of its own, over and over."""
    client, outcome, order = Client(address), Outcome(), list(plan.questions)
    random.Random(number).shuffle(order)
    place = 0
    while time.monotonic() < until:
        collection, question = order[place % len(order)]
        place += 1
        answer = client.ask(collection, question, outcome)
        if answer is not None:
            outcome.wrong += mixed_up(answer, collection, question, plan)
    client.close()
    return outcome


def chat_all(address: str, plan: Plan, chatters: int, seconds: float) -> list[Outcome]:
    """The outcomes of all chatters, who begin together."""
    outcomes: list[Outcome] = []
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=lambda n=number: outcomes.append(chatter(address, plan, n, until)))
        for number in range(chatters)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def page_waits(address: str, plan: Plan, until: float) -> list[float]:
    """Seconds from Enter to the whole answer on the page, in a browser, until the time is over."""
    waits: list[float] = []
    with running_browser() as browser:
        page = browser.new_page()
        page.goto(f"{address}/?c={plan.questions[0][0]}")
        page.wait_for_selector("[data-testid=stChatInput] textarea", timeout=60_000)
        while time.monotonic() < until:
            done = page.locator(".kj-ledger, details").count()
            start = time.perf_counter()
            page.fill("[data-testid=stChatInput] textarea", plan.questions[len(waits) % 5][1])
            page.keyboard.press("Enter")
            page.wait_for_function(f"document.querySelectorAll('.kj-ledger, details').length > {done}", timeout=60_000)
            waits.append(time.perf_counter() - start)
            time.sleep(PAGE_PAUSE)
    return waits


def records_say(file: Path, ids: Sequence[str], rows: int) -> Iterator[str]:
    """What is missing in the records: as many rows as answers, each answer's own among them, none twice."""
    with closing(sqlite3.connect(file)) as db:
        kept = [row[0] for row in db.execute("SELECT id FROM answers")]
    if len(kept) != rows:
        yield f"{len(kept)} rows in the records for {rows} answers"
    if len(set(ids)) != len(ids):
        yield f"{len(ids) - len(set(ids))} ids were given twice"
    if missing := set(ids) - set(kept):
        yield f"{len(missing)} answers are not in the records"


@contextmanager
def own_data(engine: str) -> Iterator[dict[str, str]]:
    """An environment with a data folder of its own, both corpora indexed; the caches come along, the records do not."""
    settings = Settings()
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kaijuan-chatters-")))
        if settings.model_dir.is_dir():
            (data / "models").symlink_to(settings.model_dir.resolve(), target_is_directory=True)
        for cache in (settings.vector_cache, settings.sentence_cache):
            _copy(cache, data / "cache" / cache.name)
        environment = {"KAIJUAN_DATA_DIR": str(data), "KAIJUAN_API_KEY": KEY, "KAIJUAN_ENGINE": engine}
        if engine == "opensearch":
            server = stack.enter_context(own_server(settings.opensearch_url))
            environment |= {"KAIJUAN_OPENSEARCH_URL": server.url, "KAIJUAN_OPENSEARCH_PREFIX": server.prefix}
        named = {name for name, _ in frozen_questions(settings.corpus_dir)}
        command = [sys.executable, "-m", "ingest", *sorted(named)]
        made = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, check=False)
        if made.returncode:
            raise RuntimeError(made.stderr.decode("utf-8", "replace")[-2000:])
        yield environment


def _copy(file: Path, copy: Path) -> None:
    """A copy of an SQLite file that others may be writing to."""
    if not file.is_file():
        return
    copy.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def frozen_questions(corpora: Path) -> list[tuple[str, str]]:
    """Collection and question of every frozen question, of all collections that have some."""
    files = [(name, corpora / name / "questions.jsonl") for name in collection_names(corpora)]
    return [(name, question.text) for name, file in files if file.is_file() for question in load_questions(file)]


def main() -> int:
    """Measure, check and print; exit status 1 when anything was wrong or the bound was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chatters", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--chatters", type=int, default=20)
    parser.add_argument("--engine", choices=("embedded", "opensearch"), default="embedded")
    parser.add_argument("--pages", action="store_true", help="a browser asks on the page meanwhile")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if options.pages and (missing := what_is_missing()):
        print(f"chatters: {missing}", file=sys.stderr)
        return 1
    questions = frozen_questions(Settings().corpus_dir)
    with own_data(options.engine) as environment, running_app(environment) as address:
        load = os.getloadavg()[0]
        plan, single, before = single_user(address, questions)
        waits: list[float] = []
        until = time.monotonic() + options.seconds
        browsing = threading.Thread(target=lambda: waits.extend(page_waits(address, plan, until)))
        if options.pages:
            browsing.start()
        started = time.perf_counter()
        outcomes = chat_all(address, plan, options.chatters, options.seconds)
        took = time.perf_counter() - started
        if options.pages:
            browsing.join()
        together = [asked for outcome in outcomes for asked in outcome.asked]
        wrong = [*single.wrong, *(said for outcome in outcomes for said in outcome.wrong)]
        ids = [asked.id for asked in (*single.asked, *together)]
        file = Path(environment["KAIJUAN_DATA_DIR"]) / "records.sqlite"
        wrong += records_say(file, ids, before + len(together) + len(waits))
    figures = _figures(options, single.asked, together, took, waits) | {"load": load, "wrong": len(wrong)}
    for line in _lines(figures):
        print(line)
    for said in wrong[:10]:
        print(f"  WRONG  {said}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return int(bool(wrong) or not figures["within_bound"])


def _figures(
    options: argparse.Namespace, single: Sequence[Asked], together: Sequence[Asked], took: float, waits: list[float]
) -> dict[str, Any]:
    cores = os.cpu_count() or 1
    alone, many = spread([a.retrieval for a in single]), spread([a.retrieval for a in together])
    bound = 2 * (alone.p95 or 0.0) * max(1.0, options.chatters / cores)
    return {
        "engine": options.engine,
        "cores": cores,
        "chatters": options.chatters,
        "seconds": took,
        "single_retrieval_ms": _ms(alone),
        "single_answer_ms": _ms(spread([a.waited for a in single])),
        "together_retrieval_ms": _ms(many),
        "together_answer_ms": _ms(spread([a.waited for a in together])),
        "answers_a_second": len(together) / took,
        "single_answers_a_second": len(single) / sum(a.waited for a in single) if single else 0.0,
        "retrieval_p95_ratio": (many.p95 or 0.0) / alone.p95 if alone.p95 else None,
        "bound_ms": bound * 1000,
        "within_bound": many.p95 is not None and many.p95 < bound,
        "page_answer_ms": _ms(spread(waits)) if waits else None,
    }


def _ms(values: Spread) -> dict[str, float]:
    shown = {"p50": values.p50, "p95": values.p95, "most": values.most}
    return {"count": values.count, **{name: value * 1000 for name, value in shown.items() if value is not None}}


def _lines(figures: dict[str, Any]) -> Iterator[str]:
    n, cores = figures["chatters"], figures["cores"]
    yield f"engine {figures['engine']}, {cores} cores, load before {figures['load']:.1f}; clients on the same cores"
    for label, key in (("1 user  ", "single"), (f"{n} users", "together")):
        for what in ("retrieval", "answer"):
            yield f"  {label}  {what:9s}  {_spread_line(figures[f'{key}_{what}_ms'])}"
    alone, many = figures["single_answers_a_second"], figures["answers_a_second"]
    yield f"  throughput: {alone:.1f} answers/s alone, {many:.1f} with {n} chatters over {figures['seconds']:.0f} s"
    p95, single = figures["together_retrieval_ms"].get("p95", 0.0), figures["single_retrieval_ms"].get("p95", 0.0)
    ratio = f"{p95 / single:.1f}" if single else "–"
    verdict = "ok" if figures["within_bound"] else "MISSED"
    yield f"  p95 of retrieval: {ratio} times the single user's"
    yield (f"  bound 2 × {single:.1f} ms × {n}/{cores} = {figures['bound_ms']:.0f} ms: {p95:.0f} ms  {verdict}")
    if figures["page_answer_ms"]:
        yield f"  page in a browser meanwhile: {_spread_line(figures['page_answer_ms'])}"
    yield f"  wrong: {figures['wrong']} (errors, mixed-up answers, records)"


def _spread_line(values: dict[str, float]) -> str:
    figures = "  ".join(f"{name} {value:8.1f} ms" for name, value in values.items() if name != "count")
    return f"{figures}  ({values['count']:.0f} answers)"


if __name__ == "__main__":
    sys.exit(main())
