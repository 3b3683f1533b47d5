"""What becomes of values that are undefined because a phase is missing in a video.

Source: section 3.3.3, Tables 1 and 2.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from scrubin.errors import MetricsError
from scrubin.metrics.phases.videos import BoolArray, FloatArray

Strategy = Literal["A", "B", "zero", "one"]
STRATEGIES: tuple[Strategy, ...] = ("A", "B", "zero", "one")


def settled(values: FloatArray, annotated: BoolArray, strategy: Strategy) -> FloatArray:
    """Return the values with undefined ones handled.

    Parameters
    ----------
    values
        (..., phases), NaN where undefined.
    annotated
        The same shape, or one that broadcasts to it: whether the phase is annotated at all.
    strategy
        ``A``: undefined values are left out. ``B``: also everything of a phase that is not annotated in the video, false positives
        included. ``zero`` and ``one``: filled, as by ``zero_division`` of scikit-learn.

    Returns
    -------
    FloatArray
        A new array; what is NaN in it takes no part in any mean.

    >>> found = np.array([0.0, np.nan, 0.5])
    >>> settled(found, np.array([False, False, True]), "B").tolist()
    [nan, nan, 0.5]
    """
    if strategy == "A":
        return values.copy()
    if strategy == "B":
        return np.where(annotated, values, np.nan)
    if strategy in {"zero", "one"}:
        return np.where(np.isnan(values), 0.0 if strategy == "zero" else 1.0, values)
    msg = f"there is no strategy {strategy!r} for undefined values; choose one of {', '.join(STRATEGIES)}"
    raise MetricsError(msg)
