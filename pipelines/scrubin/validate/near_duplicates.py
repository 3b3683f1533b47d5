"""Recordings that show the same, although their bytes differ: encoded again, cut, brightened or shifted in time.

Two recordings are near-duplicates when, at one constant shift in time, a run of their frames agrees much
better than the same frames agree a few frames earlier or later. The comparison with its own
neighbourhood is what tells a copy from two films of the same place: in a box trainer every recording looks
like every other at every moment, and an empty board like an empty board, but then a shift makes no
difference. Recordings too short for that are compared as a whole, with how far they are from all the
others. Frames without evidence (hidden, flat) are left out.

All in whole numbers: 64-bit difference hashes of the extracted frames, compared by the number of different bits.
How far it reaches is measured in ``benchmarks/near_duplicates.py``: frames between the frames of the other, after a
shift by half a second, agree only where nothing moves fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Bits = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

ANCHORS = 16
"""So many frames of a recording are looked for in the others."""
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
        self.hashes = np.concatenate([film.hashes for film in of]) if of else np.zeros(0, dtype=np.uint64)
        self.usable = np.concatenate([film.usable for film in of]) if of else np.zeros(0, dtype=bool)
        # In one number: different bits (or 255, no evidence) above the place in the film. The smallest is the best match.
        self.place = (np.arange(len(self.hashes)) - np.repeat(self.starts[:-1], lengths)).astype(np.uint32)
        self.hopeless = np.where(self.usable, 0, 255).astype(np.uint8)

    def best_matches(self, hash_: np.uint64, first: int) -> Whole:
        """Return for each film from ``first`` on the place of the frame that is nearest to a hash."""
        start = self.starts[first]
        bits = np.bitwise_count(self.hashes[start:] ^ hash_) | self.hopeless[start:]
        found = np.minimum.reduceat(bits.astype(np.uint32) << np.uint32(24) | self.place[start:], self.starts[first:-1] - start)
        return (found & np.uint32(0xFFFFFF)).astype(np.int64)


def _partners(shelf: _Shelf, i: int, limits: Limits) -> Iterator[tuple[str, str, str, int, int, int]]:
    film = shelf.films[i]
    if film.usable.sum() < SHORT_FRAMES:
        return
    apart = _apart(shelf, i)
    for k, shift in _candidates(shelf, i):
        other = shelf.films[k]
        found = [_agreement(film, other, shift + d, limits, apart) for d in (-1, 0, 1)]
        shift_frames, matching, compared = min(found, key=lambda one: (one[1] == 0, _mean_bits(film, other, one[0]), one[0]))
        if matching:
            one, two = sorted((film.id, other.id))
            camera = film.camera if one == film.id else other.camera
            yield one, two, camera, shift_frames if one == film.id else -shift_frames, matching, compared


def _apart(shelf: _Shelf, i: int) -> float:
    """Return the median of different bits between a film's frames and those of longer films."""
    mine = shelf.films[i].hashes[shelf.films[i].usable]
    theirs = shelf.hashes[shelf.starts[i + 1] :][shelf.usable[shelf.starts[i + 1] :]]
    if not len(theirs):
        return 0.0
    sample = theirs[:: max(1, len(theirs) // 1000)]
    return float(np.median(np.bitwise_count(mine[:: max(1, len(mine) // 32), None] ^ sample[None, :])))


def _candidates(shelf: _Shelf, i: int) -> Iterator[tuple[int, int]]:
    """Yield (number of another film, shift) where several anchors are found at one shift."""
    film = shelf.films[i]
    anchors = _anchors(film)
    best = np.stack([shelf.best_matches(film.hashes[anchor], i + 1) for anchor in anchors])
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


def _agreement(film: Film, other: Film, shift: int, limits: Limits, apart: float) -> tuple[int, int, int]:
    """Return the shift, the frames in common (0 when the two are no near-duplicates at this shift), and the compared frames."""
    bits, frames = _bits(film, other, shift)
    if film.usable.sum() < limits.min_frames:
        enough = len(bits) >= max(SHORT_FRAMES, (film.usable.sum() + 1) // 2)
        return shift, len(bits) if enough and 3 * bits.sum() <= apart * len(bits) else 0, len(bits)
    if len(bits) < limits.min_frames:
        return shift, 0, len(bits)
    window = np.ones(RUN_FRAMES, dtype=np.int64)
    run = np.convolve(bits, window, "valid")
    if run.min() > MAX_BITS * RUN_FRAMES:
        return shift, 0, len(bits)
    # Where one of the two stands still there is no evidence: anything that stands still as well would agree.
    moves = [_usual(film, other, frames, shift), _usual(film, film, frames, 0), _usual(other, other, frames + shift, 0)]
    usual = np.min([np.convolve(bits_of, window, "valid") for bits_of in moves], axis=0)
    same = (run <= limits.contrast * usual) & (run <= MAX_BITS * RUN_FRAMES) & (usual >= MIN_BITS * RUN_FRAMES)
    matching = int((np.convolve(same.astype(np.int64), window, "full") > 0).sum())
    return shift, matching if matching >= limits.min_frames else 0, len(bits)


def _mean_bits(film: Film, other: Film, shift: int) -> float:
    bits, _ = _bits(film, other, shift)
    return float(bits.sum() / len(bits)) if len(bits) else float("inf")


def _usual(film: Film, other: Film, frames: Whole, shift: int) -> Whole:
    """Return for each frame the median of different bits a few frames earlier and later; 0, no evidence, where there are none."""
    found = []
    for distance in range(NEAR, FAR + 1):
        for places in (frames + shift - distance, frames + shift + distance):
            inside = (places >= 0) & (places < len(other.hashes))
            at = np.where(inside, places, 0)
            bits = np.bitwise_count(film.hashes[frames] ^ other.hashes[at]).astype(np.int64)
            found.append(np.where(inside & other.usable[at], bits, -1))
    ordered = np.sort(np.stack(found), axis=0)
    unknown = (ordered < 0).sum(axis=0)
    middle = np.minimum((unknown + len(found)) // 2, len(found) - 1)
    usual: Whole = np.maximum(ordered[middle, np.arange(len(frames))], 0)
    return usual


def _bits(film: Film, other: Film, shift: int) -> tuple[Whole, Whole]:
    """Return the different bits of the frames that both have at a shift, and their numbers in ``film``."""
    frames = np.arange(max(0, -shift), min(len(film.hashes), len(other.hashes) - shift))
    frames = frames[film.usable[frames] & other.usable[frames + shift]]
    return np.bitwise_count(film.hashes[frames] ^ other.hashes[frames + shift]).astype(np.int64), frames
