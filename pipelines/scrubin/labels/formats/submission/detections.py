"""Detection: boxes with a triplet, an instrument and a confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scrubin.core.faults import Faults
from scrubin.labels import boxes, fields
from scrubin.labels.formats.submission.content import Boxes
from scrubin.labels.formats.submission.documents import shown
from scrubin.vocabulary.vocabulary import Vocabulary

# As for labels: real boxes leave the image by up to 1.2 %.
TOLERANCE = 0.02
ITEMS = ("instrument", "probability", "x", "y", "w", "h")
LAYOUT = 'write {"triplet": id, "instrument": [id, probability, x, y, w, h]}'
Row = tuple[int, int, float, tuple[float, float, float, float]]


def boxes_of(file: str, given: Mapping[int, Any], words: Vocabulary, faults: Faults) -> Boxes:
    """Return the detections of frames.

    Parameters
    ----------
    given
        What stands at ``detection``, by frame.
    words
        Triplets and instruments.
    faults
        Takes what is wrong; such boxes are left out.
    """
    rows: list[Row] = []
    for frame in sorted(given):
        value = given[frame]
        if not isinstance(value, list):
            fault = "'detection' is no list"
            faults.error(file, "detection-layout", fault, "write [] for none", frames=[frame], example=shown(value))
            continue
        for one in value:
            row = _row(file, frame, one, words, faults)
            if row is not None:
                rows.append(row)
    return Boxes(
        np.array([frame for frame, *_ in rows], np.int64),
        np.array([triplet for _, triplet, *_ in rows], np.int64),
        np.array([box for *_, box in rows], np.float64).reshape(-1, 4),
        np.array([score for _, _, score, _ in rows], np.float64),
    )


def _row(file: str, frame: int, one: Any, words: Vocabulary, faults: Faults) -> Row | None:
    def refuse(rule: str, fault: str, mend: str, example: Any) -> None:
        faults.error(file, f"detection-{rule}", fault, mend, frames=[frame], example=f"first: {shown(example)}")

    tool = one.get("instrument") if isinstance(one, dict) else None
    if not isinstance(one, dict) or "triplet" not in one or not isinstance(tool, list):
        refuse("layout", "a detection is no object with triplet and instrument", LAYOUT, one)
        return None
    if len(tool) != len(ITEMS):
        refuse("values", f"'instrument' has {len(tool)} values instead of {len(ITEMS)}", LAYOUT, tool)
        return None
    triplet, instrument = one["triplet"], tool[0]
    sound = True
    for what, value, names in (("triplet", triplet, words.triplets), ("instrument", instrument, words.instruments)):
        if not fields.is_whole(value) or not 0 <= value < len(names):
            from_zero = fields.is_whole(value) and value == len(names)
            mend = fields.FROM_ZERO if from_zero else f"give a whole number in 0..{len(names) - 1}"
            refuse(f"{what}-id", f"the {what} id is none of 0..{len(names) - 1}", mend, value)
            sound = False
    if sound and words.triplets[triplet][0] != instrument:
        fault = f"triplet {triplet} is {words.triplet_name(triplet)}, which has another instrument"
        refuse("instrument-of-triplet", fault, f"give instrument {words.triplets[triplet][0]} or another triplet", instrument)
        sound = False
    if not _is_number(tool[1]) or not 0 <= tool[1] <= 1:
        refuse("probability", "a confidence is not in 0..1", "give a number in 0..1", tool[1])
        sound = False
    sound &= _box(tool[2:], refuse)
    return (frame, triplet, float(tool[1]), tuple(map(float, tool[2:]))) if sound else None  # type: ignore[return-value]


def _box(box: list[Any], refuse: Any) -> bool:
    if not all(_is_number(side) for side in box):
        refuse("box", "a box is not four numbers", "give x, y, width and height in 0..1", box)
        return False
    x, y, w, h = map(float, box)
    if x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= 1 and y + h <= 1:
        return True
    found = boxes.check((x, y, w, h), TOLERANCE)
    if found.box_xywh is None:
        what = "has no area" if w <= 0 or h <= 0 else "leaves the image"
        refuse("box", f"a box is not a top-left corner and a size in 0..1, it {what}", found.mend, box)
    return found.box_xywh is not None


def _is_number(value: Any) -> bool:
    # The size comes first: a whole number of hundreds of digits is no float.
    return type(value) in (int, float) and abs(value) < fields.LARGEST and fields.is_number(value)
