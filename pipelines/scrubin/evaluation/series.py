"""What a video has at numbered frames, and how truth and predictions are brought to the same frames."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.labels.rates import NONE, Numbering, renumber

IntArray = npt.NDArray[np.int64]
SHOWN = 20
RUNS_SHOWN = 5
SHIFTS = (-1, 1)
FEWEST_FOR_RATE = 5
"""So many frames a side must span before its length tells a rate."""
LEAST_RATIO = 5
"""Less is more likely a video of which only a part is labelled: labels are at 1 per second or so, video at 20 or more."""


@dataclass(frozen=True, eq=False)
class Track:
    """One video.

    Parameters
    ----------
    frames
        (n,), different, increasing.
    values
        (n, ...), what is at each frame.
    numbering
        How frames are counted; None where no file says it: as the other side does.
    """

    frames: IntArray
    values: npt.NDArray[Any]
    numbering: Numbering | None = None


@dataclass(frozen=True, eq=False)
class Pair:
    """Truth and prediction of one video at the same frames.

    Parameters
    ----------
    frames
        (n,), numbers by which both were joined.
    truth, prediction
        (n,), positions in the tracks; -1 where nothing is predicted.
    """

    frames: IntArray
    truth: IntArray
    prediction: IntArray


@dataclass
class Joined:
    """All videos of the truth, and what the user should know."""

    pairs: dict[str, Pair]
    notes: list[str] = field(default_factory=list)

    @property
    def frames(self) -> dict[str, int]:
        """How many frames of each video count."""
        return {name: len(pair.frames) for name, pair in self.pairs.items()}


def join(truth: Mapping[str, Track], predictions: Mapping[str, Track], *, every_frame: bool = True) -> Joined:
    """Bring both sides to the same videos and frames.

    Where both say how they count and do not count alike, the finer one goes to the rate of the coarser by the rule of
    ``annotations.rates``. Predictions of videos and frames without a label do not count.

    Parameters
    ----------
    truth, predictions
        Tracks by name of the video.
    every_frame
        Whether every labelled frame must be predicted; otherwise a missing one has no prediction.

    Raises
    ------
    MetricsError
        With every video that is not predicted, and the frames that are not.
    """
    problems = [f"{name}: the video is not predicted{_near(name, predictions)}" for name in sorted(set(truth) - set(predictions))]
    joined = Joined({})
    extra = sorted(set(predictions) - set(truth))
    if extra:
        joined.notes.append(f"{len(extra)} predicted videos have no ground truth and do not count: {listed(extra)}")
    shared = sorted(set(truth) & set(predictions))
    _check_rates(shared, truth, predictions)
    beyond = 0
    for name in shared:
        of, to = _at_one_rate(truth[name], predictions[name])
        known = np.isin(of[0], to[0])
        if not known.all() and every_frame:
            problems.append(_missing(name, of[0], to[0], truth[name], predictions[name]))
            continue
        if not every_frame and (fault := _misplaced(name, of[0], to[0])) is not None:
            problems.append(fault)
            continue
        at = np.where(known, np.searchsorted(to[0], of[0]), -1)
        at[known] = to[1][at[known]]
        beyond += int(np.count_nonzero(~np.isin(to[0], of[0])))
        joined.pairs[name] = Pair(of[0], of[1], at)
    if problems:
        more = f"\n  ... and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        msg = "the predictions do not fit the ground truth:\n  " + "\n  ".join(problems[:SHOWN]) + more
        raise MetricsError(msg)
    if beyond:
        joined.notes.append(f"{beyond} predicted frames have no label and do not count")
    return joined


def runs_of(frames: Sequence[int]) -> str:
    """Return frames as ranges, the first few.

    >>> runs_of([0, 1, 2, 7])
    '0-2, 7'
    """
    ranges: list[list[int]] = []
    for frame in frames:
        if ranges and frame == ranges[-1][1] + 1:
            ranges[-1][1] = frame
        else:
            ranges.append([frame, frame])
    shown = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:RUNS_SHOWN])
    return shown + (" ..." if len(ranges) > RUNS_SHOWN else "")


def _at_one_rate(truth: Track, prediction: Track) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return numbers and positions of both sides at the coarser of their rates."""
    one, other = truth.numbering, prediction.numbering
    if one is None or other is None or one == other:
        return _as_is(truth), _as_is(prediction)
    coarser = min((one, other), key=lambda numbering: numbering.per_second)
    return _renumbered(truth, one, coarser), _renumbered(prediction, other, coarser)


def _as_is(track: Track) -> tuple[IntArray, IntArray]:
    return track.frames, np.arange(len(track.frames), dtype=np.int64)


def _renumbered(track: Track, of: Numbering, to: Numbering) -> tuple[IntArray, IntArray]:
    if of == to:
        return _as_is(track)
    numbers = renumber(track.frames, of, to)
    kept = np.flatnonzero(numbers != NONE)
    return numbers[kept], kept.astype(np.int64)


def _check_rates(names: Sequence[str], truth: Mapping[str, Track], predictions: Mapping[str, Track]) -> None:
    """Refuse frames of an unstated rate where every video says that the sides do not count alike: joined, they would be shifted."""
    ratios = set()
    for name in names:
        one, other = truth[name], predictions[name]
        stated = one.numbering is not None and other.numbering is not None
        ratios.add(None if stated else _ratio(one.frames, other.frames))
    if len(ratios) != 1 or (ratio := ratios.pop()) is None:
        return
    labels, found = (f"{side[names[0]].frames[0]} to {side[names[0]].frames[-1]}" for side in (truth, predictions))
    finer = "predictions" if ratio > 1 else "labels"
    times = ratio if ratio > 1 else 1 / ratio
    msg = (
        f"the {finer} are numbered {times:g} times as far as the other side in every video ({names[0]}: labels {labels}, "
        f"predictions {found}), so they seem to count at another rate; say both rates by --fps and --predictions-fps"
    )
    raise MetricsError(msg)


def _ratio(labelled: IntArray, predicted: IntArray) -> float | None:
    """Return how many times as fast predictions seem to be numbered as labels; None where nothing says so."""
    if min(len(labelled), len(predicted)) < FEWEST_FOR_RATE:
        return None
    coarse, fine = sorted((labelled, predicted), key=lambda frames: int(frames[-1]))
    # Every frame of the finer side may be numbered, or only those of the coarser one.
    every = int(len(fine) > len(coarse))
    times = round((int(fine[-1]) + every) / (int(coarse[-1]) + every))
    # A frame of the coarser side stands for so many of the finer one.
    ends = int(fine[-1]) - times * int(coarse[-1])
    begins = int(fine[0]) - times * int(coarse[0])
    if times < LEAST_RATIO or not 0 <= ends < 2 * times or not 0 <= begins < times:
        return None
    return float(times) if fine is predicted else 1 / times


def _misplaced(name: str, labelled: IntArray, predicted: IntArray) -> str | None:
    """Return what is wrong where frames may be missing, but those that are predicted do not seem to be the labelled ones."""
    if not len(predicted) or not len(labelled) or np.isin(predicted, labelled).all():
        return None
    if not np.isin(predicted, labelled).any():
        span = f"labels are numbered {labelled[0]} to {labelled[-1]}, predictions {predicted[0]} to {predicted[-1]}"
        return f"{name}: no labelled frame is predicted; {span}; number frames as in the ground truth"
    for shift in SHIFTS:
        if np.array_equal(predicted + shift, labelled):
            way = f"{abs(shift)} {'lower' if shift < 0 else 'higher'}"
            return (
                f"{name}: the predicted frames would be the labelled ones if they were numbered {way}; number them as in the ground truth"
            )
    return None


def _missing(name: str, labelled: IntArray, predicted: IntArray, truth: Track, prediction: Track) -> str:
    missing = labelled[~np.isin(labelled, predicted)].tolist()
    fault = f"{name}: {len(missing)} of {len(labelled)} labelled frames are not predicted ({runs_of(missing)})"
    for shift in SHIFTS:
        if len(predicted) and np.isin(labelled, predicted + shift).all():
            return f"{fault}; all of them would be if the predictions were numbered {abs(shift)} {'lower' if shift < 0 else 'higher'}"
    span = f"labels are numbered {labelled[0]} to {labelled[-1]}, " + (
        f"predictions {predicted[0]} to {predicted[-1]}" if len(predicted) else "and nothing is predicted"
    )
    rate = ""
    if truth.numbering is not None and prediction.numbering is None:
        rate = f" (labels: {truth.numbering.per_second} per second; say the rate of the predictions by --predictions-fps)"
    return f"{fault}; {span}{rate}; predict every labelled frame"


def _near(name: str, predictions: Mapping[str, Track]) -> str:
    if unicodedata.normalize("NFC", name) in {unicodedata.normalize("NFC", other) for other in predictions}:
        # Some systems write an accent as a character of its own.
        return "; one is named alike in other Unicode characters; rename it as in the ground truth"
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0")
    alike = [
        other
        for other in sorted(predictions)
        if other.casefold() == name.casefold()
        or (digits.isdigit() and other.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0") == digits)
    ]
    return f"; is it {alike[0]}? name it as in the ground truth" if alike else f"; there are {listed(sorted(predictions)) or 'none'}"


def listed(names: Sequence[str]) -> str:
    """Return the first few names on one line."""
    return ", ".join(names[:RUNS_SHOWN]) + (f" and {len(names) - RUNS_SHOWN} more" if len(names) > RUNS_SHOWN else "")
