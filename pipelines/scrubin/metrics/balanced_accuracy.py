"""Balanced accuracy as scikit-learn returns it: the mean recall of the classes that occur in the truth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.metrics.pairs import same_length, vector
from scrubin.metrics.result import Value
from scrubin.statistics import moments


def of_present_classes(truth: npt.ArrayLike, predicted: npt.ArrayLike, *, adjusted: bool = False) -> Value:
    """Return the mean recall over the classes in the truth, and how many they are; classes that are only predicted count for nothing.

    Parameters
    ----------
    truth, predicted
        (samples,), class ids.
    adjusted
        Rescale so that chance is 0 and perfect is 1. With one class in the truth that divides by 0: minus infinity, NaN when perfect.

    Raises
    ------
    MetricsError
        When lengths differ, there is no sample, or an id is undefined.

    >>> of_present_classes([0, 0, 1], [0, 2, 1])
    Value(value=0.75, n=2)
    """
    true, found = vector(truth, "true classes"), vector(predicted, "predicted classes")
    same_length(true, found, "true classes")
    if np.isnan(true).any() or np.isnan(found).any():
        msg = "a class is undefined (NaN); give a class for every sample, or leave the sample out"
        raise MetricsError(msg)
    recalls = [float(np.mean(found[true == one] == one)) for one in np.unique(true)]
    value, n = moments.mean(recalls), len(recalls)
    if not adjusted:
        return Value(value, n)
    if n == 1:
        return Value(-math.inf if value < 1 else math.nan, n)
    return Value((value - 1 / n) / (1 - 1 / n), n)
