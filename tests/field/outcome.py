"""What running a case comes to, and how one value is compared with another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kaijuan.text import clean

Status = Literal["ok", "FAIL", "should", "later"]
Check = Callable[[Any], None]

_BLANKS = re.compile(r"\s+")
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case's result; `should` is a failed case that does not fail the run, `place` names another engine than usual."""

    id: str
    kind: str
    status: Status
    reason: str = ""
    place: str = ""

    def __str__(self) -> str:
        line = f"{self.status} {self.id} {self.kind}{self.place and f' on {self.place}'}"
        return _BLANKS.sub(" ", f"{line}: {self.reason}" if self.reason else line)


class Later(Exception):
    """The product has not got what the case is about; the message says what."""


class Mismatch(Exception):
    """A value is not the expected one."""

    def __init__(self, what: str, wanted: object = None, got: object = None) -> None:
        compared = "" if wanted is None and got is None else f" (expected {shorten(wanted)}, got {shorten(got)})"
        super().__init__(f"{what}{compared}")


def shorten(value: object) -> str:
    """A value as one short piece of text."""
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def compare(exact: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Compare every expected value that there is a check for, and only those.

    Raises Mismatch naming all keys that differ, else Later when the case has keys that nobody checks.
    """
    problems = []
    for key in (key for key in exact if key in checks):
        try:
            checks[key](exact[key])
        except Mismatch as mismatch:
            problems.append(f"{key}: {mismatch}")
    if problems:
        raise Mismatch("; ".join(problems))
    if unknown := [key for key in exact if key not in checks]:
        raise Later(f"unknown key {', '.join(unknown)}")


def equal(got: Any, what: str = "differs") -> Check:
    """A check that the expected value is this one; lists and tuples are the same."""

    def check(wanted: Any) -> None:
        plain = list(got) if isinstance(got, tuple) else got
        # True == 1 in Python, yet a case that says true does not mean a count.
        if plain != wanted or isinstance(plain, bool) != isinstance(wanted, bool):
            raise Mismatch(what, wanted, plain)

    return check


def at_most(got: float) -> Check:
    """A check that this value does not exceed the expected one."""

    def check(wanted: Any) -> None:
        if got > wanted:
            raise Mismatch("too much", f"at most {wanted}", got)

    return check


def at_least(got: float) -> Check:
    """A check that this value reaches the expected one."""

    def check(wanted: Any) -> None:
        if got < wanted:
            raise Mismatch("too little", f"at least {wanted}", got)

    return check


def holds(text: str, what: str = "text") -> Check:
    """A check that each of the expected texts is in this one, white space apart."""

    def check(wanted: Any) -> None:
        for words in listed(wanted):
            if not occurs(words, text):
                raise Mismatch(f"{what} lacks it", words, text or "nothing")

    return check


def lacks(text: str, what: str = "text") -> Check:
    """A check that none of the texts is in this one."""

    def check(unwanted: Any) -> None:
        for words in listed(unwanted):
            # White space and invisible characters are looked for as they are: they may be the very fault.
            found = words in text if not _BLANKS.sub("", clean(words)) else words in text or occurs(words, text)
            if found:
                raise Mismatch(f"{what} holds it", f"no {words!r}", _around(words, text))

    return check


def occurs(words: str, text: str) -> bool:
    """Whether a text holds the words, runs of white space counting as one blank."""
    return _BLANKS.sub(" ", words).strip() in _BLANKS.sub(" ", text)


def listed(value: Any) -> list[Any]:
    """A value that may be given alone or as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def distinct(values: Iterable[Any]) -> list[Any]:
    """Values by first appearance."""
    return list(dict.fromkeys(values))


def _around(words: str, text: str) -> str:
    at = max(text.find(words), 0)
    return repr(text[max(0, at - 20) : at + len(words) + 20])
