"""Checks of inputs that several metrics share: paired values, one reference with one prediction per video, videos given once each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


# The square of a larger number is none any more.
LARGEST = 1e100


def unmasked(values: Any, what: str) -> Any:
    """Return values as they are; raises `MetricsError` for an array that masks some of them: they would count as if they were none."""
    if np.ma.is_masked(values):
        msg = f"{what}: some values are masked, which no metric knows; leave them out, or give NaN where they may be undefined"
        raise MetricsError(msg)
    return values


def vector(values: npt.ArrayLike, what: str) -> FloatArray:
    """Return numbers as (videos,); raises `MetricsError` when they are none, or have another shape."""
    try:
        array: npt.NDArray[Any] = np.asarray(unmasked(values, f"the {what}"))
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = f"the {what} are not all numbers; give one number per video, NaN where it is undefined"
        raise MetricsError(msg) from error
    if array.ndim != 1 or (array.dtype.kind not in "biuf" and array.size):
        msg = f"the {what} have the shape {array.shape} and type {array.dtype}; give one number per video"
        raise MetricsError(msg)
    return array.astype(np.float64)


def same_length(reference: FloatArray, predicted: FloatArray, what: str) -> None:
    """Raise `MetricsError` when the two are of different length or empty."""
    if len(reference) != len(predicted):
        msg = f"{len(reference)} {what} but {len(predicted)} predictions; give both in the same order of videos"
        raise MetricsError(msg)
    if not len(reference):
        msg = f"no {what} and no predictions are given; at least one video is needed"
        raise MetricsError(msg)


def finite(values: FloatArray, what: str, *, or_undefined: bool = False) -> None:
    """Raise `MetricsError` with the first position of a number that is not finite, or too large; NaN may be allowed."""
    allowed = (np.abs(values) < LARGEST) | (np.isnan(values) & or_undefined)
    if not allowed.all():
        at = int(np.flatnonzero(~allowed)[0])
        msg = f"the {what} of video {at} is {values[at]}; it must be a finite number below {LARGEST:g}"
        raise MetricsError(msg)


def binary(values: FloatArray, what: str) -> BoolArray:
    """Return 0 and 1 as truth values; raises `MetricsError` with the first position of anything else."""
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        msg = f"the {what} of video {at} is {values[at]}; an error is there (1) or not (0): apply a threshold to scores first"
        raise MetricsError(msg)
    truth: BoolArray = values == 1
    return truth


class _Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


_Video = TypeVar("_Video", bound=_Named)


def each_once(videos: Iterable[_Video]) -> Iterator[_Video]:
    """Yield the videos; raises `MetricsError` when a name comes twice, and at the end when there was none."""
    seen: set[str] = set()
    for video in videos:
        if video.name in seen:
            msg = f"video {video.name} is given twice; give every video once, with all its frames"
            raise MetricsError(msg)
        seen.add(video.name)
        yield video
    if not seen:
        msg = "no video is given; at least one is needed"
        raise MetricsError(msg)
