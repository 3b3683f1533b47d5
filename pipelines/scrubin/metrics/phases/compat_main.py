"""What the published relaxed evaluation returns for a test set: ``Main`` for Cholec80 and for M2CAI, in percent.

Our own implementation of what YuemingJin/TMRNet 6a0db47, matlab-eval, does; `quirks.QUIRKS` names each difference from the definition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.bootstrap import drawn_names
from scrubin.metrics.phases.compat_relaxed import CHOLEC80, Evaluation, Rules, evaluation
from scrubin.metrics.phases.elements import mean_of
from scrubin.metrics.phases.relaxed import RELAXED_RATES, RelaxedRate, check_omega
from scrubin.metrics.phases.videos import FloatArray, IntArray, Video, checked
from scrubin.metrics.result import Result, Value, Variant
from scrubin.statistics import moments


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
    found
        Per video.
    omega
        Frames.
    rules
        Of the data set.
    """

    videos: tuple[str, ...]
    found: tuple[Evaluation, ...]
    omega: int
    rules: Rules

    def take(self, draw: IntArray) -> Evaluations:
        """Return the videos at these positions, which may repeat, each under a name of its own: a resample for the bootstrap."""
        return Evaluations(drawn_names(self.videos, draw), tuple(self.found[at] for at in draw.tolist()), self.omega, self.rules)


def main(videos: Iterable[Video], omega: float, rules: Rules = CHOLEC80) -> Main:
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


def evaluations(videos: Iterable[Video], omega: float, rules: Rules = CHOLEC80) -> Evaluations:
    """Return what ``Evaluate`` returns for each video; parameters and errors as `main`."""
    whole, names, found = check_omega(omega), [], []
    for video in checked(videos, rules.phases):
        if len(video.predictions) != 1:
            msg = (
                f"video {video.name}: predictions of {len(video.predictions)} runs; "
                "the script evaluates one run, give them one after the other"
            )
            raise MetricsError(msg)
        found.append(evaluation(video.annotation, video.predictions[0], whole, rules))
        names.append(video.name)
    return Evaluations(tuple(names), tuple(found), whole, rules)


def summarised(of: Evaluations) -> Main:
    """Return the numbers of ``Main`` for evaluated videos."""
    summaries = {rate: _summary(np.stack([one.rate(rate) for one in of.found], axis=1), rate) for rate in RELAXED_RATES}
    accuracies = np.array([one.accuracy for one in of.found])
    return Main(
        **summaries,
        accuracy=accuracies,
        mean_accuracy=moments.mean(accuracies.tolist()),
        sd_accuracy=matlab_sd(accuracies),
        videos=of.videos,
        short_segments=int(np.sum([len(one.short_segments) for one in of.found])),
        omega=of.omega,
        rules=of.rules,
    )


def matlab_sd(values: FloatArray) -> float:
    """Return the deviation with n - 1, 0 for a single value and NaN if any is NaN, as MATLAB does.

    >>> matlab_sd(np.array([4.0])), matlab_sd(np.array([4.0, np.nan]))
    (0.0, nan)
    """
    listed = values.tolist()
    if not listed or np.isnan(values).any():
        return float("nan")
    return moments.sd(listed) if len(listed) > 1 else 0.0


def _summary(values: FloatArray, rate: RelaxedRate) -> Summary:
    clipped = np.minimum(values, 100.0)
    per_phase = np.array([mean_of(row).value for row in clipped])
    # Only precision leaves out phases without any value; for the others such a phase makes mean and deviation undefined.
    kept = per_phase[~np.isnan(per_phase)] if rate == "precision" else per_phase
    return Summary(
        clipped,
        per_phase,
        np.array([matlab_sd(row[~np.isnan(row)]) for row in clipped]),
        np.array([mean_of(column).value for column in clipped.T]),
        moments.mean(kept.tolist()),
        matlab_sd(kept),
    )


def results(computed: Main, phases: tuple[str, ...] = ()) -> list[Result]:
    """Return the numbers of ``Main`` as results: mean and deviation of each rate over phases, of accuracy over videos."""
    names = phases or tuple(str(number) for number in range(computed.rules.phases))
    if len(names) != computed.rules.phases:
        msg = f"{len(names)} names of phases for the {computed.rules.phases} of {computed.rules.name}"
        raise MetricsError(msg)
    options = {"program": f"Main for {computed.rules.name}", "omega": f"{computed.omega} frames", "unit": "percent"}
    out = []
    for rate in RELAXED_RATES:
        summary: Summary = getattr(computed, rate)
        name = f"phase recognition relaxed {rate}"
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
