"""Recordings too short for a run of frames to prove anything: compared as a whole with all others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from scrubin.validate.duplicates.evidence import Agreement
from scrubin.validate.duplicates.hashed_videos import HashedVideo, Shelf, Whole, ragged

LEAST = 3
"""Recordings with fewer usable frames are not judged."""
CLOSER = 2, 5
"""A copy is closer than this part (two fifths) of how far recordings are otherwise."""
OTHERWISE = 3, 20
"""How far recordings are otherwise tells the third nearest, or the one at a twentieth of all: a few may be copies, too."""
SAMPLE = 400
"""Of more recordings, how far they are otherwise tells a part, spread over all."""
FEW = 10
"""Among fewer recordings that is no measure: then what moves within the recording is."""


def agreements(shelf: Shelf, below: int) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    """Yield a video with fewer usable frames than ``below``, one that is not shorter, and how they agree, for each near-duplicate."""
    recordings = _recordings(shelf)
    # Videos stand in order of their usable frames.
    first = np.searchsorted(shelf.counts, shelf.counts)
    low, high = np.searchsorted(shelf.counts, [LEAST, max(LEAST, below)])
    samples = {start: _sample(np.arange(start, len(shelf.videos)), recordings) for start in np.unique(first[low:high])}
    for i, others, shifts in _partners(shelf, first, low, high):
        sample = samples[first[i]]
        sample = sample[recordings[sample] != recordings[i]]
        otherwise = _otherwise(shelf.videos[i], _nearest(shelf.videos[i], shelf, sample), recordings[sample])
        different = recordings[others] != recordings[i]
        yield from _copies(shelf.videos[i], shelf, others[different], shifts[different], otherwise)


def _recordings(shelf: Shelf) -> Whole:
    """Return the number of each video's recording; they are numbered as they stand on the shelf."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(video.id, len(numbers)) for video in shelf.videos], dtype=np.int64)


def _partners(shelf: Shelf, first: Whole, low: int, high: int) -> Iterator[tuple[int, Whole, Whole]]:
    """Yield the number of a short video, and at which shifts it is to be compared with which others: at all, or where they meet."""
    if shelf.index:
        yield from shelf.index.shifts(low, high, first)
        return
    for i in range(low, high):
        others = np.arange(first[i], len(shelf.videos))
        yield i, *_at_every_shift(shelf.videos[i], shelf, others)


def _copies(
    video: HashedVideo, shelf: Shelf, others: Whole, shifts: Whole, otherwise: float
) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    bits, _ = _mean_bits(video, shelf, others, shifts)
    for k in np.unique(others[CLOSER[1] * bits < CLOSER[0] * otherwise]):
        repeated, everywhere = _at_every_shift(video, shelf, np.array([k]))
        bits, common = _mean_bits(video, shelf, repeated, everywhere)
        best = int(bits.argmin())
        # Beside runs, whose evidence is counted, a whole recording comes last.
        yield video, shelf.videos[k], Agreement(int(everywhere[best]), 0, int(common[best]), int(common[best]))


def _sample(others: Whole, recordings: Whole) -> Whole:
    """Return the videos of recordings spread over all others; of a few recordings all."""
    known = np.unique(recordings[others])
    return others[np.isin(recordings[others], known[:: max(1, -(-len(known) // SAMPLE))])]


def _at_every_shift(video: HashedVideo, shelf: Shelf, others: Whole) -> tuple[Whole, Whole]:
    """Return each of others as often as there are shifts at which a video lies over one of its frames at least, and these shifts."""
    before = len(video.hashes) - 1
    counts = shelf.lengths[others] + before
    return np.repeat(others, counts), ragged(np.full(len(others), -before), counts)


def _nearest(video: HashedVideo, shelf: Shelf, others: Whole) -> npt.NDArray[np.float64]:
    """Return by how many bits a video differs from each of others, where it agrees best."""
    if not len(others):
        return np.empty(0)
    bits, _ = _mean_bits(video, shelf, *_at_every_shift(video, shelf, others))
    counts = shelf.lengths[others] + len(video.hashes) - 1
    nearest: npt.NDArray[np.float64] = np.minimum.reduceat(bits, np.cumsum(counts) - counts)
    return nearest


def _mean_bits(video: HashedVideo, shelf: Shelf, others: Whole, shifts: Whole) -> tuple[npt.NDArray[np.float64], Whole]:
    """Return the mean of different bits at each of these shifts, infinite where too few frames are compared, and how many are."""
    bits, common = np.zeros(len(others), dtype=np.int64), np.zeros(len(others), dtype=np.int64)
    starts, lengths = shelf.starts[others], shelf.lengths[others]
    for place in np.flatnonzero(video.usable):
        at = shifts + place
        inside = (at >= 0) & (at < lengths)
        frames = starts + np.where(inside, at, 0)
        known = inside & shelf.usable[frames]
        bits += np.bitwise_count(shelf.hashes[frames] ^ video.hashes[place]) * known
        common += known
    enough = common >= max(LEAST, (video.count + 1) // 2)
    return np.where(enough, bits / np.maximum(common, 1), np.inf), common


def _otherwise(video: HashedVideo, nearest: npt.NDArray[np.float64], recordings: Whole) -> float:
    """Return how many bits a recording and others usually differ by."""
    numbers, which = np.unique(recordings, return_inverse=True)
    by_recording = np.full(len(numbers), np.inf)
    np.minimum.at(by_recording, which, nearest)
    known = np.sort(by_recording[np.isfinite(by_recording)])
    if len(known) < FEW:
        return _moving(video)
    third, part = OTHERWISE
    return float(known[max(third, len(known) // part) - 1])


def _moving(video: HashedVideo) -> float:
    """Return the median of different bits between the frames of a video."""
    hashes: npt.NDArray[np.uint64] = video.hashes[video.usable]
    one, other = np.triu_indices(len(hashes), 1)
    return float(np.median(np.bitwise_count(hashes[one] ^ hashes[other])))
