"""Sample statistics whose values do not depend on an order; undefined numbers stay undefined.

Sums are exactly rounded, so that permuted rows and relabelled raters give the same bits.

Source of Lin's rho_c: LASANA, section Statistical analysis, equation 4, footnote 5.

The paper's chain of equalities holds only with 1/n throughout, and its two forms differ:
``bessel`` is its second form, n - 1 throughout (primary); ``lin1989`` is 1/n throughout, as
Lin defined it; ``paper_first_form`` takes 1/n for the squared difference and n - 1 for the
variances.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

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
    if not len(values):
        return False
    # Infinite ones are equal, but not apart by any number.
    return max(values) == min(values) or max(values) - min(values) <= ROUNDING * max(1.0, *(abs(value) for value in values))


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


Form = Literal["bessel", "lin1989", "paper_first_form"]
FORMS: tuple[Form, ...] = ("bessel", "lin1989", "paper_first_form")
PRIMARY: Form = "bessel"


def concordance(x: Sequence[float], y: Sequence[float], form: Form = PRIMARY) -> float:
    """Return Lin's rho_c of paired scores, in [-1, 1].

    Undefined (NaN) with fewer than two pairs, as one has no spread (Lin's 1/n would give 0, as if people disagreed), and for 0/0,
    that is for two constant vectors with the same mean.

    >>> concordance([1, 2, 3, 4], [3, 4, 5, 6])
    0.45454545454545453
    """
    n = len(x)
    if n < 2:
        return math.nan
    degrees = n if form == "lin1989" else n - 1
    if constant([*x, *y]):
        return math.nan
    spread = (squares(x) + squares(y)) / degrees
    expected = spread + (mean(x) - mean(y)) ** 2
    if form == "paper_first_form":
        return 1 - math.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / n / expected
    return 2 * products(x, y) / degrees / expected


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Pearson's r of paired values; NaN with fewer than two or constant ones."""
    if len(x) < 2 or constant(x) or constant(y):
        return math.nan
    return products(x, y) / math.sqrt(squares(x) * squares(y))


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Spearman's rank correlation (mean ranks for ties); NaN with fewer than two or constant values.

    Values that differ by rounding only are ties.

    >>> spearman([1, 2, 3], [30, 20, 10])
    -1.0
    """
    return correlation(_ranks(x), _ranks(y))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal ones share their mean rank.

    >>> _ranks([0.3, 0.1 + 0.2, 0.1])
    [2.5, 2.5, 1.0]
    """
    own = levels(values)
    at = Counter(own)
    ends = list(itertools.accumulate(at[level] for level in range(len(at))))
    return [(2 * ends[level] - at[level] + 1) / 2 for level in own]


def levels(values: Sequence[float]) -> list[int]:
    """Return on which level each value is, from 0 for the smallest: those that differ by rounding only are on one.

    >>> levels([0.3, 0.1 + 0.2, 0.1])
    [1, 1, 0]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0] * len(values)
    for before, at in itertools.pairwise(order):
        found[at] = found[before] + (not constant([values[before], values[at]]))
    return found


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
