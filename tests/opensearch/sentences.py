"""What a person is told when something goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kaijuan.errors import KaijuanError


@contextmanager
def one_sentence(*words: str, kind: type[KaijuanError] = KaijuanError) -> Iterator[None]:
    """What happens inside ends in an error of this kind, one sentence that holds these words."""
    with pytest.raises(kind) as raised:
        yield
    check_sentence(raised.value, *words)


def check_sentence(error: BaseException, *words: str) -> None:
    """An error's message is one sentence that holds these words."""
    said = str(error)
    assert isinstance(error, KaijuanError), repr(error)
    assert said.endswith("。") and said.count("。") == 1 and "\n" not in said, said
    assert [word for word in words if word not in said] == [], said
