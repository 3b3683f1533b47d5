"""Numbers drawn from a seed: the same on every machine and with every version of numpy."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]


class Draws:
    """A stream of random whole numbers.

    Parameters
    ----------
    seed
        Of the study.
    names
        What the stream is for; another name is another stream.
    """

    def __init__(self, seed: int, *names: str) -> None:
        digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
        self._bits = np.random.PCG64(int.from_bytes(digest[:16], "big"))

    def below(self, limit: int, count: int) -> Whole:
        """Return ``count`` numbers in [0, limit)."""
        # Raw bits are the only output that numpy promises never to change.
        return np.asarray((self._bits.random_raw(count) >> np.uint64(11)) % np.uint64(limit), dtype=np.int64)

    def some(self, of: Whole, count: int) -> Whole:
        """Return ``count`` different ones in their order; all when there are no more."""
        if len(of) <= count:
            return of
        chance = self._bits.random_raw(len(of))
        return np.sort(of[np.argsort(chance, kind="stable")[:count]])
