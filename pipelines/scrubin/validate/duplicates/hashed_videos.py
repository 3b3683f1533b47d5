"""Videos as hashes of their frames, and which of the others they might be a copy of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from scrubin.validate.duplicates.frame_index import FrameIndex

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
    """All videos end to end, in order, so that a frame is compared with many of them at once.

    Parameters
    ----------
    every_pair
        Up to so many videos, each is compared with each; of more, those that meet in an index of all frames.
    """

    def __init__(self, videos: Sequence[HashedVideo], every_pair: int) -> None:
        self.videos = _in_order(videos)
        self._every_pair = every_pair
        lengths = [len(video.hashes) for video in self.videos]
        self.starts = np.cumsum([0, *lengths])
        self.hashes = np.concatenate([video.hashes for video in self.videos]) if videos else np.empty(0, np.uint64)
        self.usable = np.concatenate([video.usable for video in self.videos]) if videos else np.empty(0, bool)
        self.lengths = np.array(lengths, dtype=np.int64)
        self.counts = np.array([video.count for video in self.videos], dtype=np.int64)
        place = ragged(np.zeros_like(self.lengths), self.lengths).astype(np.uint32)
        # Different bits above the place in the video, in one number: the smallest is the best match. No evidence is far away.
        self._place = place | np.where(self.usable, 0, 1 << 31).astype(np.uint32)

    @cached_property
    def index(self) -> FrameIndex | None:
        """The index of all frames; None of so few videos that every pair is compared."""
        return FrameIndex(self.hashes, self.usable, self.starts) if len(self.videos) > self._every_pair else None

    def partners(self) -> Iterator[tuple[int, Whole]]:
        """Yield the number of a video and the numbers of the later videos that it is to be compared with."""
        count = len(self.videos)
        if self.index:
            yield from self.index.partners(0, count, np.arange(1, count + 1))
        else:
            yield from ((i, np.arange(i + 1, count)) for i in range(count - 1))

    def candidates(self, i: int, others: Whole) -> Iterator[tuple[int, int]]:
        """Yield (number of another video, shift) where several anchors of a video are found at one shift."""
        video = self.videos[i]
        anchors = _anchors(video)
        if not len(anchors):
            return
        shifts = np.sort(self._best_matches(video.hashes[anchors], others) - anchors[:, None], axis=0)
        # How many of the sorted shifts from each on are equal to it or one more.
        votes = np.stack([((shifts >= one) & (shifts <= one + 1)).sum(axis=0) for one in shifts])
        for k in np.flatnonzero(votes.max(axis=0) >= min(VOTES, (len(anchors) + 1) // 2)):
            if self.videos[others[k]].id != video.id:
                yield int(others[k]), int(shifts[int(votes[:, k].argmax()), k])

    def _best_matches(self, hashes: Bits, others: Whole) -> Whole:
        """Return for each hash and each of other videos the place of the frame nearest to it, shape (hashes, videos)."""
        nearest = np.empty((len(hashes), len(others)), dtype=np.uint32)
        starts = np.cumsum([0, *self.lengths[others]])
        for low, high in _blocks(starts):
            frames = ragged(self.starts[others[low:high]], self.lengths[others[low:high]])
            here, place, edges = self.hashes[frames], self._place[frames], starts[low:high] - starts[low]
            for row, value in enumerate(hashes):
                bits = np.left_shift(np.bitwise_count(here ^ value), PLACE_BITS, dtype=np.uint32)
                np.bitwise_or(bits, place, out=bits)
                np.minimum.reduceat(bits, edges, out=nearest[row, low:high])
        return (nearest & np.uint32((1 << PLACE_BITS) - 1)).astype(np.int64)


def ragged(starts: Whole, lengths: Whole) -> Whole:
    """Return ranges of these starts and lengths, end to end."""
    ends = np.cumsum(lengths)
    numbers: Whole = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    return numbers


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
