"""What a video has at numbered frames, and how truth and predictions are brought to the same frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.annotations.rates import NONE, Numbering, renumber
from scrubin.errors import MetricsError

IntArray = npt.NDArray[np.int64]
SHOWN = 20
RUNS_SHOWN = 5
SHIFTS = (-1, 1)


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
        joined.notes.append(f"{len(extra)} predicted videos have no ground truth and do not count: {_listed(extra)}")
    beyond = 0
    for name in sorted(set(truth) & set(predictions)):
        of, to = _at_one_rate(truth[name], predictions[name])
        known = np.isin(of[0], to[0])
        if not known.all() and every_frame:
            problems.append(_missing(name, of[0], to[0], truth[name], predictions[name]))
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
    digits = name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0")
    alike = [
        other
        for other in sorted(predictions)
        if other.casefold() == name.casefold()
        or (digits.isdigit() and other.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- ").lstrip("0") == digits)
    ]
    return f"; is it {alike[0]}? name it as in the ground truth" if alike else f"; there are {_listed(sorted(predictions))}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:RUNS_SHOWN]) + (f" and {len(names) - RUNS_SHOWN} more" if len(names) > RUNS_SHOWN else "")
