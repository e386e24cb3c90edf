"""Times as the records write them, and ids that sort by the time at which they were made."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LENGTH = 26


def utc_now() -> datetime:
    """The time of now, in UTC."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """A moment as text of one length, so that texts sort as the moments do; raises ValueError without a time zone.

    >>> to_text(datetime(2026, 11, 30, 16, 5, tzinfo=UTC))
    '2026-11-30T16:05:00.000Z'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """The moment that `to_text` wrote."""
    return datetime.fromisoformat(text)


def rounded(moment: datetime) -> datetime:
    """The moment in UTC, to the millisecond that is written."""
    return from_text(to_text(moment))


def new_id(moment: datetime) -> str:
    """An id of 26 characters: 48 bits of milliseconds, then 80 random bits."""
    milliseconds = (moment - _EPOCH) // timedelta(milliseconds=1)
    number = (milliseconds << 80) | secrets.randbits(80)
    return "".join(_DIGITS[number >> (5 * place) & 31] for place in reversed(range(_LENGTH)))
