"""Detection: boxes with a triplet, an instrument, a confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import boxes
from scrubin.labels.formats.submission.documents import shown
from scrubin.labels.parse import fields

TOLERANCE = 0.02
"""As for labels: real boxes leave the image by up to 1.2 %."""
FEW = 10
"""So many detections fit the wrong numbering by chance."""
ITEMS = ("instrument", "probability", "x", "y", "w", "h")
LAYOUT = 'write {"triplet": id, "instrument": [id, probability, x, y, w, h]}'


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one video, one per row, in order of frames.

    Parameters
    ----------
    frames
        (rows,), frame numbers.
    triplets, instruments
        (rows,), ids from 0. A model may predict another instrument than that of the triplet.
    boxes_xywh
        (rows, 4), top-left corner and size in 0..1.
    scores
        (rows,), confidences in 0..1; 1 in labels.
    """

    frames: npt.NDArray[np.int64]
    triplets: npt.NDArray[np.int64]
    instruments: npt.NDArray[np.int64]
    boxes_xywh: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]


class _Row(NamedTuple):
    frame: int
    triplet: int
    instrument: int
    score: float
    box_xywh: tuple[float, ...]


class _Refuse(Protocol):
    def __call__(self, rule: str, what: str, fix: str, example: Any) -> None: ...


def boxes_of(file: str, by_frame: Mapping[int, Any], vocabulary: Vocabulary, faults: Faults, tolerance: float) -> Boxes:
    """Return the detections of frames.

    Parameters
    ----------
    by_frame
        What stands at ``detection``.
    vocabulary
        Triplets and instruments.
    faults
        Takes what is wrong; such boxes are left out.
    tolerance
        A box may leave the image by this share of its side.
    """
    rows: list[_Row] = []
    for frame in sorted(by_frame):
        value = by_frame[frame]
        if not isinstance(value, list):
            what = "'detection' is no list"
            faults.error(file, "detection-layout", what, "write [] for none", frames=[frame], example=shown(value))
            continue
        for one in value:
            row = _row(file, frame, one, vocabulary, faults, tolerance)
            if row is not None:
                rows.append(row)
    _note_other_instruments(file, rows, vocabulary, faults)
    return Boxes(
        np.array([row.frame for row in rows], np.int64),
        np.array([row.triplet for row in rows], np.int64),
        np.array([row.instrument for row in rows], np.int64),
        np.array([row.box_xywh for row in rows], np.float64).reshape(-1, 4),
        np.array([row.score for row in rows], np.float64),
    )


def _row(file: str, frame: int, one: Any, vocabulary: Vocabulary, faults: Faults, tolerance: float) -> _Row | None:
    def refuse(rule: str, what: str, fix: str, example: Any) -> None:
        faults.error(file, f"detection-{rule}", what, fix, frames=[frame], example=f"first: {shown(example)}")

    tool = one.get("instrument") if isinstance(one, dict) else None
    if not isinstance(one, dict) or "triplet" not in one or not isinstance(tool, list):
        refuse("layout", "a detection is no object with triplet and instrument", LAYOUT, one)
        return None
    if len(tool) != len(ITEMS):
        refuse("values", f"'instrument' has {len(tool)} values instead of {len(ITEMS)}", LAYOUT, tool)
        return None
    triplet, instrument = one["triplet"], tool[0]
    if _is_plain(triplet, tool, vocabulary):
        return _Row(frame, triplet, instrument, tool[1], tuple(tool[2:]))
    triplet, instrument = fields.whole_of(triplet), fields.whole_of(instrument)
    sound = _is_id("triplet", triplet, len(vocabulary.triplets), refuse)
    sound &= _is_id("instrument", instrument, len(vocabulary.instruments), refuse)
    if not _is_number(tool[1]) or not 0 <= tool[1] <= 1:
        refuse("probability", "a confidence is not in 0..1", "give a number in 0..1", tool[1])
        sound = False
    sound &= _is_box(tool[2:], tolerance, refuse)
    return _Row(frame, triplet, instrument, float(tool[1]), tuple(map(float, tool[2:]))) if sound else None


def _is_plain(triplet: Any, tool: list[Any], vocabulary: Vocabulary) -> bool:
    """Return at once whether a detection is what nearly all are: right types, ids, a probability, a box in the image."""
    instrument, score, x, y, w, h = tool
    if type(triplet) is not int or type(instrument) is not int or not type(score) is type(x) is type(y) is type(w) is type(h) is float:
        return False
    is_class = 0 <= triplet < len(vocabulary.triplets) and 0 <= instrument < len(vocabulary.instruments)
    # Written so that what is no number is refused.
    return is_class and 0 <= score <= 1 and x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= 1 and y + h <= 1


def _is_id(name: str, value: Any, count: int, refuse: _Refuse) -> bool:
    if fields.is_whole(value) and 0 <= value < count:
        return True
    fix = fields.FROM_ZERO if fields.is_whole(value) and value == count else f"give a whole number in 0..{count - 1}"
    refuse(f"{name}-id", f"the {name} id is none of 0..{count - 1}", fix, value)
    return False


def _is_box(box: list[Any], tolerance: float, refuse: _Refuse) -> bool:
    if not all(_is_number(side) for side in box):
        refuse("box", "a box is not four numbers", "give x, y, width and height in 0..1", box)
        return False
    x, y, w, h = map(float, box)
    if x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= 1 and y + h <= 1:
        return True
    wrong = boxes.check((x, y, w, h), tolerance)
    if wrong is not None:
        what = "has no area" if w <= 0 or h <= 0 else "leaves the image"
        refuse("box", f"a box is not a top-left corner and a size in 0..1, it {what}", wrong.fix, box)
    return wrong is None


def _is_number(value: Any) -> bool:
    # The size comes first: a whole number of hundreds of digits is no float.
    return type(value) in (int, float) and abs(value) < fields.LARGEST and fields.is_number(value)


def _note_other_instruments(file: str, rows: Sequence[_Row], vocabulary: Vocabulary, faults: Faults) -> None:
    """Note instruments that are not those of their triplets: a choice of the model, unless all agree when ids are numbered from 1."""
    instrument_of = [triplet[0] for triplet in vocabulary.triplets]
    apart = [row for row in rows if instrument_of[row.triplet] != row.instrument]
    if not apart:
        return
    first = apart[0]
    triplet = f"triplet {first.triplet} is {vocabulary.triplet_name(first.triplet)}"
    example = f"frame {first.frame}: {triplet}, the instrument is {first.instrument}"
    frames = [row.frame for row in apart]
    before = [(instrument_of[row.triplet - 1] if row.triplet else None, row.instrument) for row in rows]
    if all(one == other for one, other in before) or (len(rows) >= FEW and all(one == other - 1 for one, other in before)):
        what = f"{len(apart)} of {len(rows)} detections have another instrument than their triplet, all agree when numbered from 1"
        fix = "the ids may be numbered from 1 instead of 0: subtract 1"
        faults.error(file, "id-from-one", what, fix, frames=frames, example=f"first: {example}", count=len(apart))
        return
    # A model may predict them apart; ivtmetrics counts each by itself.
    what = "the instrument is not that of the triplet, which is read as written: the triplet counts for ivt, the instrument for i"
    rule, fix = "detection-instrument-of-triplet", "give the instrument of the triplet, if it is not meant so"
    faults.deviation(file, rule, f"{what} (first: {example})", fix, frames=frames, count=len(apart))
