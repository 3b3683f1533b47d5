"""Sample moments whose value does not depend on the order of the values.

Sums are exactly rounded, so that permuted rows and relabelled raters give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN without values.

    >>> mean([1.0, 2.0, 6.0])
    3.0
    """
    return math.fsum(values) / len(values) if len(values) else math.nan


def squares(values: Sequence[float]) -> float:
    """Return the sum of squared deviations from the mean; NaN without values."""
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) if len(values) else math.nan


def products(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the sum of products of the deviations of paired values; NaN without values."""
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
    if min(values) == max(values):
        return 0.0
    return math.sqrt(squares(values) / (len(values) - 1))
