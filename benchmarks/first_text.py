"""From Enter to the first streamed text, in a real browser: `python -m benchmarks.first_text [--questions 20] [--json FILE]`.

The clock runs inside the page: it starts with the key and stops when the first characters of the answer are in the
document. All questions are asked in one conversation, so the page grows as it does for a person; then once more in a
second one, where what the first round computed for their passages is known.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.running import ROOT, running_app, running_browser, what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: The first question of a server loads what later ones find loaded.
WARM_UP = ("SF-3000 整机保修多久", "今天天气怎么样")

_CLOCK = """
window.kaijuan = {enter: null, first: null, known: 0};
document.addEventListener("keydown", event => {
  if (event.key !== "Enter") return;
  window.kaijuan = {enter: performance.now(), first: null, known: document.querySelectorAll(".kj-question").length};
}, true);
new MutationObserver(() => {
  const clock = window.kaijuan;
  if (clock.enter === null || clock.first !== null) return;
  const messages = document.querySelectorAll("[data-testid=stChatMessage]");
  const last = messages[messages.length - 1];
  if (document.querySelectorAll(".kj-question").length > clock.known && last?.querySelector(".kj-body, .kj-refusal")?.textContent.trim())
    clock.first = performance.now();
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


@dataclass(frozen=True, slots=True)
class FirstText:
    """Milliseconds from Enter to the first text, p50 and p95 over the questions; `load` is the machine's before."""

    round: str
    questions: int
    p50_ms: float
    p95_ms: float
    best_ms: float
    worst_ms: float
    load: float


def measure(collection: str, questions: Sequence[str]) -> Iterator[FirstText]:
    """Ask every question in a warm app, then all of them again; raises RuntimeError without a browser or an app."""
    with running_app() as address, running_browser() as browser:
        for name in ("first time asked", "asked again"):
            load = os.getloadavg()[0]
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.add_init_script(_CLOCK)
            page.goto(f"{address}/?c={collection}")
            for question in WARM_UP:
                _ask(page, question)
            times = sorted(_ask(page, question) for question in questions)
            page.close()
            rank95 = max(0, -(-len(times) * 95 // 100) - 1)
            yield FirstText(name, len(times), statistics.median(times), times[rank95], times[0], times[-1], load)


def _ask(page: Page, question: str) -> float:
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    done = page.locator(".kj-meta").count() + 1
    box.press("Enter")
    page.wait_for_function("done => document.querySelectorAll('.kj-meta').length >= done", arg=done)
    clock = page.evaluate("window.kaijuan")
    return float(clock["first"] - clock["enter"])


def _questions(collection: str, count: int) -> list[str]:
    file = ROOT / "corpus" / collection / "questions.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [row["question"] for row in rows][:count]


def main() -> int:
    """Measure and print; exit status 1 without a browser."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_text", description=__doc__)
    parser.add_argument("--collection", default="shop")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if missing := what_is_missing():
        print(f"first_text: {missing}", file=sys.stderr)
        return 1
    rounds = []
    print(f"Enter → first text in the browser, collection {options.collection}")
    for row in measure(options.collection, _questions(options.collection, options.questions)):
        rounds.append(row)
        print(
            f"{row.round}: {row.questions} questions, p50 {row.p50_ms:.0f} ms, p95 {row.p95_ms:.0f} ms, "
            f"best {row.best_ms:.0f}, worst {row.worst_ms:.0f} (load {row.load:.1f})",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rounds], indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
