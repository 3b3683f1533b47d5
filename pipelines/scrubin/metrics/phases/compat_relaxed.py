"""What the published relaxed evaluation returns for one video: ``Evaluate`` for Cholec80, and its variant for M2CAI (8 phases).

Our own implementation of what YuemingJin/TMRNet 6a0db47, matlab-eval, does (section 3.3.5, Listing 1). `quirks.QUIRKS` names each
difference from the definition. The one that matters most: what is found in the tail of a segment is applied to its head. Three frames of
an early transition stay errors, and three absurd predictions at the start of the segment are excused instead:

>>> annotation, prediction = [1] * 40 + [2] * 20, [5] * 3 + [1] * 34 + [2] * 23
>>> float(evaluate(annotation, prediction, 3).accuracy)
95.0
>>> [at for at, right in enumerate(evaluate(annotation, prediction, 3).correct) if not right]
[37, 38, 39]

All numbers are percent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.phases.relaxed import RelaxedRate, check_omega
from scrubin.metrics.phases.segments import segments
from scrubin.metrics.phases.videos import BoolArray, FloatArray, IntArray, Video, sequences_of


@dataclass(frozen=True)
class Rules:
    """Which differences, prediction minus annotation, each phase excuses.

    Parameters
    ----------
    name
        For the name of a variant.
    late, early
        Per phase, steps back and steps ahead.
    """

    name: str
    late: tuple[tuple[int, ...], ...]
    early: tuple[tuple[int, ...], ...]

    @property
    def phases(self) -> int:
        """How many phases."""
        return len(self.late)


CHOLEC80 = Rules("Cholec80", late=((-1,),) * 5 + ((-1, -2),) * 2, early=((1,),) * 3 + ((1, 2),) * 4)
M2CAI = Rules("M2CAI", late=((-1,),) * 6 + ((-1, -2),) * 2, early=((1,),) * 4 + ((1, 2),) * 4)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What ``Evaluate`` returns for a video.

    Parameters
    ----------
    jaccard, precision, recall
        (phases,), percent, not clipped; NaN for a phase not annotated, and for the precision of one neither predicted nor excused.
    accuracy
        Percent.
    correct
        (frames,), what the script takes for correct.
    short_segments
        Phases of the segments shorter than omega, which the script reports.
    """

    jaccard: FloatArray
    precision: FloatArray
    recall: FloatArray
    accuracy: float
    correct: BoolArray
    short_segments: tuple[int, ...]

    def rate(self, name: RelaxedRate) -> FloatArray:
        """Return one of the three by its name."""
        return {"jaccard": self.jaccard, "precision": self.precision, "recall": self.recall}[name]


def correct_by_script(annotation: IntArray, prediction: IntArray, omega: int, rules: Rules) -> BoolArray:
    """Return what the script takes for correct, (frames,): the mask of the last frames is applied to the first ones."""
    difference = prediction - annotation
    for phase, start, end in segments(annotation):
        width = min(omega, end - start)
        head = difference[start : start + width]
        head[np.isin(head, rules.late[phase])] = 0
        # Read only now: where head and tail overlap, the tail sees what the late rule made of it.
        head[np.isin(difference[end - width : end], rules.early[phase])] = 0
    correct: BoolArray = difference == 0
    return correct


def evaluate(annotation: npt.ArrayLike, prediction: npt.ArrayLike, omega: float, rules: Rules = CHOLEC80) -> Evaluation:
    """Return what ``Evaluate`` does for one video and one run.

    Parameters
    ----------
    annotation, prediction
        (frames,), phase ids from 0.
    omega
        Frames: 10 times the frame rate in the script.
    rules
        `CHOLEC80` or `M2CAI`.

    Raises
    ------
    MetricsError
        As `videos.sequences_of`; also when omega is no whole number from 0.
    """
    video = sequences_of(Video("given", annotation, prediction), rules.phases)
    if len(video.predictions) != 1:
        msg = f"predictions of {len(video.predictions)} runs are given; the script evaluates one run"
        raise MetricsError(msg)
    return evaluation(video.annotation, video.predictions[0], check_omega(omega), rules)


def evaluation(annotation: IntArray, prediction: IntArray, omega: int, rules: Rules) -> Evaluation:
    """Return what ``Evaluate`` does for sequences that are checked, (frames,) each."""
    correct = correct_by_script(annotation, prediction, omega, rules)

    def tally(ids: IntArray) -> FloatArray:
        return np.bincount(ids, minlength=rules.phases).astype(np.float64)

    annotated, predicted, both = tally(annotation), tally(prediction), tally(annotation[annotation == prediction])
    # The bug excuses errors only and never takes a right prediction back, so frames with both are always correct.
    hits = tally(annotation[correct]) + tally(prediction[correct]) - both
    short = tuple(phase for phase, start, end in segments(annotation) if end - start < omega)
    hits[annotated == 0] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        jaccard, precision, recall = (hits * 100 / whole for whole in (annotated + predicted - both, predicted, annotated))
    return Evaluation(jaccard, precision, recall, float(correct.mean() * 100), correct, short)
