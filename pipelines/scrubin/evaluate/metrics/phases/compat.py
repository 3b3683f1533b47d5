"""What the published relaxed evaluation returns: ``Evaluate`` for one video, ``Main`` for a test set, of Cholec80 or of M2CAI (8 phases).

Each entry of `QUIRKS` has a test of the same name in ``tests/metrics/test_phase_quirks.py`` that shows it on a minimal example.

Our own implementation of what YuemingJin/TMRNet 6a0db47, matlab-eval, does (section 3.3.5, Listing 1). `QUIRKS` names each
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

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.phases import BoolArray, FloatArray, IntArray, PhaseVideo, checked, sequences_of
from scrubin.evaluate.metrics.phases.relaxed import RELAXED, RELAXED_RATES, RelaxedRate, check_omega, segments
from scrubin.evaluate.metrics.registry import Quirk
from scrubin.evaluate.metrics.result import Result, Value, Variant, mean_of

QUIRKS = (
    Quirk(
        "tail-mask-on-head",
        "bug",
        "The mask of early transitions, found in the last omega frames of a segment, is applied to its first omega frames: early "
        "transitions are never excused, any error at the same place of the head is.",
        "Each window excuses what lies in it.",
        "As published.",
    ),
    Quirk(
        "short-segments",
        "choice",
        "A segment shorter than omega is relaxed throughout, so there the bug has no effect; the printed formula lets its windows reach "
        "into the neighbours.",
        "Windows end with their segment; window='literal' is the printed formula.",
        "As published.",
    ),
    Quirk(
        "x-cells",
        "choice",
        "Four transitions that the workflow of Cholec80 allows are not considered (crosses in Figure 3).",
        "Left out; cholec80('accepted') accepts them.",
        "As published.",
    ),
    Quirk(
        "above-one",
        "definition",
        "Relaxed precision and recall count frames annotated or predicted as the phase, so they may exceed 1 (never Jaccard).",
        "The same; counted='own' is the alternative that the paper proposes.",
        "The same, in percent.",
    ),
    Quirk(
        "infinite-precision",
        "choice",
        "A phase annotated, never predicted, but excused has infinite precision, and not excused an undefined one.",
        "The same; counted='own' leaves it undefined.",
        "The same.",
    ),
    Quirk(
        "clipped-before-averaging",
        "choice",
        "Values above 100, infinity included, are set to 100 per video and phase before they are averaged.",
        "above_one='kept' or 'clipped'.",
        "Clipped.",
    ),
    Quirk(
        "phases-not-annotated",
        "choice",
        "Everything of a phase that is not annotated in a video is left out (Strategy B); in regular metrics papers differ.",
        "undefined='A', 'B', 'zero' or 'one'; the default is A, and B for relaxed metrics.",
        "Strategy B.",
    ),
    Quirk(
        "phase-missing-everywhere",
        "choice",
        "A phase annotated in no video makes overall Jaccard and recall undefined, but is left out of overall precision.",
        "Left out of every mean; n says how many phases there were.",
        "As published.",
    ),
    Quirk(
        "deviation-over-what",
        "choice",
        "The printed deviation is over videos for accuracy, over phases for the rest.",
        "Each deviation names its source.",
        "As published; the variant names the source.",
    ),
    Quirk(
        "deviation-of-one-value",
        "choice",
        "The deviation of a single value is 0.",
        "Undefined with Bessel's correction, 0 without.",
        "0.",
    ),
    Quirk(
        "order-of-averaging",
        "choice",
        "Papers average over phases or videos first without saying so; with undefined values the numbers differ.",
        "All elements at once; macro-first, by-phase and by-video can be chosen.",
        "By video within each phase, then over phases.",
    ),
    Quirk(
        "three-f1-scores",
        "choice",
        "The F1 of a paper may be the mean of F1 scores, the mean of harmonic means of macro precision and recall, or the harmonic mean of "
        "overall precision and recall.",
        "Three metrics with three names.",
        "The script has no F1.",
    ),
    Quirk(
        "unknown-ids",
        "bug",
        "Labels other than the phases' numbers are silently dropped or become 0.",
        "MetricsError.",
        "MetricsError.",
    ),
    Quirk(
        "names-without-order",
        "choice",
        "Phases are numbers; what is excused depends on how many steps ahead or back a number is.",
        "Regular metrics do not depend on the order; relaxed ones name the transitions of Cholec80.",
        "Names are numbered in the order of their vocabulary. Where that is not known it has to be named (order=...): never by alphabet.",
    ),
)


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


def _correct_by_script(annotation: IntArray, prediction: IntArray, omega: int, rules: Rules) -> BoolArray:
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
    video = sequences_of(PhaseVideo("given", annotation, prediction), rules.phases)
    if len(video.predictions) != 1:
        raise MetricsError(f"predictions of {len(video.predictions)} runs are given; the script evaluates one run")
    return _evaluation(video.annotation, video.predictions[0], check_omega(omega), rules)


def _evaluation(annotation: IntArray, prediction: IntArray, omega: int, rules: Rules) -> Evaluation:
    """Return what ``Evaluate`` does for sequences that are checked, (frames,) each."""
    correct = _correct_by_script(annotation, prediction, omega, rules)

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


@dataclass(frozen=True, eq=False)
class Summary:
    """What ``Main`` makes of one rate.

    Parameters
    ----------
    values
        (phases, videos), percent, clipped to 100.
    per_phase, sd_per_phase
        (phases,): means and deviations over the videos.
    per_video
        (videos,): means over the phases.
    mean, sd
        Over the phases' means.
    """

    values: FloatArray
    per_phase: FloatArray
    sd_per_phase: FloatArray
    per_video: FloatArray
    mean: float
    sd: float


@dataclass(frozen=True, eq=False)
class Main:
    """What ``Main`` computes, of any number of videos.

    Parameters
    ----------
    jaccard, precision, recall
        Summaries.
    accuracy
        (videos,).
    mean_accuracy, sd_accuracy
        Over the videos.
    videos
        Names.
    short_segments
        How many segments the script would report as very short.
    omega
        Frames.
    rules
        Of the data set.
    """

    jaccard: Summary
    precision: Summary
    recall: Summary
    accuracy: FloatArray
    mean_accuracy: float
    sd_accuracy: float
    videos: tuple[str, ...]
    short_segments: int
    omega: int
    rules: Rules


@dataclass(frozen=True, eq=False)
class Evaluations:
    """What ``Evaluate`` returns for each video, of which `summarised` makes the numbers of ``Main``.

    Parameters
    ----------
    videos
        Names.
    evaluated
        What it returns, per video.
    omega
        Frames.
    rules
        Of the data set.
    """

    videos: tuple[str, ...]
    evaluated: tuple[Evaluation, ...]
    omega: int
    rules: Rules

    def take(self, draw: IntArray) -> Evaluations:
        """Return the videos at these positions, which may repeat, each under a name of its own: a resample for the bootstrap."""
        return Evaluations(drawn_names(self.videos, draw), tuple(self.evaluated[at] for at in draw.tolist()), self.omega, self.rules)


def main(videos: Iterable[PhaseVideo], omega: float, rules: Rules = CHOLEC80) -> Main:
    """Return what ``Main`` computes: values clipped to 100 (infinity too), then averaged over videos, then over phases.

    Parameters
    ----------
    videos
        One run of each; the script is fixed to videos 41 to 80 of Cholec80, and 1 to 14 of M2CAI.
    omega
        Frames: 10 for Cholec80 (1 per second), 250 for M2CAI (25 per second).
    rules
        `CHOLEC80` or `M2CAI`.

    Raises
    ------
    MetricsError
        As `videos.checked`; also when there is more than one run, or omega is no whole number from 0.
    """
    return summarised(evaluations(videos, omega, rules))


def evaluations(videos: Iterable[PhaseVideo], omega: float, rules: Rules = CHOLEC80) -> Evaluations:
    """Return what ``Evaluate`` returns for each video; parameters and errors as `main`."""
    whole, names, evaluated = check_omega(omega), [], []
    for video in checked(videos, rules.phases):
        if len(video.predictions) != 1:
            msg = (
                f"video {video.name}: predictions of {len(video.predictions)} runs; "
                "the script evaluates one run, give them one after the other"
            )
            raise MetricsError(msg)
        evaluated.append(_evaluation(video.annotation, video.predictions[0], whole, rules))
        names.append(video.name)
    return Evaluations(tuple(names), tuple(evaluated), whole, rules)


def summarised(of: Evaluations) -> Main:
    """Return the numbers of ``Main`` for evaluated videos."""
    summaries = {rate: _summary(np.stack([one.rate(rate) for one in of.evaluated], axis=1), rate) for rate in RELAXED_RATES}
    accuracies = np.array([one.accuracy for one in of.evaluated])
    return Main(
        **summaries,
        accuracy=accuracies,
        mean_accuracy=statistics.mean(accuracies.tolist()),
        sd_accuracy=_matlab_sd(accuracies),
        videos=of.videos,
        short_segments=int(np.sum([len(one.short_segments) for one in of.evaluated])),
        omega=of.omega,
        rules=of.rules,
    )


def _matlab_sd(values: FloatArray) -> float:
    """Return the deviation with n - 1, 0 for a single value and NaN if any is NaN, as MATLAB does.

    >>> _matlab_sd(np.array([4.0])), _matlab_sd(np.array([4.0, np.nan]))
    (0.0, nan)
    """
    listed = values.tolist()
    if not listed or np.isnan(values).any():
        return float("nan")
    return statistics.sd(listed) if len(listed) > 1 else 0.0


def _summary(values: FloatArray, rate: RelaxedRate) -> Summary:
    clipped = np.minimum(values, 100.0)
    per_phase = np.array([mean_of(row).value for row in clipped])
    # Only precision leaves out phases without any value; for the others such a phase makes mean and deviation undefined.
    kept = per_phase[~np.isnan(per_phase)] if rate == "precision" else per_phase
    return Summary(
        clipped,
        per_phase,
        np.array([_matlab_sd(row[~np.isnan(row)]) for row in clipped]),
        np.array([mean_of(column).value for column in clipped.T]),
        statistics.mean(kept.tolist()),
        _matlab_sd(kept),
    )


def results(computed: Main, phases: tuple[str, ...] = ()) -> list[Result]:
    """Return the numbers of ``Main`` as results: mean and deviation of each rate over phases, of accuracy over videos."""
    names = phases or tuple(str(number) for number in range(computed.rules.phases))
    if len(names) != computed.rules.phases:
        raise MetricsError(f"{len(names)} names of phases for the {computed.rules.phases} of {computed.rules.name}")
    options = {"program": f"Main for {computed.rules.name}", "omega": f"{computed.omega} frames", "unit": "percent"}
    out = []
    for rate in RELAXED_RATES:
        summary: Summary = getattr(computed, rate)
        name = RELAXED[rate]
        n = int(np.count_nonzero(~np.isnan(summary.per_phase)))
        counts = np.count_nonzero(~np.isnan(summary.values), axis=1)
        by_phase = _values(names, summary.per_phase, counts)
        by_video = _values(computed.videos, summary.per_video, np.count_nonzero(~np.isnan(summary.values), axis=0))
        out.append(
            Result(Variant(name, "compat", {**options, "statistic": "mean over phases"}), Value(summary.mean, n), by_phase, by_video)
        )
        spread = Variant(name, "compat", {**options, "statistic": "SD over phases"})
        out.append(Result(spread, Value(summary.sd, n), _values(names, summary.sd_per_phase, counts)))
    name, n = "phase recognition relaxed accuracy", len(computed.videos)
    by_video = _values(computed.videos, computed.accuracy, np.ones(n, dtype=np.int64))
    mean = Result(Variant(name, "compat", {**options, "statistic": "mean over videos"}), Value(computed.mean_accuracy, n), {}, by_video)
    return [*out, mean, Result(Variant(name, "compat", {**options, "statistic": "SD over videos"}), Value(computed.sd_accuracy, n))]


def _values(names: tuple[str, ...], values: FloatArray, counts: npt.NDArray[np.int64]) -> dict[str, Value]:
    return {name: Value(float(value), int(n)) for name, value, n in zip(names, values, counts, strict=True)}
