"""Results of detection: values per class, and their mean over the classes that are defined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from scrubin.metrics.detection.rows import FloatArray, IntArray
from scrubin.metrics.result import Result, Value, Variant


def mean(values: Iterable[float]) -> Value:
    """Return the mean of the defined values and how many they are; NaN with 0 when there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return Value(math.fsum(defined) / len(defined), len(defined)) if defined else Value(math.nan, 0)


def of_classes(name: Variant, values: FloatArray, counts: IntArray) -> Result:
    """Return the result of values and counts (classes,)."""
    classes = {str(id_): Value(value, n) for id_, (value, n) in enumerate(zip(values.tolist(), counts.tolist(), strict=True))}
    return Result(name, mean(values.tolist()), classes)


def over_videos(name: Variant, values: FloatArray, videos: Sequence[str] = ()) -> Result:
    """Return the result of values (videos, classes): means over videos, then over classes; by video where videos are named."""
    classes = {str(id_): mean(column) for id_, column in enumerate(values.T.tolist())}
    by_video = {video: mean(row) for video, row in zip(videos, values.tolist(), strict=True)} if videos else {}
    return Result(name, mean(one.value for one in classes.values()), classes, by_video)
