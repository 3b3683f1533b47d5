"""Two ways to compare: with figures as printed, and with numbers of a program at full precision."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Decimal

SLACK = 1e-9
"""So much a number of ours may lie beyond half a unit of the last printed digit: a sum in another order."""


def verdict(printed: str, ours: float | None) -> str:
    """Return how a number of ours agrees with a printed figure.

    Returns
    -------
    str
        ``equal`` to the digits printed; ``cut off`` when the printed figure is ours with its further digits left out;
        ``different``; ``not there`` when there is no number of ours.
    """
    if ours is None or math.isnan(ours):
        return "not there"
    figure = Decimal(printed)
    unit = Decimal(1).scaleb(int(figure.as_tuple().exponent))
    if abs(ours - float(figure)) <= float(unit) / 2 + SLACK:
        return "equal"
    cut = Decimal(repr(ours)).quantize(unit, rounding=ROUND_FLOOR)
    return "cut off" if cut == figure else "different"


def agreement(pairs: Iterable[tuple[float | None, float]]) -> dict[str, float | int]:
    """Return how many numbers two programs both have, how many both call undefined, and the largest difference.

    A number that only one of them has counts in ``one_sided``.
    """
    numbers = undefined = one_sided = 0
    worst = 0.0
    for ours, theirs in pairs:
        left, right = ours is None or math.isnan(ours), math.isnan(theirs)
        if left and right:
            undefined += 1
        elif left or right:
            one_sided += 1
        elif ours is not None:
            numbers += 1
            worst = max(worst, abs(ours - theirs))
    return {"numbers": numbers, "undefined": undefined, "one_sided": one_sided, "worst": worst}
