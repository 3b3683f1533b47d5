"""How a number varies over the folds of a split."""

from __future__ import annotations

import statistics
from collections.abc import Iterable


def spread(values: Iterable[float | None]) -> dict[str, float | None]:
    """Return lowest, median and highest of the defined values, and how many they are; None without any.

    >>> spread([3, None, 1])
    {'n': 2, 'lowest': 1, 'median': 2.0, 'highest': 3}
    """
    defined = [value for value in values if value is not None]
    if not defined:
        return {"n": 0, "lowest": None, "median": None, "highest": None}
    return {"n": len(defined), "lowest": min(defined), "median": statistics.median(defined), "highest": max(defined)}
