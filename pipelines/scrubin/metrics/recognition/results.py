"""Results of recognition: values per class, and their mean over the classes that are defined."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.components import Component
from scrubin.metrics.recognition.videos import IntArray
from scrubin.metrics.result import Result, Semantics, Value, Variant

METRIC = "triplet recognition AP"


def variant(semantics: Semantics, component: Component, scope: str, classes: int, ignore_null: bool, **further: str) -> Variant:
    """Return the name of an average precision: component, scope, how many classes, and for triplets whether null ones count."""
    options = {"component": component, "scope": scope, "classes": str(classes), **further}
    if component == "ivt":
        options["null"] = "left out" if ignore_null else "counted"
    return Variant(METRIC, semantics, options)


def mean(values: npt.NDArray[np.float64]) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none."""
    defined = values[~np.isnan(values)]
    return Value(math.fsum(defined) / len(defined), len(defined)) if len(defined) else Value(math.nan, 0)


def result(
    name: Variant, ids: IntArray, values: npt.NDArray[np.float64], counts: IntArray, videos: Mapping[str, Value] | None = None
) -> Result:
    """Return a result.

    Parameters
    ----------
    name
        Its variant.
    ids, values, counts
        (classes,): what names each class, its value, and how many positives or videos are behind it.
    videos
        Values by video.
    """
    classes = {str(id_): Value(float(value), int(n)) for id_, value, n in zip(ids, values, counts, strict=True)}
    return Result(name, mean(values), classes, dict(videos or {}))
