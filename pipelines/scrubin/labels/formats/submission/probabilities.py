"""Recognition: one probability per triplet and frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scrubin.core.faults import Faults
from scrubin.labels.formats.submission.content import BoolArray, FloatArray
from scrubin.labels.formats.submission.documents import shown

TYPES: Mapping[type, str] = {str: "text", bool: "true or false", type(None): "null", list: "a list", dict: "an object"}
IN_RANGE = "give numbers in 0..1"


def matrix(file: str, given: Mapping[int, Any], classes: int, null: int, faults: Faults) -> FloatArray:
    """Return the probabilities of frames.

    Parameters
    ----------
    given
        What stands at ``recognition``, by frame.
    classes
        How many triplets there are.
    null
        How many of them are null: a vector without them is recognised.
    faults
        Takes what is wrong.

    Returns
    -------
    FloatArray
        (frames, classes), frames increasing; NaN where there is no usable row.
    """
    made = np.full((len(given), classes), np.nan)
    frames = sorted(given)
    usable: list[int] = []
    rows: list[list[float]] = []
    for at, frame in enumerate(frames):
        row = _row(file, frame, given[frame], classes, null, faults)
        if row is not None:
            usable.append(at)
            rows.append(row)
    if rows:
        made[usable] = rows
        numbers = np.array(frames, np.int64)
        _ranges(file, numbers[usable], made[usable], faults)
    return made


def _row(file: str, frame: int, value: Any, classes: int, null: int, faults: Faults) -> list[float] | None:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
        if not any(isinstance(one, list) for one in value):
            fault = "'recognition' is nested once, [[...]]"
            faults.deviation(file, "recognition-nested", fault, "write the probabilities in one list, [...]", frames=[frame])
    kinds = set(map(type, value)) if isinstance(value, list) else set()
    if not isinstance(value, list) or list in kinds:
        what = TYPES.get(type(value), "a number") if not isinstance(value, list) else "nested too deeply"
        mend = f"give one list of {classes} probabilities"
        faults.error(file, "recognition-layout", f"'recognition' is {what}", mend, frames=[frame], example=shown(value))
        return None
    if len(value) != classes:
        mend = f"give {classes}, one per triplet" + (f", the {null} null ones included" if null and len(value) == classes - null else "")
        faults.error(file, "recognition-classes", f"{len(value)} probabilities instead of {classes}", mend, frames=[frame])
        return None
    if kinds == {float}:
        return value
    return _numbers(file, frame, value, faults)


def _numbers(file: str, frame: int, value: list[Any], faults: Faults) -> list[float] | None:
    """Return a row with whole numbers among the others, None when something is no number."""
    wrong = [(i, one) for i, one in enumerate(value) if type(one) not in (float, int)]
    for i, one in wrong:
        fault = f"a probability is {TYPES[type(one)]} instead of a number"
        faults.error(file, "recognition-type", fault, IN_RANGE, frames=[frame], example=f"first: triplet {i} is {shown(one)}")
    # A whole number can be too large for a float: it is out of range just as 2 is.
    return None if wrong else [float(one) if isinstance(one, float) or 0 <= one <= 1 else 2.0 if one > 1 else -1.0 for one in value]


def _ranges(file: str, frames: Any, made: FloatArray, faults: Faults) -> None:
    with np.errstate(invalid="ignore"):
        kinds: dict[str, tuple[BoolArray, str]] = {
            "NaN": (np.isnan(made), IN_RANGE),
            "infinite": (np.isinf(made), IN_RANGE),
            "below 0": (np.isfinite(made) & (made < 0), f"{IN_RANGE}; of logits take the sigmoid"),
            "above 1": (np.isfinite(made) & (made > 1), _above(made)),
        }
    for what, (wrong, mend) in kinds.items():
        if not wrong.any():
            continue
        at, triplet = (int(one) for one in np.argwhere(wrong)[0])
        value = "" if what in ("NaN", "infinite") else f" is {made[at, triplet]:.6g}"
        example = f"first: frame {frames[at]}, triplet {triplet}{value}"
        rule = f"recognition-{what.lower().replace(' ', '-')}"
        fault = f"a probability is {what}"
        where = frames[wrong.any(axis=1)].tolist()
        faults.error(file, rule, fault, mend, frames=where, example=example, count=int(np.count_nonzero(wrong)))


def _above(made: FloatArray) -> str:
    finite = made[np.isfinite(made)]
    if finite.min() < 0:
        return f"{IN_RANGE}; of logits take the sigmoid"
    return f"{IN_RANGE}; divide percentages by 100" if 1.5 < finite.max() <= 100 else IN_RANGE
