"""What every engine promises (tests/engines/test_contract.py), on the real server."""

from __future__ import annotations

import pytest

from kaijuan.engines.base import Engine
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from tests.engines import test_contract as contract

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(opensearch: OpenSearchEngine) -> Engine:
    return opensearch


globals().update({name: value for name, value in vars(contract).items() if name.startswith("test_")})
