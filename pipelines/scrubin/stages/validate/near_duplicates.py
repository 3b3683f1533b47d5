"""Recordings that show the same, although their bytes differ: encoded again, cut, brightened or shifted in time.

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

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import ParamsError
from scrubin.base.faults import near
from scrubin.stages.validate import evidence
from scrubin.stages.validate.evidence import UNITS, Agreement, agreement, most
from scrubin.stages.validate.expected import NearDuplicate
from scrubin.stages.validate.hashed_videos import HashedVideo, Shelf, Whole

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
                close = near(name, known)
                hint = f"did you mean '{close}'?" if close else "remove the pair"
                msg = f"{where} names '{name}', which is no recording of this study; {hint}"
                raise ParamsError(msg)
        if len(pair) != PAIR or len(set(pair)) != PAIR:
            msg = f"{where} must name two different recordings, such as [id, id], but is {list(pair)}"
            raise ParamsError(msg)
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
    for video, other, agreed in _agreements(Shelf(videos, every_pair), limits):
        (one, shift), (two, _) = sorted([(video, agreed.shift), (other, -agreed.shift)], key=lambda side: side[0].id)
        if frozenset((one.id, two.id)) not in limits.accepted:
            agreeing.append((one.id, two.id, one.camera, two.camera, shift, agreed.matching, agreed.compared, agreed.evidence))
    # Of several cameras the pair that agrees best.
    by = ["one", "other", "evidence", "camera", "other_camera"]
    rows = pd.DataFrame(agreeing, columns=[*COLUMNS, "evidence"]).sort_values(by, ascending=[True, True, False, True, True], kind="stable")
    return rows.drop_duplicates(["one", "other"], ignore_index=True)[COLUMNS]


def _agreements(shelf: Shelf, limits: Limits) -> Iterator[tuple[HashedVideo, HashedVideo, Agreement]]:
    least = UNITS * limits.evidence_bits
    for i, others in shelf.partners():
        video = shelf.videos[i]
        if most(video) < least:
            continue
        for k, shift in shelf.candidates(i, others):
            agreed = agreement(video, shelf.videos[k], shift, least)
            if agreed:
                yield video, shelf.videos[k], agreed
    yield from evidence.agreements(shelf, limits.min_frames)


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
