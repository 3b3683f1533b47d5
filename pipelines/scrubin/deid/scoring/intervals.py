"""How sure a share is: Wilson's interval (Wilson 1927, J. Am. Stat. Assoc. 22, equation for the limits of p)."""

from __future__ import annotations

import math

NORMAL_975 = 1.959963984540054


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share; NaN without anything to count.

    >>> low, high = wilson(10, 10)
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    if total == 0:
        return math.nan, math.nan
    z2 = NORMAL_975**2
    share = count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = NORMAL_975 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    # Rounding must not take a bound past the share itself.
    return max(0.0, 0.0 if count == 0 else middle - half), min(1.0, 1.0 if count == total else middle + half)
