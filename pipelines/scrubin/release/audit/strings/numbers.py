"""Numbers as texts, for the search: a date can also be stored as 20230417."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.release.audit.findings import Text

SMALLEST = 10**6  # a date of 8 digits whose first is 0
SMALLEST_OF_A_DAY = 10**4  # the same with 6 digits
LARGEST = 10**17  # 8 digits of a date, 9 of a time


def text_of(place: str, values: npt.NDArray[Any] | Iterable[float], *, day: bool) -> list[Text]:
    """Return the whole numbers among values that can hold a date, as one text; none where there are none.

    Parameters
    ----------
    place
        Of the text.
    values
        Any numbers; NaN and fractions are passed over.
    day
        Whether the name of the column says that it holds days. Only then 6 digits count, because
        frame numbers and ids of annotations have as many.
    """
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.dtype.kind not in "iuf" or (array.dtype.kind in "iu" and array.dtype.itemsize < 4 and not day):
        return []
    with np.errstate(invalid="ignore"):
        size = np.abs(array.astype(np.float64)).ravel()
    low = SMALLEST_OF_A_DAY if day else SMALLEST
    whole = np.unique(size[(size >= low) & (size < LARGEST) & (size == np.floor(size))])
    numbers = set(map(int, whole.tolist()))
    spelled = {str(number) for number in numbers}
    # A leading zero is lost in a number. Seven digits that count up are ids.
    spelled |= {f"{number:08d}" for number in numbers if number < 10**7 and not {number - 1, number + 1} & numbers}
    if day:
        spelled |= {f"{number:06d}" for number in numbers if number < 10**5}
    return [Text(place, "\n".join(sorted(spelled)), structured=not day)] if spelled else []
