"""Recordings that show the same, although their bytes differ: encoded again, cut, brightened or shifted in time.

A frame speaks for it by rank: when of n frames of the other video only c are as near as the one at this
shift, chance would do that with probability c / n, and the evidence is log2(n / c) bits. The same is asked
from the other side, and the smaller of the two counts. So a frame that looks like every frame (a box at
rest, a static camera) says nothing, whatever the scene, the contrast and the quality of the picture.

Two bits are taken off per frame, so that frames that match by chance lose; the best successive part of the
overlap counts, as in the local alignment of sequences (Karlin and Altschul 1990), so that one may be a part of the other.

Successive frames resemble each other and are no independent witnesses: two slow videos may agree for a while
at any shift. So the evidence counts only as far as the time matters: it is multiplied by 1 - (different
bits at this shift) / (different bits of the same frames a few frames earlier and later).

Two recordings are near-duplicates when, at one constant shift in time, a long run of their frames agrees so much better than
their frames agree otherwise that chance is no explanation (``evidence``), and much better than a few frames earlier
or later. The pair is its own background: in a box trainer every recording looks like every other at every moment,
and an empty board like an empty board, but then no shift is better than another.

Recordings too short for that are compared as a whole (``short_videos``): a copy is at most two fifths as far
away as recordings are otherwise.

Of few recordings every pair is compared. Of more, only those of which several frames meet in an index (``frame_index``), so that the
time grows with the number of frames and not with its square.

Everything is counted in whole numbers from the 64-bit difference hashes of the extracted frames. Hidden and flat frames are no
evidence. What is found and what is not, with numbers, tells ``benchmarks/near_duplicates.py``; a mirrored copy is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import ParamsError
from scrubin.base.faults import meant
from scrubin.stages.validate.expected import NearDuplicate
from scrubin.stages.validate.hashed_videos import HashedVideo, Moments, Shelf, Whole, ragged

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
    samples = {start: _sample_of_short(np.arange(start, len(shelf.videos)), recordings) for start in np.unique(first[low:high])}
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


def _sample_of_short(others: Whole, recordings: Whole) -> Whole:
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


FLAT_CONTRAST = 4.0
"""Frames of less contrast (standard deviation of grey) are almost one colour: they look alike everywhere."""
EVERY_PAIR = 200
"""Up to so many videos, each is compared with each; of more, those that meet in an index of all frames (``frame_index``)."""
PAIR = 2
HASH = r"[0-9a-fA-F]{16}"
COLUMNS = ["one", "other", "camera", "other_camera", "shift_frames", "matching_frames", "compared_frames"]


@dataclass(frozen=True)
class Limits:
    """When recordings are near-duplicates.

    Parameters
    ----------
    evidence_bits
        So much must speak for a pair, by the frames of the best run; see ``evidence``.
    min_frames
        Recordings with fewer usable frames are also compared as a whole.
    accepted
        Pairs of ids that a curator looked at and found to be different.
    """

    evidence_bits: int
    min_frames: int
    accepted: frozenset[frozenset[str]] = frozenset()


def limits(of: NearDuplicate, ids: Iterable[str], acknowledged: Iterable[tuple[str, ...]] = ()) -> Limits:
    """Return the limits that the parameters set for a study with these ids.

    Parameters
    ----------
    acknowledged
        Pairs of ids that a reviewer acknowledged; of recordings that are gone, they do not matter.

    Raises
    ------
    ParamsError
        When an accepted pair does not name two recordings of the study: a name that is misspelt or of another study accepts nothing.
    """
    known = sorted(set(ids))
    for number, pair in enumerate(of.accepted):
        where = f"params.yaml: 'validate.near_duplicate.accepted[{number}]'"
        for name in pair:
            if name not in known:
                raise ParamsError(f"{where} names '{name}', which is no recording of this study; {meant(name, known, 'remove the pair')}")
        if len(pair) != PAIR or len(set(pair)) != PAIR:
            raise ParamsError(f"{where} must name two different recordings, such as [id, id], but is {list(pair)}")
    return Limits(of.evidence_bits, of.min_frames, frozenset(frozenset(pair) for pair in (*of.accepted, *acknowledged)))


def near_duplicates(frames: pd.DataFrame, limits: Limits) -> pd.DataFrame:
    """Return the pairs of recordings that show the same, sorted; every camera is compared with every camera of other recordings.

    Parameters
    ----------
    frames
        The table of this name: id, camera, frame, time_s, redacted, contrast, perceptual_hash.
    limits
        When two count as the same.

    Returns
    -------
    pd.DataFrame
        one, other (ids, in alphabetical order), camera (of one), other_camera, shift_frames (frame k of ``one`` shows what frame
        k + shift of ``other`` shows), matching_frames (in the run that agrees), compared_frames (in the whole
        overlap, without frames that are no evidence) and shift_s (the same shift by the frames' true times, to a tenth of a second).
    """
    ordered = frames.sort_values(["id", "camera", "frame"], kind="stable").reset_index(drop=True)
    groups = ordered.groupby(["id", "camera"]).indices
    places = {(str(key[0]), str(key[1])): np.asarray(rows) for key, rows in groups.items() if isinstance(key, tuple)}
    duplicates = pairs(_hashed_videos(ordered, places), limits)
    times = {key: ordered["time_s"].to_numpy(dtype=float)[rows] for key, rows in places.items()}
    ones = zip(duplicates["one"], duplicates["camera"], strict=True)
    others = zip(duplicates["other"], duplicates["other_camera"], strict=True)
    shifts = [
        _shift_s(times[one], times[other], int(shift)) for one, other, shift in zip(ones, others, duplicates["shift_frames"], strict=True)
    ]
    return duplicates.assign(shift_s=np.array(shifts, dtype=float))


def pairs(videos: Sequence[HashedVideo], limits: Limits, *, every_pair: int = EVERY_PAIR) -> pd.DataFrame:
    """Return the near-duplicates among videos, at most one row per pair of ids; the same columns without shift_s.

    Parameters
    ----------
    every_pair
        Up to so many videos, each is compared with each, whatever that costs.
    """
    agreeing = []
    for video, other, agreed in _agreeing_frames(Shelf(videos, every_pair), limits):
        (one, shift), (two, _) = sorted([(video, agreed.shift), (other, -agreed.shift)], key=lambda side: side[0].id)
        if frozenset((one.id, two.id)) not in limits.accepted:
            agreeing.append((one.id, two.id, one.camera, two.camera, shift, agreed.matching, agreed.compared, agreed.evidence))
    # Of several cameras the pair that agrees best.
    by = ["one", "other", "evidence", "camera", "other_camera"]
    rows = pd.DataFrame(agreeing, columns=[*COLUMNS, "evidence"]).sort_values(by, ascending=[True, True, False, True, True], kind="stable")
    return rows.drop_duplicates(["one", "other"], ignore_index=True)[COLUMNS]


def _agreeing_frames(shelf: Shelf, limits: Limits) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    least = UNITS * limits.evidence_bits
    for i, others in shelf.partners():
        video = shelf.videos[i]
        if most(video) < least:
            continue
        for k, shift in shelf.candidates(i, others):
            agreed = agreement(video, shelf.videos[k], shift, least)
            if agreed:
                yield video, shelf.videos[k], agreed
    yield from agreements(shelf, limits.min_frames)


def _hashed_videos(ordered: pd.DataFrame, places: Mapping[tuple[str, str], Whole]) -> list[HashedVideo]:
    """Return every video as hashes. A frame whose hash, contrast or redaction is missing is no evidence; other rules report it."""
    text = ordered["perceptual_hash"]
    known = text.str.fullmatch(HASH).fillna(value=False).to_numpy(dtype=bool)
    values = np.fromiter((int(one, 16) if fine else 0 for one, fine in zip(text, known, strict=True)), np.uint64, count=len(ordered))
    shown = ~ordered["redacted"].fillna(value=True).to_numpy(dtype=bool)
    usable = known & shown & (ordered["contrast"] >= FLAT_CONTRAST).fillna(value=False).to_numpy(dtype=bool)
    return [HashedVideo(id_, camera, values[rows], usable[rows]) for (id_, camera), rows in places.items()]


def _shift_s(times: npt.NDArray[np.float64], others: npt.NDArray[np.float64], shift: int) -> float:
    """Return the median distance in time of the frames in common, in tenths of a second."""
    low, high = max(0, -shift), min(len(times), len(others) - shift)
    return round(float(np.median(others[low + shift : high + shift] - times[low:high])), 1)
