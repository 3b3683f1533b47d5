"""Recognition of errors per video: accuracy, balanced accuracy, sensitivity, specificity of every error.

Source: LASANA, Video-level error recognition: balanced accuracy is the average of sensitivity and specificity. Where an error never or
always occurs one of them is undefined, and so is their average; scikit-learn then returns the other one alone (semantics ``compat``):

>>> for semantics in ("paper", "compat"):
...     print(score("balanced accuracy", {"cut": [0, 0, 0]}, {"cut": [0, 0, 1]}, semantics=semantics).overall)
Value(value=nan, n=0)
Value(value=0.6666666666666666, n=1)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.inputs import binary, same_length, vector
from scrubin.evaluate.metrics.registry import Quirk
from scrubin.evaluate.metrics.registry import metric as declared
from scrubin.evaluate.metrics.result import Result, Semantics, Value, Variant, mean_over

Metric = Literal["accuracy", "balanced accuracy", "sensitivity", "specificity"]
METRICS: tuple[Metric, ...] = get_args(Metric)
LASANA = "LASANA, Video-level error recognition"
NAME = "error recognition {}"


@dataclass(frozen=True)
class Counts:
    """Videos by truth and prediction of one error."""

    true_positive: int
    false_negative: int
    false_positive: int
    true_negative: int

    @property
    def positives(self) -> int:
        """Videos with the error."""
        return self.true_positive + self.false_negative

    @property
    def negatives(self) -> int:
        """Videos without the error."""
        return self.false_positive + self.true_negative

    def rate(self, metric: Metric, semantics: Semantics = "paper") -> Value:
        """Return a metric and the number of videos behind it; NaN where it is undefined."""
        if metric == "sensitivity":
            return _share(self.true_positive, self.positives)
        if metric == "specificity":
            return _share(self.true_negative, self.negatives)
        if metric == "accuracy":
            return _share(self.true_positive + self.true_negative, self.positives + self.negatives)
        both = [_share(self.true_positive, self.positives), _share(self.true_negative, self.negatives)]
        kept = [one.value for one in both if one.defined or semantics == "paper"]
        return Value(statistics.mean(kept), self.positives + self.negatives)


def counts(truth: npt.ArrayLike, predicted: npt.ArrayLike, error: str = "error") -> Counts:
    """Return the counts of one error.

    Parameters
    ----------
    truth
        (videos,), 0 or 1, NaN where unknown: such videos are left out.
    predicted
        (videos,), 0 or 1.
    error
        Its name, for messages.

    Raises
    ------
    MetricsError
        When lengths differ, or a value is neither 0 nor 1.
    """
    labels, answers = vector(truth, f"labels of {error}"), vector(predicted, f"predictions of {error}")
    same_length(labels, answers, f"labels of {error}")
    present = binary(answers, f"prediction of {error}")
    known = ~np.isnan(labels)
    there = binary(np.where(known, labels, 0.0), f"label of {error}")[known]
    predicted_present = present[known]
    hits, alarms = int(np.count_nonzero(there & predicted_present)), int(np.count_nonzero(predicted_present))
    positives = int(np.count_nonzero(there))
    return Counts(hits, positives - hits, alarms - hits, len(there) - positives - alarms + hits)


def score(
    metric: Metric, truth: Mapping[str, npt.ArrayLike], predicted: Mapping[str, npt.ArrayLike], *, semantics: Semantics = "paper"
) -> Result:
    """Return a metric of every error, and its mean over the errors where it is defined.

    Parameters
    ----------
    metric
        Which.
    truth, predicted
        Values of all videos by the name of the error, see `counts`.
    semantics
        ``paper``, or ``compat`` for balanced accuracy as scikit-learn returns it.

    Returns
    -------
    Result
        Overall with the number of errors, classes with the number of videos.

    Raises
    ------
    MetricsError
        As `counts`; also when there is no error, or truth and predictions are not of the same errors.
    """
    if metric not in METRICS or semantics not in get_args(Semantics):
        raise MetricsError(f"there is no metric {metric!r} of errors with semantics {semantics!r}; choose one of {', '.join(METRICS)}")
    if not truth or set(truth) != set(predicted):
        differing = sorted(set(truth) ^ set(predicted))
        msg = f"truth and predictions must be of the same errors, at least one; only in one of them: {', '.join(differing) or 'none'}"
        raise MetricsError(msg)
    classes = {error: counts(truth[error], predicted[error], error).rate(metric, semantics) for error in sorted(truth)}
    variant = Variant(NAME.format(metric), semantics, {"averaged": "over errors"}, {"errors": ", ".join(classes)})
    return Result(variant, mean_over(classes.values()), classes)


def _share(part: int, whole: int) -> Value:
    return Value(part / whole if whole else math.nan, whole)


QUIRKS = (
    Quirk(
        "balanced-accuracy-of-one-class",
        "choice",
        "scikit-learn's balanced_accuracy_score: the mean recall over the classes that occur in the truth. Of an error that never or "
        "always occurs that is the recall of the one class there is (with a warning); adjusted=True gives minus infinity.",
        "Undefined: the average of sensitivity and specificity (LASANA, Video-level error recognition), of which one has no case. "
        "Such an error is left out of the mean over errors, and n says so.",
        "As scikit-learn, not adjusted.",
    ),
)

SAYS: Mapping[Metric, str] = {
    "accuracy": "share of recordings of which it is said rightly whether the error occurs",
    "balanced accuracy": "mean of sensitivity and specificity",
    "sensitivity": "share of recordings with the error in which it is found",
    "specificity": "share of recordings without the error in which none is found",
}
for _metric, _says in SAYS.items():
    declared(NAME.format(_metric), task="errors", says=_says, source=LASANA, takes=["semantics"])(partial(score, _metric))
