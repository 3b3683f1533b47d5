"""How far paired values go together: Pearson, Spearman, and Lin's concordance.

Source of Lin's rho_c: LASANA, section Statistical analysis, equation 4, footnote 5.

The paper's chain of equalities holds only with 1/n throughout, and its two forms differ:
``bessel`` is its second form, n - 1 throughout (primary); ``lin1989`` is 1/n throughout, as
Lin defined it; ``paper_first_form`` takes 1/n for the squared difference and n - 1 for the
variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from scrubin.statistics import moments

Form = Literal["bessel", "lin1989", "paper_first_form"]
FORMS: tuple[Form, ...] = ("bessel", "lin1989", "paper_first_form")
PRIMARY: Form = "bessel"


def concordance(x: Sequence[float], y: Sequence[float], form: Form = PRIMARY) -> float:
    """Return Lin's rho_c of paired scores, in [-1, 1].

    Undefined (NaN) without values, for a form with n - 1 with fewer than two, and for 0/0,
    that is for two constant vectors with the same mean.

    >>> concordance([1, 2, 3, 4], [3, 4, 5, 6])
    0.45454545454545453
    """
    n = len(x)
    degrees = n if form == "lin1989" else n - 1
    if degrees < 1:
        return math.nan
    if moments.constant([*x, *y]):
        return math.nan
    spread = (moments.squares(x) + moments.squares(y)) / degrees
    expected = spread + (moments.mean(x) - moments.mean(y)) ** 2
    if form == "paper_first_form":
        return 1 - math.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / n / expected
    return 2 * moments.products(x, y) / degrees / expected


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Pearson's r of paired values; NaN with fewer than two or constant ones."""
    if len(x) < 2 or moments.constant(x) or moments.constant(y):
        return math.nan
    return moments.products(x, y) / math.sqrt(moments.squares(x) * moments.squares(y))


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
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or not moments.constant([values[order[end - 1]], values[order[end]]]):
            for i in order[start:end]:
                ranks[i] = (start + 1 + end) / 2
            start = end
    return ranks
