"""Sample moments whose value does not depend on the order of the values.

Sums are exactly rounded, so that permuted rows and relabelled raters give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

ROUNDING = 1e-12
"""Values closer than this share of the largest of them differ by rounding only."""


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN without values.

    >>> mean([1.0, 2.0, 6.0])
    3.0
    """
    return math.fsum(values) / len(values) if len(values) else math.nan


def constant(values: Sequence[float]) -> bool:
    """Return whether all values are equal up to rounding: to 1e-12 of the largest of them, or of 1.

    >>> constant([0.1 + 0.2, 0.3]), constant([0.3, 0.3001])
    (True, False)
    """
    return len(values) > 0 and max(values) - min(values) <= ROUNDING * max(1.0, *(abs(value) for value in values))


def squares(values: Sequence[float]) -> float:
    """Return the sum of squared deviations from the mean; NaN without values, exactly 0 for equal ones."""
    if constant(values):
        return 0.0
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) if len(values) else math.nan


def products(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the sum of products of the deviations of paired values; NaN without values, exactly 0 when one is constant."""
    if constant(x) or constant(y):
        return 0.0
    centre_x, centre_y = mean(x), mean(y)
    return math.fsum((a - centre_x) * (b - centre_y) for a, b in zip(x, y, strict=True)) if len(x) else math.nan


def sd(values: Sequence[float]) -> float:
    """Return the sample standard deviation (n - 1); NaN with fewer than two values.

    Equal values give exactly 0.

    >>> sd([2.0, 4.0, 6.0])
    2.0
    """
    if len(values) < 2:
        return math.nan
    return math.sqrt(squares(values) / (len(values) - 1))
