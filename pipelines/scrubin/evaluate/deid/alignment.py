"""Which source frame each released frame shows: the best way through both, by dynamic programming.

A released frame gains the likeness of its fingerprint to that of a source frame. From one released frame
to the next, the source goes on by as many frames as the clock says; other small steps cost a little, and
a jump to anywhere, forwards or back, costs ``JUMP``. Pictures that show nothing go on with the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
import numpy.typing as npt

Fingerprints = npt.NDArray[np.float32]
"""Shape (frames, values); rows of length 1 or 0."""

STEP, JUMP = 0.1, 2.0
CLEARLY = 0.2
SURE = 0.3
"""A frame that is less like the one it was put to may show anything, also a negative, and is where the clock says."""
NEAR = 3
BLOCK = 64
MOST_CELLS = 9_000_000
"""Beyond this many pairs of frames the way is first looked for among every n-th frame, and then beside it."""


def align(released: Fingerprints, times_s: npt.NDArray[np.float64], source: Fingerprints, fps: float) -> npt.NDArray[np.int64]:
    """Return the source frame that each released frame shows, shape (released frames,).

    Parameters
    ----------
    times_s
        Of the released frames.
    fps
        Of the source.
    """
    steps = np.diff(times_s, prepend=times_s[:1]) * fps
    every = ceil((len(released) * len(source) / MOST_CELLS) ** 0.5)
    if every <= 1:
        way = _way(released, steps, source, np.zeros(len(released), np.int64), len(source))
    else:
        coarse = _way(released[::every], steps[::every], source[::every], np.zeros(len(released[::every]), np.int64), len(source[::every]))
        wide = min(8 * every, len(source))
        middle = np.interp(np.arange(len(released)), np.arange(len(coarse)) * every, coarse * every)
        bases = np.clip(middle.astype(np.int64) - wide // 2, 0, len(source) - wide)
        way = _way(released, steps, source, bases, wide)
    return _by_the_clock(_settled(way, released, source), steps, released, source)


def _way(
    released: Fingerprints, steps: npt.NDArray[np.float64], source: Fingerprints, bases: npt.NDArray[np.int64], wide: int
) -> npt.NDArray[np.int64]:
    """Return the best way; released frame j may show the source frames bases[j] to bases[j] + wide - 1."""
    usual = float(np.median(steps[1:])) if len(steps) > 1 else 1.0
    reach = range(max(4, ceil(2 * usual)) + 1)
    likenesses = _likenesses(released, source, bases, wide)
    total = next(likenesses)
    came_from = np.zeros((len(released), wide), np.int32)
    for j in range(1, len(released)):
        moved = int(bases[j] - bases[j - 1])
        best_place = int(total.argmax())
        best, origin = np.full(wide, total[best_place] - JUMP), np.full(wide, best_place, np.int32)
        for step in reach:
            # Place k of this row is source frame bases[j] + k; it comes from place k + moved - step of the row before.
            low, high = max(0, step - moved), min(wide, wide + step - moved)
            if low >= high:
                continue
            before = total[low + moved - step : high + moved - step] - STEP * abs(step - steps[j])
            better = before > best[low:high]
            best[low:high][better] = before[better]
            origin[low:high][better] = np.arange(low + moved - step, high + moved - step, dtype=np.int32)[better]
        total = best + next(likenesses)
        came_from[j] = origin
    places = np.empty(len(released), np.int64)
    place = int(total.argmax())
    for j in range(len(released) - 1, -1, -1):
        places[j] = place
        place = int(came_from[j, place])
    return places + bases


def _likenesses(released: Fingerprints, source: Fingerprints, bases: npt.NDArray[np.int64], wide: int) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the likenesses of each released frame to the source frames that it may show; many are computed at once, which is faster."""
    for start in range(0, len(released), BLOCK):
        mine = bases[start : start + BLOCK]
        low, high = int(mine.min()), int(mine.max()) + wide
        block = released[start : start + BLOCK] @ source[low:high].T
        for row, base in zip(block, mine.tolist(), strict=True):
            yield row[base - low : base - low + wide]


def _settled(way: npt.NDArray[np.int64], released: Fingerprints, source: Fingerprints) -> npt.NDArray[np.int64]:
    """Return the way with frames that clearly show a neighbour's picture put there: a span may begin in a pause of the clock."""
    settled = way.copy()
    for j, frame in enumerate(way):
        low, high = max(0, frame - NEAR), min(len(source), frame + NEAR + 1)
        likeness = source[low:high] @ released[j]
        if likeness.max() - likeness[frame - low] > CLEARLY:
            settled[j] = low + int(likeness.argmax())
    return settled


def _by_the_clock(
    way: npt.NDArray[np.int64], steps: npt.NDArray[np.float64], released: Fingerprints, source: Fingerprints
) -> npt.NDArray[np.int64]:
    """Return the way with frames that show none of the source put where the clock goes on from the last one that does."""
    sure = np.flatnonzero(np.einsum("ij,ij->i", released, source[way]) >= SURE)
    if not len(sure):
        return way
    places = np.arange(len(way))
    anchors = sure[np.maximum(np.searchsorted(sure, places, side="right") - 1, 0)]
    elapsed = np.cumsum(steps)
    return np.clip(way[anchors] + np.rint(elapsed - elapsed[anchors]).astype(np.int64), 0, len(source) - 1)
