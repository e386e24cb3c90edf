"""`python -m tests.field [DIR] [--engine NAME]`: run the cases of a folder; exit status 0 only if no `must` case fails.

OpenSearch is the server that KAIJUAN_TEST_OPENSEARCH_URL names; cases that an engine has no part in run once.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kaijuan.errors import KaijuanError
from tests.field.cases import CasesError, load_cases
from tests.field.runner import LIMIT, engines_of, run_case
from tests.field.staging import EMBEDDED, ENGINES, OPENSEARCH, EngineName, Workshop
from tests.real_opensearch import NAMED, named_server


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: one line a case, then the counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.field", description="Run field cases against the product.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="limit of one case (default %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose id or kind begins with TEXT")
    parser.add_argument(
        "--engine",
        choices=[*ENGINES, "both"],
        help=f"default: embedded, and OpenSearch too where {NAMED} names a server",
    )
    options = parser.parse_args(arguments)
    engines = _engines(options.engine)
    if OPENSEARCH in engines and not named_server():
        print(f"{NAMED} names no OpenSearch; start one with scripts/opensearch start and set it.", file=sys.stderr)
        return 2
    try:
        cases = [
            c for c in load_cases(options.folder) if c.id.startswith(options.only) or c.kind.startswith(options.only)
        ]
        workshops = {engine: Workshop.open(engine, named_server()) for engine in ENGINES}
    except (CasesError, KaijuanError) as error:
        print(error, file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    for case in cases:
        for engine in engines_of(case, engines):
            outcome = run_case(case, workshops[engine], options.seconds)
            counts[outcome.status] += 1
            print(outcome, flush=True)
    print(", ".join(f"{counts[status]} {status}" for status in ("ok", "FAIL", "should", "later")))
    return 1 if counts["FAIL"] else 0


def _engines(wanted: str | None) -> list[EngineName]:
    """The engines to run on, by what was asked for or by what there is."""
    if wanted is None:
        return list(ENGINES) if named_server() else [EMBEDDED]
    return [engine for engine in ENGINES if wanted in (engine, "both")]


if __name__ == "__main__":
    raise SystemExit(main())
