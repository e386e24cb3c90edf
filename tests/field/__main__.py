"""`python -m tests.field [DIR]`: run the cases of a folder; exit status 0 only if no `must` case fails."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kaijuan.errors import KaijuanError
from tests.field.cases import CasesError, load_cases
from tests.field.runner import LIMIT, run_case
from tests.field.staging import Workshop


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: one line a case, then the counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.field", description="Run field cases against the product.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=LIMIT, help="limit of one case (default %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose id or kind begins with TEXT")
    options = parser.parse_args(arguments)
    try:
        cases = [
            c for c in load_cases(options.folder) if c.id.startswith(options.only) or c.kind.startswith(options.only)
        ]
        workshop = Workshop.open()
    except (CasesError, KaijuanError) as error:
        print(error, file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    for case in cases:
        outcome = run_case(case, workshop, options.seconds)
        counts[outcome.status] += 1
        print(outcome, flush=True)
    print(", ".join(f"{counts[status]} {status}" for status in ("ok", "FAIL", "should", "later")))
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
