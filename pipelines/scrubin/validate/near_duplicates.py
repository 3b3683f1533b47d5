"""Recordings that show the same, although their bytes differ: encoded again, cut, brightened or shifted in time.

Two recordings are near-duplicates when, at one constant shift in time, a run of their frames agrees much
better than the same frames agree a few frames earlier or later. The comparison with its own
neighbourhood is what tells a copy from two films of the same place: in a box trainer every recording looks
like every other at every moment, and an empty board like an empty board, but then a shift makes no
difference. Recordings too short for that are compared as a whole, with how far they are from all the
others. Frames without evidence (hidden, flat) are left out.

All in whole numbers: 64-bit difference hashes of the extracted frames, compared by the number of different bits.
After a shift by half a second every frame of one lies between two of the other: there only bits count
that these two have in common, because what is the same before and after is mostly the same in between.
How far that reaches is measured in ``benchmarks/near_duplicates.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

Bits = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

ANCHORS = 16
"""So many frames of a recording are looked for in the others."""
MODES = (0, 1)
"""Compared with frames, and with what lies between two frames."""
VOTES = 4
"""So many of them must be found at one shift for it to be looked at closely."""
NEAR, FAR = 3, 12
"""Shifts, in frames, of the neighbourhood that a run is compared with."""
RUN_FRAMES = 10
"""Successive frames that are judged together."""
MAX_BITS = 16
"""Of 64 bits so many may differ on average in a run."""
MIN_BITS = 2
"""Of 64 bits so many must differ on average a few frames earlier or later: otherwise nothing moves, and nothing is proven."""
SHORT_FRAMES = 4
"""The least that recordings too short for runs must have in common; they are not judged below it."""
MIN_COUNTING = 16
"""Of fewer bits that count, a frame proves little: a difference is not scaled up further."""
FLAT_CONTRAST = 4.0
"""Frames of less contrast (standard deviation of grey) are almost one colour: they look alike everywhere."""
COLUMNS = ["one", "other", "camera", "shift_frames", "matching_frames", "compared_frames"]


@dataclass(frozen=True)
class Film:
    """One video as hashes, one per extracted frame; ``usable`` is False where a frame is no evidence."""

    id: str
    camera: str
    hashes: Bits
    usable: npt.NDArray[np.bool_]

    @cached_property
    def moments(self) -> tuple[Moments, Moments]:
        """What another film is compared with: the frames, and what lies between a frame and the next."""
        following = np.append(self.hashes[1:], self.hashes[-1:])
        both = self.usable & np.append(self.usable[1:], False)
        same = ~(self.hashes ^ following)
        share = np.maximum(np.bitwise_count(same), MIN_COUNTING).astype(np.uint16)
        every = np.full(len(self.hashes), ~np.uint64(0))
        return Moments(self.hashes, every, np.full(len(every), 64, np.uint16), self.usable), Moments(self.hashes, same, share, both)


@dataclass(frozen=True)
class Moments:
    """Hashes of which some bits count, ``of`` so many; ``usable`` is False where there is no evidence."""

    hashes: Bits
    counting: Bits
    of: npt.NDArray[np.uint16]
    usable: npt.NDArray[np.bool_]

    def bits(self, hashes: Bits, at: Whole | slice) -> npt.NDArray[np.uint16]:
        """Return how many of 64 bits differ, as far as they count, scaled to 64."""
        differing = np.bitwise_count((self.hashes[at] ^ hashes) & self.counting[at])
        scaled: npt.NDArray[np.uint16] = differing * np.uint16(64) // self.of[at]
        return scaled


@dataclass(frozen=True)
class Limits:
    """When recordings are near-duplicates.

    Parameters
    ----------
    min_frames
        They have at least so many frames in common, in runs that agree.
    contrast
        In such a run, the different bits are at most this share of those a few frames earlier or later.
    """

    min_frames: int
    contrast: float


def near_duplicates(frames: pd.DataFrame, limits: Limits) -> pd.DataFrame:
    """Return the pairs of recordings that show the same, sorted.

    Each recording speaks by its first camera; the two of a stereo pair show the same.

    Parameters
    ----------
    frames
        The table of this name: id, camera, frame, redacted, contrast, perceptual_hash.
    limits
        When a run counts as the same.

    Returns
    -------
    pd.DataFrame
        one, other (ids, in alphabetical order), camera (of one), shift_frames (frame k of ``one`` shows what frame
        k + shift of ``other`` shows), matching_frames (in runs that agree) and compared_frames.
    """
    return pairs(films(frames), limits)


def pairs(of: Sequence[Film], limits: Limits) -> pd.DataFrame:
    """Return the near-duplicates among films, short ones first; the same columns."""
    shelf = _Shelf(of)
    found = [row for i in range(len(of) - 1) for row in _partners(shelf, i, limits)]
    return pd.DataFrame(found, columns=COLUMNS).sort_values(["one", "other"], ignore_index=True)


def films(frames: pd.DataFrame) -> list[Film]:
    """Return the first camera of every recording, short ones first."""
    ordered = frames.sort_values(["id", "camera", "frame"], kind="stable")
    first = ordered.drop_duplicates("id")[["id", "camera"]]
    mine = ordered.merge(first, on=["id", "camera"])
    values = np.fromiter((int(text, 16) for text in mine.perceptual_hash), dtype=np.uint64, count=len(mine))
    usable = (~mine.redacted & (mine.contrast >= FLAT_CONTRAST)).to_numpy(dtype=bool)
    found = [Film(str(id_), str(mine.camera.iloc[rows[0]]), values[rows], usable[rows]) for id_, rows in mine.groupby("id").indices.items()]
    return sorted(found, key=lambda film: (len(film.hashes), film.id))


class _Shelf:
    """All films end to end, so that a frame is compared with all of them at once."""

    def __init__(self, of: Sequence[Film]) -> None:
        self.films = of
        lengths = [len(film.hashes) for film in of]
        self.starts = np.cumsum([0, *lengths])
        # In one number: different bits (or 255, no evidence) above the place in the film. The smallest is the best match.
        self.place = (np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], lengths)).astype(np.uint32)
        self.moments = [_joined([film.moments[mode] for film in of]) for mode in MODES] if of else []
        self.hopeless = [np.where(moments.usable, 0, 255).astype(np.uint16) for moments in self.moments]

    def best_matches(self, hash_: np.uint64, first: int, mode: int) -> Whole:
        """Return for each film from ``first`` on the place of the moment that is nearest to a hash."""
        start = self.starts[first]
        after = slice(start, None)
        bits = (self.moments[mode].bits(np.asarray(hash_), after) | self.hopeless[mode][after]).astype(np.uint32)
        found = np.minimum.reduceat(bits << np.uint32(24) | self.place[after], self.starts[first:-1] - start)
        return (found & np.uint32(0xFFFFFF)).astype(np.int64)


def _joined(parts: Sequence[Moments]) -> Moments:
    return Moments(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("hashes", "counting", "of", "usable")))


def _partners(shelf: _Shelf, i: int, limits: Limits) -> Iterator[tuple[str, str, str, int, int, int]]:
    film = shelf.films[i]
    if film.usable.sum() < SHORT_FRAMES:
        return
    apart = _apart(shelf, i)
    found: dict[int, tuple[int, float, int, int]] = {}
    for mode in MODES:
        for k, shift in _candidates(shelf, i, mode):
            agreed = [_agreement(film, shelf.films[k], shift + d, mode, limits, apart) for d in (-1, 0, 1)]
            best = min((one for one in agreed if one is not None), key=lambda one: (one[1], one[0]), default=None)
            if best is not None:
                found.setdefault(k, best)
    for k, (shift, _, matching, compared) in sorted(found.items()):
        other = shelf.films[k]
        one, two = sorted((film.id, other.id))
        camera = film.camera if one == film.id else other.camera
        yield one, two, camera, shift if one == film.id else -shift, matching, compared


def _apart(shelf: _Shelf, i: int) -> float:
    """Return the median of different bits between a film's frames and those of longer films."""
    mine = shelf.films[i].hashes[shelf.films[i].usable]
    theirs = shelf.moments[0].hashes[shelf.starts[i + 1] :][shelf.moments[0].usable[shelf.starts[i + 1] :]]
    if not len(theirs):
        return 0.0
    sample = theirs[:: max(1, len(theirs) // 1000)]
    return float(np.median(np.bitwise_count(mine[:: max(1, len(mine) // 32), None] ^ sample[None, :])))


def _candidates(shelf: _Shelf, i: int, mode: int) -> Iterator[tuple[int, int]]:
    """Yield (number of another film, shift) where several anchors are found at one shift."""
    film = shelf.films[i]
    anchors = _anchors(film)
    best = np.stack([shelf.best_matches(film.hashes[anchor], i + 1, mode) for anchor in anchors])
    shifts = np.sort(best - anchors[:, None], axis=0)
    # How many of the sorted shifts from each on are equal to it or one more.
    votes = np.stack([((shifts >= shifts[row]) & (shifts <= shifts[row] + 1)).sum(axis=0) for row in range(len(anchors))])
    for k in np.flatnonzero(votes.max(axis=0) >= min(VOTES, (len(anchors) + 1) // 2)):
        yield i + 1 + int(k), int(shifts[int(votes[:, k].argmax()), k])


def _anchors(film: Film) -> Whole:
    """Return frames spread over the film that differ most from the rest of it and least from their neighbours."""
    n = len(film.hashes)
    places = np.flatnonzero(film.usable)
    sample = film.hashes[places[:: max(1, len(places) // 64)]]
    rare = np.median(np.bitwise_count(film.hashes[places][:, None] ^ sample[None, :]), axis=1).astype(np.int64)
    before, after = film.hashes[np.maximum(places - 1, 0)], film.hashes[np.minimum(places + 1, n - 1)]
    moves = np.maximum(np.bitwise_count(film.hashes[places] ^ before), np.bitwise_count(film.hashes[places] ^ after)).astype(np.int64)
    slots = np.array_split(np.arange(len(places)), min(ANCHORS, len(places)))
    return np.array([places[slot[int(np.argmax((rare - moves)[slot]))]] for slot in slots], dtype=np.int64)


def _agreement(film: Film, other: Film, shift: int, mode: int, limits: Limits, apart: float) -> tuple[int, float, int, int] | None:
    """Return the shift, the mean of different bits, the frames in common and the compared frames; None for no near-duplicates."""
    frames = np.arange(max(0, -shift), min(len(film.hashes), len(other.hashes) - shift))
    frames = frames[film.usable[frames] & other.moments[mode].usable[frames + shift]]
    bits = other.moments[mode].bits(film.hashes[frames], frames + shift).astype(np.int64)
    if film.usable.sum() < limits.min_frames:
        enough = len(bits) >= max(SHORT_FRAMES, film.usable.sum() // 2)
        matching = len(bits) if enough and 3 * bits.sum() <= apart * len(bits) else 0
    else:
        matching = _in_runs(film, other, frames, bits, shift, mode, limits)
    return (shift, float(bits.mean()), matching, len(bits)) if matching else None


def _in_runs(film: Film, other: Film, frames: Whole, bits: Whole, shift: int, mode: int, limits: Limits) -> int:
    """Return the frames in runs that agree much better than a few frames earlier or later; 0 when they are too few."""
    if len(bits) < limits.min_frames:
        return 0
    window = np.ones(RUN_FRAMES, dtype=np.int64)
    run = np.convolve(bits, window, "valid")
    if run.min() > MAX_BITS * RUN_FRAMES:
        return 0
    # Where one of the two stands still there is no evidence: anything that stands still as well would agree.
    moves = [_usual(film, other, frames, shift, mode), _usual(film, film, frames, 0, mode), _usual(other, other, frames + shift, 0, mode)]
    usual = np.min([np.convolve(of_one, window, "valid") for of_one in moves], axis=0)
    same = (run <= limits.contrast * usual) & (run <= MAX_BITS * RUN_FRAMES) & (usual >= MIN_BITS * RUN_FRAMES)
    matching = int((np.convolve(same.astype(np.int64), window, "full") > 0).sum())
    return matching if matching >= limits.min_frames else 0


def _usual(film: Film, other: Film, frames: Whole, shift: int, mode: int) -> Whole:
    """Return for each frame the median of different bits a few frames earlier and later; 0, no evidence, where there are none."""
    moments = other.moments[mode]
    found = []
    for distance in range(NEAR, FAR + 1):
        for places in (frames + shift - distance, frames + shift + distance):
            inside = (places >= 0) & (places < len(other.hashes))
            at = np.where(inside, places, 0)
            found.append(np.where(inside & moments.usable[at], moments.bits(film.hashes[frames], at).astype(np.int64), -1))
    ordered = np.sort(np.stack(found), axis=0)
    unknown = (ordered < 0).sum(axis=0)
    middle = np.minimum((unknown + len(found)) // 2, len(found) - 1)
    usual: Whole = np.maximum(ordered[middle, np.arange(len(frames))], 0)
    return usual
