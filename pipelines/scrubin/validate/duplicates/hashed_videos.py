"""Videos as hashes of their frames, and which of the others they might be a copy of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

ANCHORS = 40
"""So many frames of a video are looked for in the others."""
VOTES = 5
"""So many of them must be found at one shift, give or take a frame, for it to be looked at closely."""
PLACE_BITS = 24
"""Room for the number of a frame in its video beside the number of different bits."""
BLOCK = 1 << 15
"""So many frames are compared at once: they fit a processor's cache."""
MIN_COUNTING = 16
"""Of fewer bits that count, a moment proves little: a difference is not scaled up further."""


@dataclass(frozen=True)
class HashedVideo:
    """One video as hashes, one per extracted frame; ``usable`` is False where a frame is no evidence."""

    id: str
    camera: str
    hashes: Bits
    usable: npt.NDArray[np.bool_] = field(repr=False)

    @cached_property
    def count(self) -> int:
        """So many frames are evidence."""
        return int(self.usable.sum())

    @cached_property
    def moments(self) -> tuple[Moments, Moments]:
        """What another video is compared with: the frames, and what lies between each frame and the next."""
        following = np.append(self.hashes[1:], self.hashes[-1:])
        same = ~(self.hashes ^ following)
        share = np.maximum(np.bitwise_count(same), MIN_COUNTING).astype(np.int64)
        every, all_bits = np.full(len(same), ~np.uint64(0)), np.full(len(same), 64)
        both = self.usable & np.append(self.usable[1:], np.zeros(min(1, len(same)), dtype=bool))
        return Moments(self.hashes, every, all_bits, self.usable, whole=True), Moments(self.hashes, same, share, both, whole=False)


@dataclass(frozen=True)
class Moments:
    """Hashes of which some bits count, ``of`` so many; ``usable`` is False where there is no evidence.

    Of what lies between two frames, the bits count that these have in common: what is the same before and
    after is mostly the same in between.
    """

    hashes: Bits
    counting: Bits
    of: Whole
    usable: npt.NDArray[np.bool_]
    whole: bool

    def bits(self, hashes: Bits, at: Whole | slice) -> Whole:
        """Return how many of 64 bits differ from hashes, as far as they count, scaled to 64."""
        differing: Whole = np.bitwise_count((self.hashes[at] ^ hashes) & self.counting[at]).astype(np.int64)
        return differing if self.whole else differing * 64 // self.of[at]


def _in_order(videos: Sequence[HashedVideo]) -> list[HashedVideo]:
    """Return videos with the fewest usable frames first. Names decide only between equal videos, so that renaming changes no result."""
    return sorted(videos, key=lambda video: (video.count, len(video.hashes), video.hashes.tobytes(), video.id, video.camera))


class Shelf:
    """All videos end to end, in order, so that a frame is compared with all of them at once."""

    def __init__(self, videos: Sequence[HashedVideo]) -> None:
        self.videos = _in_order(videos)
        lengths = [len(video.hashes) for video in self.videos]
        self.starts = np.cumsum([0, *lengths])
        self.hashes = np.concatenate([video.hashes for video in self.videos]) if videos else np.empty(0, np.uint64)
        self.usable = np.concatenate([video.usable for video in self.videos]) if videos else np.empty(0, bool)
        self.video_of = np.repeat(np.arange(len(videos)), lengths)
        place = (np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], lengths)).astype(np.uint32)
        # Different bits above the place in the video, in one number: the smallest is the best match. No evidence is far away.
        self._place = place | np.where(self.usable, 0, 1 << 31).astype(np.uint32)
        self._blocks = _blocks(self.starts)

    def candidates(self, i: int) -> Iterator[tuple[int, int]]:
        """Yield (number of a later video, shift) where several anchors of a video are found at one shift."""
        video = self.videos[i]
        anchors = _anchors(video)
        if not len(anchors) or i + 1 == len(self.videos):
            return
        shifts = np.sort(self._best_matches(video.hashes[anchors], i + 1) - anchors[:, None], axis=0)
        # How many of the sorted shifts from each on are equal to it or one more.
        votes = np.stack([((shifts >= one) & (shifts <= one + 1)).sum(axis=0) for one in shifts])
        for k in np.flatnonzero(votes.max(axis=0) >= min(VOTES, (len(anchors) + 1) // 2)):
            if self.videos[i + 1 + k].id != video.id:
                yield i + 1 + int(k), int(shifts[int(votes[:, k].argmax()), k])

    def _best_matches(self, hashes: Bits, first: int) -> Whole:
        """Return for each hash and each video from ``first`` on the place of the frame nearest to it, shape (hashes, videos)."""
        nearest = np.empty((len(hashes), len(self.videos) - first), dtype=np.uint32)
        for block in self._blocks:
            low, high = max(block[0], first), block[1]
            if low >= high:
                continue
            frames = slice(self.starts[low], self.starts[high])
            here, place, starts = self.hashes[frames], self._place[frames], self.starts[low:high] - self.starts[low]
            for row, value in enumerate(hashes):
                bits = np.left_shift(np.bitwise_count(here ^ value), PLACE_BITS, dtype=np.uint32)
                np.bitwise_or(bits, place, out=bits)
                np.minimum.reduceat(bits, starts, out=nearest[row, low - first : high - first])
        return (nearest & np.uint32((1 << PLACE_BITS) - 1)).astype(np.int64)


def _blocks(starts: Whole) -> list[tuple[int, int]]:
    """Return ranges of videos of about ``BLOCK`` frames each."""
    edges = [0]
    for k in range(1, len(starts)):
        if starts[k] - starts[edges[-1]] >= BLOCK:
            edges.append(k)
    if edges[-1] != len(starts) - 1:
        edges.append(len(starts) - 1)
    return list(pairwise(edges))


def _anchors(video: HashedVideo) -> Whole:
    """Return frames spread over the video that differ most from the rest of it and least from their neighbours."""
    places = np.flatnonzero(video.usable)
    if not len(places):
        return places
    sample = video.hashes[places[:: max(1, len(places) // 64)]]
    rare = np.median(np.bitwise_count(video.hashes[places][:, None] ^ sample[None, :]), axis=1).astype(np.int64)
    before, after = video.hashes[np.maximum(places - 1, 0)], video.hashes[np.minimum(places + 1, len(video.hashes) - 1)]
    moves = np.maximum(np.bitwise_count(video.hashes[places] ^ before), np.bitwise_count(video.hashes[places] ^ after)).astype(np.int64)
    slots = np.array_split(np.arange(len(places)), min(ANCHORS, len(places)))
    return np.array([places[slot[int(np.argmax((rare - moves)[slot]))]] for slot in slots], dtype=np.int64)
