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
        raise MetricsError(f"the {what} are not all numbers; give one number per video, NaN where it is undefined") from error
    if array.ndim != 1 or (array.dtype.kind not in "biuf" and array.size):
        raise MetricsError(f"the {what} have the shape {array.shape} and type {array.dtype}; give one number per video")
    return array.astype(np.float64)


def same_length(reference: FloatArray, predicted: FloatArray, what: str) -> None:
    """Raise `MetricsError` when the two are of different length or empty."""
    if len(reference) != len(predicted):
        raise MetricsError(f"{len(reference)} {what} but {len(predicted)} predictions; give both in the same order of videos")
    if not len(reference):
        raise MetricsError(f"no {what} and no predictions are given; at least one video is needed")


def finite(values: FloatArray, what: str, *, or_undefined: bool = False) -> None:
    """Raise `MetricsError` with the first position of a number that is not finite, or too large; NaN may be allowed."""
    allowed = (np.abs(values) < LARGEST) | (np.isnan(values) & or_undefined)
    if not allowed.all():
        at = int(np.flatnonzero(~allowed)[0])
        raise MetricsError(f"the {what} of video {at} is {values[at]}; it must be a finite number below {LARGEST:g}")


def binary(values: FloatArray, what: str) -> BoolArray:
    """Return 0 and 1 as truth values; raises `MetricsError` with the first position of anything else."""
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise MetricsError(f"the {what} of video {at} is {values[at]}; an error is there (1) or not (0): apply a threshold to scores first")
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
            raise MetricsError(f"video {video.name} is given twice; give every video once, with all its frames")
        seen.add(video.name)
        yield video
    if not seen:
        raise MetricsError("no video is given; at least one is needed")
