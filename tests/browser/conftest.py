"""One Chromium for the tests of a module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.running import running_browser, what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; skipped where there is none, a failure where KAIJUAN_REQUIRE_BROWSER=1."""
    if missing := what_is_missing():
        if os.environ.get("KAIJUAN_REQUIRE_BROWSER") == "1":
            pytest.fail(f"KAIJUAN_REQUIRE_BROWSER=1, but {missing}")
        pytest.skip(missing)
    with running_browser() as started:
        yield started
