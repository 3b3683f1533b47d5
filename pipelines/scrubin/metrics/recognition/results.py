"""Results of recognition: values per class, and their mean over the classes that are defined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.components import Component, TripletMap
from scrubin.metrics.recognition.videos import IntArray
from scrubin.metrics.result import Result, Semantics, Value, Variant

METRIC = "triplet recognition AP"


def variant(
    semantics: Semantics, component: Component, scope: str, classes: int, left_out: Sequence[int] | None, **further: str
) -> Variant:
    """Return the name of an average precision: component, scope, how many classes, and for triplets which are left out as null, if any."""
    options = {"component": component, "scope": scope, "classes": str(classes), **further}
    if component == "ivt":
        options["null"] = "counted" if left_out is None else f"left out ({', '.join(map(str, left_out))})"
    return Variant(METRIC, semantics, options)


def paper_variant(triplets: TripletMap, component: Component, scope: str, ignore_null: bool) -> Variant:
    """Return the name of an average precision of the paper semantics."""
    left_out = (triplets.null or ()) if ignore_null else None
    return variant("paper", component, scope, len(triplets.kept(component, ignore_null)), left_out)


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
