"""Which extracted frames are too poor to be used, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from scrubin.frames.params import DropParams


def why_dropped(measured: Mapping[str, Any], limits: DropParams) -> str | None:
    """Return the first threshold that a frame is beyond, with its value; None for a frame that is kept.

    A value on its threshold is kept.

    Parameters
    ----------
    measured
        The quality columns of the table `frames`, of the full-size picture.
    limits
        ``min_<column>`` and ``max_<column>``.

    >>> why_dropped({"contrast": 3.25}, DropParams(None, None, None, 8.0, None))
    'contrast 3.25 is below 8'
    """
    for limit in fields(limits):
        threshold = getattr(limits, limit.name)
        if threshold is None:
            continue
        end, _, column = limit.name.partition("_")
        value = measured[column]
        if end == "min" and value < threshold:
            return f"{column} {value:.9g} is below {threshold:.9g}"
        if end == "max" and value > threshold:
            return f"{column} {value:.9g} is above {threshold:.9g}"
    return None
