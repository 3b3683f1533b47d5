"""Frames that stand in two files: recorders that cut a recording sometimes write both sides of a seam."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from scrubin.stages.ingest.seam_pictures import PartPictures, Thumbnails

SAME_LEVEL = 3.0
"""Mean difference, of 255, of two thumbnails of one picture that was encoded twice; other pictures differ by more."""
POOR_LEVEL = 6.0
"""The same of a few frames among many whose place is known by all of them: some frames of a poor encoding differ by more than most."""
MOVING = 4.0
"""By so many times more than copies differ must pictures that follow each other differ, so that a place can be told from its neighbours."""
LEAST_NOISE = 0.05
COARSE_LEVEL = 4.0
"""Root of the mean squared difference of two pictures of 8 x 8, above which they are not compared any further."""
COARSE = 8
LAG_FRAMES = 12
"""Pictures that are so far apart must differ, where a place is to be told from its surroundings."""
MOST_SHIFTS, FEWEST_PAIRS, WINDOW_FRAMES = 6, 10, 50
CLEARLY = 2.0
Fetch = Callable[[int, int], Thumbnails]
"""Returns so many frames (second) from one on (first)."""


def overlap(ending: Thumbnails, beginning: Thumbnails) -> int:
    """Return the n for which the last n pictures of one file are best the first n of the next; 0 when there is none.

    Pictures that do not move fit at any place. There nothing is dropped: a doubled still picture harms nobody, a lost one does.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames.
    """
    most = min(len(ending), len(beginning))
    # Of most files the first picture says that nothing is doubled.
    like_first = np.abs(ending[len(ending) - most :] - beginning[:1]).mean(axis=(1, 2, 3)) <= SAME_LEVEL
    apart = {n: _apart(ending[-n:], beginning[:n]) for n in range(1, most + 1) if like_first[most - n]}
    best = min(apart, key=lambda n: (apart[n], -n), default=0)
    if not best or apart[best] > SAME_LEVEL:
        return 0
    # Where pictures hardly move, other places fit as well.
    return best if _motion(beginning[: best + 1]) >= MOVING * max(apart[best], LEAST_NOISE) else 0


def shift(one: PartPictures, other: PartPictures, of_one: Fetch, of_other: Fetch) -> int | None:
    """Return the frame of a file, perhaps a negative one, at which the first frame of another would stand if both hold the same pictures.

    None where they share none, or where it cannot be told: nothing moves, or the same movement comes again and again.

    Parameters
    ----------
    one, other
        What is known of them.
    of_one, of_other
        Decode more of them; they are asked for few frames, and only where something is alike.
    """
    found: dict[int, float] = {}
    for candidate in _candidates(one, other):
        pairs = _known_pairs(one, other, candidate)
        if len(pairs[0]) < FEWEST_PAIRS:
            # To decode more costs much: only where a known picture can be told from those around it.
            told = any(_is_told_here(one, other, *pair) for pair in zip(*pairs, strict=True))
            seen = _seen_closely(one, other, candidate, of_one, of_other) if told else None
        else:
            seen = (candidate, _told(one.pictures[pairs[0]].astype(np.float32), other.pictures[pairs[1]].astype(np.float32)))
        if seen is not None and seen[1] is not None:
            found[seen[0]] = seen[1]
    if not found:
        return None
    best = min(found, key=lambda at: found[at])
    rivals = [level for at, level in found.items() if abs(at - best) > LAG_FRAMES]
    return best if all(level > CLEARLY * max(found[best], LEAST_NOISE) for level in rivals) else None


def same_pictures(some: Thumbnails, others: Thumbnails) -> bool:
    """Return whether two runs of frames are the same, one by one."""
    return len(some) == len(others) and len(some) > 0 and _apart(some, others) <= POOR_LEVEL


def _candidates(one: PartPictures, other: PartPictures) -> Iterator[int]:
    """Yield shifts at which some of the known frames are alike, those with most of them first."""
    some, others = _coarse(one.pictures), _coarse(other.pictures)
    squares = (some**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None] - 2 * some @ others.T
    limit = COARSE_LEVEL**2 * some.shape[1]
    shifts: list[int] = []
    for axis in (0, 1):
        nearest, best = squares.argmin(axis=axis), squares.min(axis=axis)
        at = np.flatnonzero(best <= limit)
        of_one, of_other = (at, nearest[at]) if axis else (nearest[at], at)
        shifts += list(one.numbers[of_one] - other.numbers[of_other])
    values, counts = np.unique(np.array(shifts, dtype=np.int64), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_SHIFTS]
    yield from (int(value) for value in values[order])


def _known_pairs(one: PartPictures, other: PartPictures, at: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the places of the frames of both that are known and should be the same."""
    _, of_one, of_other = np.intersect1d(one.numbers, other.numbers + at, assume_unique=True, return_indices=True)
    return of_one, of_other


def _is_told_here(one: PartPictures, other: PartPictures, of_one: int, of_other: int) -> bool:
    """Return whether two pictures are alike, and others a moment before or after one of them are not."""
    some, others = one.pictures[of_one].astype(np.float32), other.pictures[of_other].astype(np.float32)
    level = float(np.abs(some - others).mean())
    around = [
        float(np.abs(picture - near).mean())
        for picture, file, at in ((some, other, other.numbers[of_other]), (others, one, one.numbers[of_one]))
        for near in file.pictures[np.isin(file.numbers, (at - LAG_FRAMES, at + LAG_FRAMES))]
    ]
    return level <= SAME_LEVEL and max(around, default=0.0) >= MOVING * max(level, LEAST_NOISE)


def _seen_closely(
    one: PartPictures, other: PartPictures, candidate: int, of_one: Fetch, of_other: Fetch
) -> tuple[int, float | None] | None:
    """Return the shift near a candidate that fits best in a stretch of frames that is decoded, and how well it does."""
    first, end = max(0, candidate), min(one.frame_count, candidate + other.frame_count)
    known = [int(number) for number in one.numbers if first <= number < end] or [first]
    middle = known[len(known) // 2]
    first = max(first, min(middle - WINDOW_FRAMES // 2, end - WINDOW_FRAMES))
    count = min(WINDOW_FRAMES, end - first)
    if count < FEWEST_PAIRS:
        return None
    some = of_one(first, count)
    low = max(0, first - candidate - LAG_FRAMES)
    high = min(other.frame_count, first - candidate + count + LAG_FRAMES)
    others = of_other(low, high - low)
    fits = {first - low - start: _told(some, others[start : start + count]) for start in range(len(others) - count + 1)}
    told = {at: level for at, level in fits.items() if level is not None}
    best = min(told, key=lambda at: told[at], default=None)
    return None if best is None else (best, told[best])


def _told(some: Thumbnails, others: Thumbnails) -> float | None:
    """Return by how much, of 255, frames that should be the same differ; None where they are others, or nothing moves."""
    apart = np.abs(some - others).mean(axis=(1, 2, 3))
    level, lag = float(np.median(apart)), min(LAG_FRAMES, len(some) - 1)
    motion = float(np.median(np.abs(some[lag:] - others[: len(others) - lag]).mean(axis=(1, 2, 3))))
    return level if level <= SAME_LEVEL and apart.max() <= POOR_LEVEL and motion >= MOVING * max(level, LEAST_NOISE) else None


def _coarse(pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    count, side = len(pictures), pictures.shape[1] // COARSE
    small: npt.NDArray[np.float32] = pictures.reshape(count, COARSE, side, COARSE, side, 3).mean(axis=(2, 4), dtype=np.float32)
    return small.reshape(count, -1)


def _apart(some: Thumbnails, others: Thumbnails) -> float:
    return float(np.abs(some - others).mean(axis=(1, 2, 3)).max())


def _motion(pictures: Thumbnails) -> float:
    if len(pictures) < 2:
        return 0.0
    return float(np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3)).max())
