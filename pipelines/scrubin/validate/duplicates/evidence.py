"""How much speaks for two videos being one at a shift in time, in whole sixteenths of a bit.

A frame speaks for it by rank: when of n frames of the other video only c are as near as the one at this
shift, chance would do that with probability c / n, and the evidence is log2(n / c) bits. The same is asked
from the other side, and the smaller of the two counts. So a frame that looks like every frame (a box at
rest, a static camera) says nothing, whatever the scene, the contrast and the quality of the picture.

Two bits are taken off per frame, so that frames that match by chance lose; the best successive part of the
overlap counts, as in the local alignment of sequences (Karlin and Altschul 1990), so that one may be a part of the other.

Successive frames resemble each other and are no independent witnesses: two slow videos may agree for a while
at any shift. So the evidence counts only as far as the time matters: it is multiplied by 1 - (different
bits at this shift) / (different bits of the same frames a few frames earlier and later).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from scrubin.validate.duplicates.hashed_videos import HashedVideo, Moments, Whole

Says = npt.NDArray[np.int16]

UNITS = 16
"""Evidence is counted in this part of a bit."""
COST = 2 * UNITS
"""What every compared frame costs; by chance a frame has less than this on average."""
NEAR, FAR = 3, 12
"""Shifts, in frames, from the one in question, at which copies no longer agree, and videos of the same place still do."""
BACKGROUND = 400
"""A frame is ranked among at most so many frames of the other video."""
FINE = 1000
"""Means of different bits are whole thousandths."""
MOVES = np.array([side * distance for distance in range(NEAR, FAR + 1) for side in (-1, 1)])[:, None]


@dataclass(frozen=True)
class Agreement:
    """Two videos at one shift.

    Parameters
    ----------
    shift
        Frame k of the one is frame k + shift of the other.
    evidence
        Of the best part, in sixteenths of a bit.
    matching, compared
        Number of frames in the best part that differ by at most half as much as it does a few frames earlier and later,
        and of usable frames in the whole overlap.
    """

    shift: int
    evidence: int
    matching: int
    compared: int


def most(video: HashedVideo) -> int:
    """Return the most evidence that a video can give, with one that is not shorter."""
    return video.count * max(0, int(_log2_shares(min(video.count, BACKGROUND))[1]) - COST) if video.count else 0


def agreement(video: HashedVideo, other: HashedVideo, shift: int, least: int) -> Agreement | None:
    """Return the best agreement of two videos at a shift, give or take a frame; None below the least evidence, in sixteenths of a bit.

    A frame is held against the frames of the other, and against what lies between them: the shift may be no whole number of frames.
    """
    least = max(least, 1)
    frames, between = other.moments
    parts = _parts(video, frames, shift)
    if max(part.evidence for part in parts.values()) < least // 2:
        return None
    agreements = [*_agreements(video, frames, parts, least), *_agreements(video, between, _parts(video, between, shift), least)]
    return max(agreements, key=lambda one: (one.evidence, -abs(one.shift), one.shift), default=None)


def _agreements(video: HashedVideo, moments: Moments, parts: Mapping[int, _Part], least: int) -> Iterator[Agreement]:
    for shift, part in parts.items():
        if part.evidence >= least:
            bits = FINE * moments.bits(video.hashes[part.frames], part.frames + shift)
            when_moved = _bits_when_moved(video, moments, part.frames, shift)
            timed = part.evidence * max(0, when_moved - int(bits.sum()) // len(bits)) // max(when_moved, 1)
            if timed >= least:
                yield Agreement(shift, timed, int((2 * bits <= when_moved).sum()), part.compared)


def _parts(video: HashedVideo, moments: Moments, shift: int) -> dict[int, _Part]:
    mine, theirs = _says(video, moments)
    return {at: _best_part(video, moments, at, mine, theirs) for at in (shift - 1, shift, shift + 1)}


def _says(video: HashedVideo, moments: Moments) -> tuple[Says, Says]:
    """Return what each frame of a video, and each moment of another, says when so many bits differ, in units, shapes (frames, 65)."""
    these, those = _sample(video.usable), _sample(moments.usable)
    mine = moments.bits(video.hashes[:, None], those[None, :])
    theirs = moments.bits(video.hashes[these][:, None], slice(None)).T
    return _ranked(mine), _ranked(theirs)


def _sample(usable: npt.NDArray[np.bool_]) -> Whole:
    places = np.flatnonzero(usable)
    return places[:: max(1, -(-len(places) // BACKGROUND))]


def _ranked(bits: Whole) -> Says:
    keys = np.arange(len(bits))[:, None] * 65 + bits
    as_near = np.bincount(keys.ravel(), minlength=65 * len(bits)).reshape(-1, 65).cumsum(axis=1)
    says: Says = _log2_shares(bits.shape[1])[as_near]
    return says


@cache
def _log2_shares(n: int) -> Says:
    """Return log2(n / c) for c = 0 (as if it were 1) to n, in units, rounded down: exact on every processor."""
    return np.array([(n**UNITS // max(c, 1) ** UNITS).bit_length() - 1 for c in range(n + 1)], dtype=np.int16)


@dataclass(frozen=True)
class _Part:
    """The best successive part of an overlap: its usable frames and their evidence; and the number of usable frames in the overlap."""

    frames: Whole
    evidence: int
    compared: int


def _best_part(video: HashedVideo, moments: Moments, shift: int, mine: Says, theirs: Says) -> _Part:
    low, high = max(0, -shift), min(len(video.hashes), len(moments.hashes) - shift)
    frames = np.arange(low, max(low, high))
    frames = frames[video.usable[frames] & moments.usable[frames + shift]]
    bits = moments.bits(video.hashes[frames], frames + shift)
    says = np.minimum(mine[frames, bits], theirs[frames + shift, bits]).astype(np.int64) - COST
    total: Whole = np.concatenate([[0], np.cumsum(says)])
    lowest = np.minimum.accumulate(total)
    end = int((total - lowest).argmax())
    start = int(np.flatnonzero(total[: end + 1] == lowest[end])[-1])
    return _Part(frames[start:end], int(total[end] - total[start]), len(frames))


def _bits_when_moved(video: HashedVideo, moments: Moments, frames: Whole, shift: int) -> int:
    """Return how many bits the same frames differ by, the one or the other moved by a few frames; the smaller median."""
    still = np.zeros((len(MOVES), 1), dtype=np.int64)
    return min(_moved(video, moments, frames + one, frames + shift + two) for one, two in ((still, MOVES), (MOVES, still)))


def _moved(video: HashedVideo, moments: Moments, frames: Whole, places: Whole) -> int:
    """Return the median over the rows of their mean of different bits; rows of which fewer than half are known do not count."""
    inside = (frames >= 0) & (frames < len(video.hashes)) & (places >= 0) & (places < len(moments.hashes))
    frames, places = np.where(inside, frames, 0), np.where(inside, places, 0)
    known = inside & video.usable[frames] & moments.usable[places]
    counts = known.sum(axis=1)
    enough = 2 * counts >= frames.shape[1]
    bits = (moments.bits(video.hashes[frames], places) * known).sum(axis=1)
    return int(np.median(FINE * bits[enough] // counts[enough])) if enough.any() else 0
