"""What an answer cost: tokens times price, unknown where either is unknown."""

from __future__ import annotations

from kaijuan.records.types import Prices

_MILLION = 1_000_000


def price_of(input_tokens: int | None, output_tokens: int | None, prices: Prices) -> float | None:
    """Price of an answer in the currency of the prices; None as soon as a part of it is unknown.

    >>> price_of(2_000, 500, Prices(2.0, 8.0))
    0.008
    >>> price_of(2_000, 500, Prices(2.0, None)) is None
    True
    >>> price_of(0, 0, Prices())  # no model was asked, so that no price matters
    0.0
    """
    parts = [_part(input_tokens, prices.input), _part(output_tokens, prices.output)]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _part(tokens: int | None, price: float | None) -> float | None:
    if tokens == 0:
        return 0.0
    return None if tokens is None or price is None else tokens * price / _MILLION
