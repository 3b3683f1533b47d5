"""One number that joins what was done with what was kept.

The harmonic mean is that of van Rijsbergen 1979, "Information retrieval", chapter 7: it is near the smaller of its parts, so
neither of them can pay for the other. It is 0 when a part is 0, and 1 only when all are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scrubin.deid.kinds import KINDS, Carrier


@dataclass(frozen=True)
class Joined:
    """What was done and what was kept, in one number; NaN where nothing can be counted.

    Parameters
    ----------
    value
        Harmonic mean of ``done`` and ``kept``.
    done
        Harmonic mean of the carriers' shares.
    kept
        Useful seconds that are kept, each as much as the area that it shows, of all useful seconds.
    carriers
        By carrier the mean of the shares done of its kinds; only carriers that the key has.
    kinds
        By kind the harmonic mean of its share done and ``kept``.
    items, useful_frames
        What all of this was counted on.
    """

    value: float
    done: float
    kept: float
    carriers: Mapping[Carrier, float]
    kinds: Mapping[str, float]
    items: int
    useful_frames: int


def joined(shares: Mapping[str, float], kept: float, items: int, useful_frames: int) -> Joined:
    """Join the share done of each kind with the share kept.

    Parameters
    ----------
    shares
        Kind to done of items; kinds that the key does not have are left out.
    """
    by_carrier: dict[Carrier, list[float]] = {}
    for kind, share in shares.items():
        by_carrier.setdefault(KINDS[kind].carrier, []).append(share)
    carriers = {carrier: math.fsum(mine) / len(mine) for carrier, mine in by_carrier.items()}
    done = harmonic(carriers.values())
    kinds = {kind: harmonic((share, kept)) for kind, share in shares.items()}
    return Joined(harmonic((done, kept)), done, kept, carriers, kinds, items, useful_frames)


def harmonic(values: Iterable[float]) -> float:
    """Return the harmonic mean; 0 when one value is 0, NaN when there is none or one is undefined.

    >>> harmonic([1.0, 0.5]), harmonic([1.0, 0.0])
    (0.6666666666666666, 0.0)
    """
    every: Sequence[float] = list(values)
    if not every or any(math.isnan(value) for value in every):
        return math.nan
    if min(every) <= 0:
        return 0.0
    return len(every) / math.fsum(1 / value for value in every)
