"""Which counts a subset can have at all, when participants stay whole and some have a fixed place.

Answered for one measure at a time, exactly: the sums that some choice of participants reaches,
as the bits of one whole number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.splits.measures import Measure
from scrubin.splits.search.groups import Group

LARGEST_TOTAL = 200_000
"""Beyond it every count is taken for reachable: one bit per unit would take too long, and a unit matters too little."""


@dataclass(frozen=True)
class Reach:
    """What one measure can come to in a subset.

    Parameters
    ----------
    fixed
        Count per subset that participants with a fixed place bring along.
    free
        Bit n is set when some of the others add up to n; None when every count is taken for reachable.
    """

    fixed: tuple[int, ...]
    free: int | None

    def nearest(self, subset: int, target: float) -> float:
        """Return the reachable count nearest to a target; of two equally near ones the smaller.

        >>> Reach((2, 0), 0b10001).nearest(0, 4.5)
        6
        """
        if self.free is None:
            return max(target, float(self.fixed[subset]))
        wanted = target - self.fixed[subset]
        if wanted <= 0:
            return self.fixed[subset]
        below = (self.free & ((1 << (int(wanted) + 1)) - 1)).bit_length() - 1
        rest = self.free >> (int(wanted) + 1)
        if rest == 0:
            return self.fixed[subset] + below
        above = int(wanted) + (rest & -rest).bit_length()
        return self.fixed[subset] + (below if wanted - below <= above - wanted else above)


def reach(measure: int, of: Measure, groups: Sequence[Group], subsets: int) -> Reach:
    """Return what a measure can come to; ``measure`` is its place among the values of the groups."""
    fixed = [0.0] * subsets
    free: Counter[int] = Counter()
    for group in groups:
        value = group.values[measure]
        if group.place is not None:
            fixed[group.place] += value * len(group.members)
        elif value:
            free[round(value)] += len(group.members)
    whole = tuple(round(value) for value in fixed)
    if not of.whole or np.sum(of.values) > LARGEST_TOTAL:
        return Reach(whole, None)
    bits = 1
    for value, times in sorted(free.items()):
        # Any number of `times` equal values: 1, 2, 4 ... of them at once, and the rest.
        left, step = times, 1
        while left:
            taken = min(step, left)
            bits |= bits << (value * taken)
            left, step = left - taken, 2 * step
    return Reach(whole, bits)
