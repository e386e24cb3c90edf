"""`python -m tests.indexing.stopping_job CORPUS DATA MARK` starts a job whose model stops in the middle, to be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from kaijuan.indexing.jobs import Work, start_job
from tests.indexing.workplace import NAME, StoppingEmbedder, Workplace


def main() -> None:
    """Start the job and wait for it, which does not end."""
    corpus, data, mark = map(Path, sys.argv[1:])
    assert corpus.parent == data.parent
    services = Workplace(corpus.parent).services(StoppingEmbedder(2, mark))
    start_job(data / "jobs", Work(services.collection(NAME), services.ingesting(), data / "reports")).join()


if __name__ == "__main__":
    main()
