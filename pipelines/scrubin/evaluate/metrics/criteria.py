"""Criteria judged by several annotators: average precision, Brier score, balanced accuracy, and what annotators reach themselves.

The soft truth of a frame is the mean of those who judged it; the hard truth is whether that is at or above the threshold. Frames and
criteria that nobody judged do not count.

- **Average precision** of each criterion against the hard truth; over criteria it is the mAP of Endoscapes (Murali et al. 2023, *The
  Endoscapes Dataset*, benchmark of CVS prediction) and of the CVS Challenge: of three annotators, 0.5 is what most of them say.
- **Brier score** (Brier 1950): mean squared distance of the probability, from the hard or from the soft truth; Endoscapes' program
  takes the soft one (SurgLatentGraph, ``CVSMetric``).
- **Balanced accuracy**: a criterion is predicted from a probability of 0.5 on.
- **Krippendorff's alpha** of nominal data (Krippendorff 2011, *Computing Krippendorff's alpha-reliability*): one minus the disagreement
  within frames over the one expected when all marks are paired at random; a frame that only one annotator judged has no pair. Marks agree
  when they are equal: half met is as far from met as not met is.

``global`` pools the frames of all videos. ``video-wise`` is the mean over the videos where a criterion is defined.

>>> video = CriteriaVideo("a", np.array([[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]), np.array([[0.8], [0.3], [0.6]]))
>>> [round(one.overall.value, 4) for one in Criteria([video], ["C1"]).results()][::2]
[1.0, 0.0967, 0.0893, 1.0]
>>> round(alpha(video.judged[:, 0]), 4)
0.6
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.error_recognition import counts
from scrubin.evaluate.metrics.inputs import BoolArray, FloatArray, each_once, unmasked
from scrubin.evaluate.metrics.recognition.average_precision import average_precision
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_over
from scrubin.labels.marks import mean_of_raters

Scope = Literal["global", "video-wise"]
SCOPES: tuple[Scope, ...] = ("global", "video-wise")
THRESHOLD = 0.5
ROUNDING = 1e-9
"""A mean of thirds may be written with few digits or many; what is nearer to the threshold than this is at it."""
PREDICTED_FROM = 0.5

AP = declare(
    "criteria AP",
    task="criteria",
    kinds=["predictions"],
    says="average precision of every criterion; over criteria the mAP",
    source="Murali et al. 2023",
    ranks=True,
)
BRIER = declare(
    "criteria Brier score",
    task="criteria",
    kinds=["predictions"],
    says="mean squared distance of a probability from the hard truth, or from the mean of annotators",
    source="Brier 1950",
    less_is_better=True,
)
BALANCED = declare(
    "criteria balanced accuracy",
    task="criteria",
    kinds=["predictions"],
    says="mean of sensitivity and specificity, predicted from a probability of 0.5 on",
)
ALPHA = declare(
    "raters criteria alpha",
    task="criteria",
    kinds=["raters"],
    says="Krippendorff's alpha of the annotators, nominal",
    source="Krippendorff 2011",
    column=False,
)
OF_RATERS = {
    metric: declare(
        f"raters {metric}",
        task="criteria",
        kinds=["raters"],
        says=f"{metric} of each annotator against the mean of the others",
        column=False,
    )
    for metric in (BRIER, BALANCED)
}


@dataclass(frozen=True, eq=False)
class CriteriaVideo:
    """Criteria of one video.

    Parameters
    ----------
    name
        Its name.
    judged
        (frames, criteria, annotators), in 0..1, NaN where somebody did not judge.
    predicted
        (frames, criteria), probabilities in 0..1; what stands where nobody judged does not count.
    """

    name: str
    judged: FloatArray
    predicted: FloatArray


@dataclass(frozen=True, eq=False)
class _Rows:
    """Frames of one or more videos: soft truth with NaN, and probabilities, (frames, criteria) each."""

    soft: FloatArray
    predicted: FloatArray

    def of(self, criterion: int, threshold: float) -> tuple[BoolArray, FloatArray, FloatArray]:
        """Return hard truth, soft truth and probabilities of a criterion, of the frames that somebody judged."""
        known = ~np.isnan(self.soft[:, criterion])
        soft = self.soft[known, criterion]
        return soft >= threshold - ROUNDING, soft, self.predicted[known, criterion]


Metric = Callable[[BoolArray, FloatArray, FloatArray], Value]


def precision(hard: BoolArray, soft: FloatArray, predicted: FloatArray) -> Value:
    """Return average precision with its positives; NaN without any."""
    values, positives = average_precision(hard[:, None], predicted[:, None])
    return Value(float(values[0]), int(positives[0]))


def brier(truth: FloatArray, predicted: FloatArray) -> Value:
    """Return the mean squared distance with the number of frames; NaN without any."""
    # Sorted: the order of frames and videos does not change a bit.
    return Value(statistics.mean(np.sort((predicted - truth) ** 2).tolist()), len(truth))


def balanced(hard: BoolArray, soft: FloatArray, predicted: FloatArray) -> Value:
    """Return balanced accuracy with the number of frames; NaN where the criterion is always met, or never."""
    return counts(hard, predicted >= PREDICTED_FROM).rate("balanced accuracy") if len(hard) else Value(math.nan, 0)


METRICS: Sequence[tuple[str, Mapping[str, str], Metric]] = (
    (AP, {}, precision),
    (BRIER, {"truth": "hard"}, lambda hard, soft, predicted: brier(hard.astype(np.float64), predicted)),
    (BRIER, {"truth": "soft"}, lambda hard, soft, predicted: brier(soft, predicted)),
    (BALANCED, {}, balanced),
)


class Criteria:
    """Both sides of all videos, of which draws can be taken.

    Parameters
    ----------
    videos
        Each once.
    names
        Of the criteria.
    threshold
        Mean of annotators from which a criterion is met, in 0..1.

    Raises
    ------
    MetricsError
        Without a video, or when one is given twice; for another shape, or a value outside 0..1.
    """

    def __init__(self, videos: Sequence[CriteriaVideo], names: Sequence[str], threshold: float = THRESHOLD) -> None:
        self._videos, self._names, self._threshold = list(each_once(videos)), tuple(names), threshold
        for one in self._videos:
            _check(one, len(self._names))
        self._rows = [_Rows(mean_of_raters(one.judged), one.predicted) for one in self._videos]
        # By video once: a draw takes them as often as it needs.
        self._by_video = [self._values(rows) for rows in self._rows]

    def _values(self, rows: _Rows) -> list[list[Value]]:
        """Return the value of each metric and criterion."""
        every = [rows.of(at, self._threshold) for at in range(len(self._names))]
        return [[metric(*of_criterion) for of_criterion in every] for _, _, metric in METRICS]

    def results(self, scopes: Sequence[Scope] = SCOPES, draw: Draw | None = None) -> list[Result]:
        """Return every metric in each scope.

        Parameters
        ----------
        draw
            Positions of videos, which may repeat; None: all.

        Returns
        -------
        list of Result
            Overall: mean over the criteria where it is defined, with their number. Classes: by criterion, pooled with positives (AP) or
            frames, video-wise with videos.
        """
        at = list(range(len(self._videos))) if draw is None else np.asarray(draw).tolist()
        drawn = [self._rows[one] for one in at]
        pooled = _Rows(np.concatenate([one.soft for one in drawn]), np.concatenate([one.predicted for one in drawn]))
        of_pool = self._values(pooled) if "global" in scopes else []
        results = []
        for number, (metric, options, _) in enumerate(METRICS):
            shared = {"truth": "hard", **options, "threshold": exact(self._threshold)}
            if shared["truth"] == "soft":
                del shared["threshold"]
            if "global" in scopes:
                results.append(_result(metric, {**shared, "scope": "global"}, dict(zip(self._names, of_pool[number], strict=True)), {}))
            if "video-wise" in scopes:
                of_videos = [self._by_video[one][number] for one in at]
                classes = {name: mean_over([of[k] for of in of_videos]) for k, name in enumerate(self._names)}
                videos = {self._videos[one].name: mean_over(of) for one, of in zip(at, of_videos, strict=True)} if draw is None else {}
                results.append(_result(metric, {**shared, "scope": "video-wise"}, classes, videos))
        return results

    def of_raters(self, raters: Sequence[str], draw: Draw | None = None) -> list[Result]:
        """Return alpha by criterion, and by annotator Brier score and balanced accuracy against the mean of the others, all frames pooled.

        Parameters
        ----------
        raters
            Names of the annotators, in the order of ``judged``.
        draw
            As of `results`.
        """
        at = range(len(self._videos)) if draw is None else np.asarray(draw).tolist()
        judged = np.concatenate([self._videos[one].judged for one in at])
        classes = {name: Value(alpha(judged[:, k]), _pairable(judged[:, k])) for k, name in enumerate(self._names)}
        results = [_result(ALPHA, {"scope": "global"}, classes, {})]
        held_out = {name: self._values(_held_out(judged, k)) for k, name in enumerate(raters)}
        for number, (metric, options, _) in enumerate(METRICS):
            if metric in OF_RATERS and options.get("truth") != "hard":
                by_rater = {name: mean_over(values[number]) for name, values in held_out.items()}
                threshold = {} if options else {"threshold": exact(self._threshold)}
                results.append(_result(OF_RATERS[metric], {"of": "each annotator and the mean of the others", **threshold}, by_rater, {}))
        return results


def _check(video: CriteriaVideo, criteria: int) -> None:
    judged, predicted = np.shape(video.judged), np.shape(video.predicted)
    if len(judged) != 3 or judged[:2] != predicted or judged[1] != criteria:
        what = f"the marks have the shape {judged} and the predictions {predicted} for {criteria} criteria"
        raise MetricsError(f"video {video.name}: {what}; give (frames, criteria, annotators) and (frames, criteria)")
    for values, of in ((video.judged, "marks"), (video.predicted, "predictions")):
        unmasked(values, f"video {video.name}: the {of}")
    is_known = ~np.isnan(video.judged)
    if not _are_shares(video.judged[is_known]) or not _are_shares(video.predicted):
        raise MetricsError(f"video {video.name}: a mark or a prediction is outside 0..1; give marks in 0..1 or NaN, and probabilities")


def _are_shares(values: FloatArray) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def _held_out(judged: FloatArray, rater: int) -> _Rows:
    """Return what an annotator said as if predicted, and the mean of the others where both judged."""
    own, others = judged[:, :, rater], mean_of_raters(np.delete(judged, rater, axis=2))
    return _Rows(np.where(np.isnan(own), np.nan, others), np.where(np.isnan(own), 0.0, own))


def alpha(judged: FloatArray) -> float:
    """Return Krippendorff's alpha of nominal marks.

    Parameters
    ----------
    judged
        (frames, annotators), any values, of which each is a category of its own; NaN where somebody did not judge.

    Returns
    -------
    float
        NaN where no frame was judged by two, and where all marks are the same.
    """
    known = ~np.isnan(judged)
    paired = judged[known.sum(axis=1) > 1]
    at, _ = np.nonzero(~np.isnan(paired))
    values, named = np.unique(paired[~np.isnan(paired)], return_inverse=True)
    # How many of each frame say the same, and how many of all.
    cells, same = np.unique(at * len(values) + named, return_counts=True)
    judges, everywhere, every = np.bincount(at, minlength=len(paired)), np.bincount(named), len(named)
    agreeing = np.bincount(cells // len(values), same**2, minlength=len(paired))
    apart = math.fsum(((judges**2 - agreeing) / (judges - 1)).tolist())
    expected = (every**2 - int((everywhere**2).sum())) / (every - 1) if every else 0.0
    return 1 - apart / expected if expected else math.nan


def _pairable(judged: FloatArray) -> int:
    return int(np.count_nonzero(np.count_nonzero(~np.isnan(judged), axis=1) > 1))


def _result(metric: str, options: Mapping[str, str], classes: Mapping[str, Value], videos: Mapping[str, Value]) -> Result:
    return Result(Variant(metric, "paper", options), mean_over(classes.values()), classes, videos)
