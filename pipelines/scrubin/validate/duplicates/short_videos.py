"""Recordings too short for a run of frames to prove anything: compared as a whole with all others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from scrubin.validate.duplicates.evidence import Agreement
from scrubin.validate.duplicates.hashed_videos import HashedVideo, Shelf, Whole

LEAST = 3
"""Recordings with fewer usable frames are not judged."""
CLOSER = 2, 5
"""A copy is closer than this part (two fifths) of how far recordings are otherwise."""
OTHERWISE = 3, 20
"""How far recordings are otherwise tells the third nearest, or the one at a twentieth of all: a few may be copies, too."""
FEW = 10
"""Among fewer recordings that is no measure: then what moves within the recording is."""


def agreements(shelf: Shelf, below: int) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    """Yield a video with fewer usable frames than ``below``, one that is not shorter, and how they agree, for each near-duplicate."""
    row = _Row(shelf, below)
    for video in shelf.videos:
        if LEAST <= video.count < below:
            yield from _copies(video, shelf, row)


class _Row:
    """All videos in one row with room between them, so that a video can be laid anywhere over each of them."""

    def __init__(self, shelf: Shelf, below: int) -> None:
        longest = max((len(video.hashes) for video in shelf.videos if LEAST <= video.count < below), default=0)
        self.starts = shelf.starts[:-1] + np.arange(1, len(shelf.videos) + 1) * longest
        self.edges = self.starts - longest
        size = int(shelf.starts[-1]) + (len(shelf.videos) + 1) * longest
        here = np.arange(shelf.starts[-1]) + (shelf.video_of + 1) * longest
        self.hashes = np.zeros(size, dtype=np.uint64)
        self.hashes[here] = shelf.hashes
        self.usable = np.zeros(size, dtype=bool)
        self.usable[here] = shelf.usable

    def laid_over(self, video: HashedVideo) -> tuple[Whole, Whole]:
        """Return for each place of the video's first frame the different bits and the usable frames in common."""
        bits, common = np.zeros(len(self.hashes), dtype=np.int64), np.zeros(len(self.hashes), dtype=np.int64)
        for k in np.flatnonzero(video.usable):
            usable = self.usable[k:]
            bits[: len(usable)] += np.bitwise_count(self.hashes[k:] ^ video.hashes[k]) * usable
            common[: len(usable)] += usable
        return bits, common


def _copies(video: HashedVideo, shelf: Shelf, row: _Row) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    bits, common = row.laid_over(video)
    enough = common >= max(LEAST, (video.count + 1) // 2)
    mean = np.where(enough, bits / np.maximum(common, 1), np.inf)
    others = [k for k, other in enumerate(shelf.videos) if other.id != video.id and other.count >= video.count]
    nearest = np.minimum.reduceat(mean, row.edges)
    otherwise = _otherwise(video, {k: float(nearest[k]) for k in others}, shelf)
    for k in others:
        if CLOSER[1] * nearest[k] < CLOSER[0] * otherwise:
            end = row.edges[k + 1] if k + 1 < len(row.edges) else len(mean)
            place = int(row.edges[k]) + int(mean[row.edges[k] : end].argmin())
            shift, compared = place - int(row.starts[k]), int(common[place])
            # Beside runs, whose evidence is counted, a whole recording comes last.
            yield video, shelf.videos[k], Agreement(shift, 0, compared, compared)


def _otherwise(video: HashedVideo, nearest: dict[int, float], shelf: Shelf) -> float:
    """Return how many bits a recording and others usually differ by."""
    by_id: dict[str, float] = {}
    for k, bits in nearest.items():
        name = shelf.videos[k].id
        by_id[name] = min(by_id.get(name, np.inf), bits)
    known = sorted(bits for bits in by_id.values() if np.isfinite(bits))
    if len(known) < FEW:
        return _moving(video)
    third, part = OTHERWISE
    return known[max(third, len(known) // part) - 1]


def _moving(video: HashedVideo) -> float:
    """Return the median of different bits between the frames of a video."""
    hashes: npt.NDArray[np.uint64] = video.hashes[video.usable]
    one, other = np.triu_indices(len(hashes), 1)
    return float(np.median(np.bitwise_count(hashes[one] ^ hashes[other])))
