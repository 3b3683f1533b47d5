"""Undefined numbers: NaN in tables, null in JSON, never 0."""

from __future__ import annotations

import math
from typing import Any

DECIMALS = 9


def without_nan(value: Any) -> Any:
    """Return a JSON value with null in place of NaN, because JSON has no NaN."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def settled(value: float) -> float:
    """Return a number without its last digits, which depend on the order in which a library adds up; NaN when it is not finite.

    >>> settled(0.1234567891234), settled(-1e-17), settled(float("inf"))
    (0.123456789, 0.0, nan)
    """
    number = float(value)
    # Adding 0.0 turns -0.0 into 0.0.
    return round(number, DECIMALS) + 0.0 if math.isfinite(number) else math.nan
