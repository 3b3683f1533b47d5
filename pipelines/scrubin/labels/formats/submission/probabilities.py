"""Recognition: one probability per triplet and frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.faults import Faults
from scrubin.labels.formats.submission.documents import shown
from scrubin.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

TYPES: Mapping[type, str] = {str: "text", bool: "true or false", type(None): "null", list: "a list", dict: "an object"}
IN_RANGE = "give numbers in 0..1"


def matrix(file: str, frames: IntArray, by_frame: Mapping[int, Any], vocabulary: Vocabulary, faults: Faults) -> FloatArray:
    """Return the probabilities of frames.

    Parameters
    ----------
    frames
        Of the video, increasing.
    by_frame
        What stands at ``recognition``; some frames may lack it.
    vocabulary
        Its triplets; a vector without the null ones is recognised.
    faults
        Takes what is wrong.

    Returns
    -------
    FloatArray
        (frames, triplets); NaN where there is no usable row.
    """
    scores = np.full((len(frames), len(vocabulary.triplets)), np.nan)
    rows: dict[int, list[float]] = {}
    for frame in sorted(by_frame):
        row = _row(file, frame, by_frame[frame], vocabulary, faults)
        if row is not None:
            rows[frame] = row
    if rows:
        numbers = np.array(list(rows), np.int64)
        usable = np.array(list(rows.values()), np.float64)
        scores[np.searchsorted(frames, numbers)] = usable
        _ranges(file, numbers, usable, faults)
    return scores


def _row(file: str, frame: int, value: Any, vocabulary: Vocabulary, faults: Faults) -> list[float] | None:
    classes, null = len(vocabulary.triplets), len(vocabulary.null_triplets)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
        if not any(isinstance(one, list) for one in value):
            what = "'recognition' is nested once, [[...]]"
            faults.deviation(file, "recognition-nested", what, "write the probabilities in one list, [...]", frames=[frame])
    types = set(map(type, value)) if isinstance(value, list) else set()
    if not isinstance(value, list) or list in types:
        what = TYPES.get(type(value), "a number") if not isinstance(value, list) else "nested too deeply"
        fix = f"give one list of {classes} probabilities"
        faults.error(file, "recognition-layout", f"'recognition' is {what}", fix, frames=[frame], example=shown(value))
        return None
    if len(value) != classes:
        fix = f"give {classes}, one per triplet" + (f", the {null} null ones included" if null and len(value) == classes - null else "")
        faults.error(file, "recognition-classes", f"{len(value)} probabilities instead of {classes}", fix, frames=[frame])
        return None
    if types == {float}:
        return value
    return _numbers(file, frame, value, faults)


def _numbers(file: str, frame: int, value: list[Any], faults: Faults) -> list[float] | None:
    """Return a row with whole numbers among the others, None when something is no number."""
    wrong = [(i, one) for i, one in enumerate(value) if type(one) not in (float, int)]
    for i, one in wrong:
        what = f"a probability is {TYPES[type(one)]} instead of a number"
        faults.error(file, "recognition-type", what, IN_RANGE, frames=[frame], example=f"first: triplet {i} is {shown(one)}")
    # A whole number can be too large for a float: it is out of range just as 2 is.
    return None if wrong else [float(one) if isinstance(one, float) or 0 <= one <= 1 else 2.0 if one > 1 else -1.0 for one in value]


def _ranges(file: str, frames: Any, scores: FloatArray, faults: Faults) -> None:
    finite = np.isfinite(scores)
    not_finite = IN_RANGE if finite.any() else f"{IN_RANGE}; none of this file is finite: did the training diverge?"
    with np.errstate(invalid="ignore"):
        wrong_by_name: dict[str, tuple[BoolArray, str]] = {
            "NaN": (np.isnan(scores), not_finite),
            "infinite": (np.isinf(scores), not_finite),
            "below 0": (finite & (scores < 0), f"{IN_RANGE}; of logits take the sigmoid"),
            "above 1": (finite & (scores > 1), _above(scores[finite])),
        }
    for name, (wrong, fix) in wrong_by_name.items():
        if not wrong.any():
            continue
        at, triplet = (int(one) for one in np.argwhere(wrong)[0])
        value = "" if name in ("NaN", "infinite") else f" is {scores[at, triplet]:.6g}"
        example = f"first: frame {frames[at]}, triplet {triplet}{value}"
        rule = f"recognition-{name.lower().replace(' ', '-')}"
        what = f"a probability is {name}"
        where = frames[wrong.any(axis=1)].tolist()
        faults.error(file, rule, what, fix, frames=where, example=example, count=int(np.count_nonzero(wrong)))


def _above(finite: FloatArray) -> str:
    if (finite < 0).any():
        return f"{IN_RANGE}; of logits take the sigmoid"
    return f"{IN_RANGE}; divide percentages by 100" if 1.5 < finite.max(initial=0) <= 100 else IN_RANGE
