"""Videos as hashes of their frames, looked up in sorted lists of all frames: which others they might be a copy of.

In each list the frames stand sorted by bits of their hashes, in an order of its own. Copies differ in few bits, so that in some lists
nothing or little stands between them; a frame that thousands share has no more neighbours than any other, and costs no more.
Lists of the second and third sort take the bits in turn from a frame and from frames shown later: where single pictures
look alike in all recordings of a room, what follows on them does not.

The cost grows with the number of frames. What counts as a copy is decided elsewhere, by ranks and not by a distance, so that no band of
bits holds all of it for certain: copies that are disturbed so badly that their best frames differ by 19 bits are accepted, too. But a
copy has many frames, and meets its source in many lists. ``benchmarks/near_duplicate_growth.py`` compares with comparing every pair: no
copy was lost. Lost were single pairs that are alike by chance. Of thousands that share a sequence, such as a title, only some pairs meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

LATER = ((0,), (0, 4), (0, 6, 13))
"""A list's bits are of a frame and of those so many frames later."""
LISTS = 4
"""So many lists of each sort."""
NEIGHBOURS = 4
"""A frame's neighbours are so many before it and behind it in each list."""
KEY_BITS, PLACE_BITS = 40, 24
"""A list is sorted by so many bits of hashes, and what is equal by the frame's place in its video."""
FARTHEST = 20
"""Neighbours that differ in more bits do not count; frames with nothing in common differ in 32."""
SLOTS = 40
"""Meetings of neighbouring frames are one: a video's time is cut into so many slots."""
SHARED_SLOTS = 4
"""In so many slots two videos must meet at one shift, give or take a frame."""
SLOT_BITS, SHIFT_BITS, VIDEO_BITS = 6, 25, 20
"""Room in a number for a slot, a shift and a video."""
ROWS, VIDEOS = 1 << 12, 1 << 10
"""About so many frames are looked up at once, of at most so many videos, which fit what is left of a number."""
SEED = 20_261_122


class FrameIndex:
    """Sorted lists of all usable frames.

    Parameters
    ----------
    hashes, usable
        Of all frames of all videos, end to end, shape (frames,).
    starts
        Where each video starts in them, and the end, shape (videos + 1,).
    """

    def __init__(self, hashes: Bits, usable: npt.NDArray[np.bool_], starts: Whole) -> None:
        self._lengths = lengths = np.diff(starts)
        self._rows = np.flatnonzero(usable)
        self._hashes = hashes[self._rows]
        video_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        self._videos = video_of[self._rows]
        self._places = (self._rows - starts[:-1][self._videos]).astype(np.int32)
        self._starts = np.searchsorted(self._videos, np.arange(len(lengths) + 1))
        ends = starts[1:][video_of] - 1
        ones = np.array([np.count_nonzero(self._hashes >> np.uint64(bit) & np.uint64(1)) for bit in range(64)])
        # A bit that most frames share tells little and tends to come late.
        self._rarer = np.minimum(ones, len(self._hashes) - ones) + 1
        rng = np.random.default_rng(SEED)
        self._lists = [self._sorted(hashes, ends, later, rng) for later in LATER for _ in range(LISTS)]

    def _sorted(self, hashes: Bits, ends: Whole, later: tuple[int, ...], rng: np.random.Generator) -> tuple[Small, Small]:
        """Return the frames in the order of a list, and the position of each frame in it."""
        keys = np.zeros(len(self._rows), dtype=np.uint64)
        shown = [hashes[np.minimum(self._rows + one, ends[self._rows])] for one in later]
        orders = [np.argsort(rng.exponential(size=64) / self._rarer, kind="stable") for _ in later]
        for number in range(KEY_BITS):
            bit = orders[number % len(later)][number // len(later)]
            keys = keys << np.uint64(1) | shown[number % len(later)] >> np.uint64(bit) & np.uint64(1)
        order = np.argsort(keys << np.uint64(PLACE_BITS) | self._places.astype(np.uint64), kind="stable").astype(np.int32)
        position = np.empty_like(order)
        position[order] = np.arange(len(order), dtype=np.int32)
        return order, position

    def partners(self, low: int, high: int, first: Whole) -> Iterator[tuple[int, Whole]]:
        """Yield each of the videos ``low`` to ``high`` and the others that it meets in several slots of its time, at one shift or the next.

        Parameters
        ----------
        low, high
            Numbers of videos, half open.
        first
            Of each video, the number of the first that it is compared with, shape (videos,).
        """
        for videos, keys in self._meetings(low, high, first):
            at_shift = keys >> SLOT_BITS
            edges = np.append(_changes(at_shift), len(keys))
            at_shift, slots = at_shift[edges[:-1]], np.diff(edges)
            # The next number is the same pair at the next shift, or another pair or a shift farther away.
            adjacent = np.append(at_shift[1:] == at_shift[:-1] + 1, np.zeros(min(1, len(slots)), dtype=bool))
            together = slots + np.append(slots[1:], slots[:1]) * adjacent
            yield from _by_video(videos, _distinct(at_shift[together >= SHARED_SLOTS] >> SHIFT_BITS))

    def shifts(self, low: int, high: int, first: Whole) -> Iterator[tuple[int, Whole, Whole]]:
        """Yield each of the videos ``low`` to ``high``, the others that it meets and at which shifts; the same parameters."""
        for videos, keys in self._meetings(low, high, first):
            for video, rest in _by_video(videos, _distinct(keys >> SLOT_BITS), SHIFT_BITS):
                yield video, rest >> SHIFT_BITS, (rest & (1 << SHIFT_BITS) - 1) - (1 << PLACE_BITS)

    def _meetings(self, low: int, high: int, first: Whole) -> Iterator[tuple[range, Whole]]:
        """Yield some videos at a time, and their meetings: sorted numbers of, from the highest bits on, video, other, shift and slot."""
        while low < high:
            end = int(np.searchsorted(self._starts, self._starts[low] + ROWS, side="right")) - 1
            end = min(max(end, low + 1), low + VIDEOS, high)
            yield range(low, end), self._keys(np.arange(self._starts[low], self._starts[end]), low, first)
            low = end

    def _keys(self, frames: Whole, low: int, first: Whole) -> Whole:
        least, keys = self._starts[first[self._videos[frames]]], [np.empty(0, dtype=np.int64)]
        for order, position in self._lists:
            for step in (side * distance for distance in range(1, NEIGHBOURS + 1) for side in (-1, 1)):
                # Beyond an end of the list stands the frame at that end: a neighbour too many does no harm.
                neighbours = order[np.clip(position[frames] + step, 0, len(order) - 1)]
                near = np.flatnonzero((neighbours >= least) & (self._videos[neighbours] != self._videos[frames]))
                near = near[np.bitwise_count(self._hashes[frames[near]] ^ self._hashes[neighbours[near]]) <= FARTHEST]
                keys.append(self._key(frames[near], neighbours[near], low))
        return _distinct(np.sort(np.concatenate(keys)))

    def _key(self, frames: Whole, neighbours: Whole, low: int) -> Whole:
        videos = self._videos[frames].astype(np.int64)
        places = self._places[frames].astype(np.int64)
        shifts = self._places[neighbours] - places + (1 << PLACE_BITS)
        slots = places * SLOTS // self._lengths[videos]
        return (((videos - low) << VIDEO_BITS | self._videos[neighbours]) << SHIFT_BITS | shifts) << SLOT_BITS | slots


def _changes(ordered: Whole) -> Whole:
    """Return where in sorted numbers each begins."""
    return np.flatnonzero(np.append(np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]))


def _distinct(ordered: Whole) -> Whole:
    return ordered[_changes(ordered)]


def _by_video(videos: range, keys: Whole, below: int = 0) -> Iterator[tuple[int, Whole]]:
    """Yield each video that has sorted keys, and what is left of them without its number."""
    room = VIDEO_BITS + below
    edges = np.searchsorted(keys, np.arange(len(videos) + 1) << room)
    for number, (start, end) in enumerate(pairwise(edges)):
        if start < end:
            yield videos[number], keys[start:end] & (1 << room) - 1


ANCHORS = 40
"""So many frames of a video are looked for in the others."""
VOTES = 5
"""So many of them must be found at one shift, give or take a frame, for it to be looked at closely."""
PLACE_BITS_OF_ANCHORS = 24
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
                bits = np.left_shift(np.bitwise_count(here ^ value), PLACE_BITS_OF_ANCHORS, dtype=np.uint32)
                np.bitwise_or(bits, place, out=bits)
                np.minimum.reduceat(bits, edges, out=nearest[row, low:high])
        return (nearest & np.uint32((1 << PLACE_BITS_OF_ANCHORS) - 1)).astype(np.int64)


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
