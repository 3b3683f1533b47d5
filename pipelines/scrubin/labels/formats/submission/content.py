"""What a submission says of one video: probabilities or boxes by frame, or phases."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.faults import Fault, Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.choices import TASKS, Task
from scrubin.labels.formats.submission import detections, documents
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.formats.submission.documents import RepeatedKeys, shown
from scrubin.labels.parse import fields

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
    # A whole number can be too large for a float: it is out of range just as the largest one is.
    return None if wrong else [one if isinstance(one, float) else float(max(-fields.LARGEST, min(one, fields.LARGEST))) for one in value]


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
        value = "" if name in ("NaN", "infinite") else f" is {_stated(scores[at, triplet])}"
        example = f"first: frame {frames[at]}, triplet {triplet}{value}"
        rule = f"recognition-{name.lower().replace(' ', '-')}"
        what = f"a probability is {name}"
        where = frames[wrong.any(axis=1)].tolist()
        faults.error(file, rule, what, fix, frames=where, example=example, count=int(np.count_nonzero(wrong)))


def _stated(score: float) -> str:
    """Return a score that is not in 0..1 for a message, with more digits where a few would have it inside.

    >>> _stated(1.25), _stated(1.000000001), _stated(-0.0000001)
    ('1.25', '1.000000001', '-1e-07')
    """
    if abs(score) >= fields.LARGEST:
        return f"{fields.LARGEST:g} or beyond"
    short = f"{score:.6g}"
    return short if not 0 <= float(short) <= 1 else repr(float(score))


def _above(finite: FloatArray) -> str:
    if (finite < 0).any():
        return f"{IN_RANGE}; of logits take the sigmoid"
    return f"{IN_RANGE}; divide percentages by 100" if 1.5 < finite.max(initial=0) <= 100 else IN_RANGE


KEYS: tuple[Task, ...] = ("recognition", "detection")
GIVE: Mapping[Task, str] = {"recognition": "give the probabilities in every frame", "detection": "write [] where nothing is detected"}
WANTED = "give recognition, detection or both"


@dataclass(frozen=True, eq=False)
class Content:
    """What a submission says of one video; a task that it leaves out is None.

    Parameters
    ----------
    frames
        Predicted frames, increasing.
    recognition
        (frames, triplets), probabilities; a row of NaN where a frame has none.
    boxes
        Detections.
    phases
        (frames,), phase ids.
    usable
        Frames that say anything that can be used, increasing.
    """

    frames: IntArray
    recognition: FloatArray | None = None
    boxes: Boxes | None = None
    phases: IntArray | None = None
    usable: tuple[int, ...] = ()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that any frame has."""
        of: dict[Task, Any] = {"recognition": self.recognition, "detection": self.boxes, "phases": self.phases}
        return tuple(task for task in TASKS if of[task] is not None)


def parse(
    file: str,
    data: bytes,
    vocabulary: Vocabulary,
    faults: Faults,
    tolerance: float = detections.TOLERANCE,
    asked: Collection[Task] = (),
) -> Content | None:
    """Return recognition and detection of one video, None when nothing of the file can be read.

    What has a fault is left out, so that the content is of use only when no fault is an error.

    Parameters
    ----------
    file
        What messages call it; its stem is the video.
    data
        Its bytes.
    vocabulary
        Triplets and instruments.
    faults
        Takes everything that is wrong with the file itself: what is expected of it is not known here.
    tolerance
        A box may leave the image by this share of its side.
    asked
        Tasks that somebody asks for; where the file has one of them, what is wrong with the others is a warning. None: all.
    """
    document = documents.json_value(file, data, faults)
    if document is None:
        return None
    value_of = documents.frames_of(file, PurePosixPath(file).stem, document, faults)
    if not value_of:
        return None
    frames = np.array(sorted(value_of), np.int64)
    of_others = Faults()
    has_asked = any(_has(task, value) for task in asked for value in value_of.values())
    of_task = {task: of_others if has_asked and task not in asked else faults for task in KEYS}
    values = {frame: _object(file, frame, value_of[frame], faults, of_task) for frame in frames.tolist()}
    by_task = {task: {frame: one[task] for frame, one in values.items() if task in one} for task in KEYS}
    usable = tuple(frame for frame, one in values.items() if one)
    for task in KEYS:
        if by_task[task]:
            note_missing_task(file, task, [frame for frame in usable if frame not in by_task[task]], of_task[task])
    recognition, boxes = None, None
    if by_task["recognition"]:
        recognition = matrix(file, frames, by_task["recognition"], vocabulary, of_task["recognition"])
    if by_task["detection"]:
        boxes = detections.boxes_of(file, by_task["detection"], vocabulary, of_task["detection"], tolerance)
    faults.extend(fields.unkept(file, {f"'{key}' of frames" for one in values.values() for key in one if key not in KEYS}))
    faults.extend(as_warnings(of_others.all()))
    return Content(frames, recognition, boxes, usable=usable)


def as_warnings(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults of what nobody asks for: they are said, and refuse nothing."""
    return [replace(fault, severity="warning") for fault in faults]


def note_missing_task(file: str, task: Task, frames: list[int], faults: Faults) -> None:
    """Note the frames that do not have a task in which the submission takes part."""
    if frames:
        faults.error(file, f"{task}-missing", f"no '{task}'", GIVE[task], frames=frames, count=len(frames))


def _has(task: Task, value: Any) -> bool:
    return (isinstance(value, dict) and task in value) or (task == "recognition" and _is_bare(value))


def _is_bare(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not any(isinstance(one, dict) for one in value)


def _object(file: str, frame: int, value: Any, faults: Faults, of_task: Mapping[Task, Faults]) -> dict[str, Any]:
    """Return what a frame says by task; an empty object when it says nothing that can be used."""
    if _is_bare(value):
        what = "the frame is a list of probabilities, as in 2021"
        faults.deviation(file, "frame-bare", what, 'write {"recognition": [...]}', frames=[frame])
        return {"recognition": value}
    if not isinstance(value, dict):
        faults.error(file, "frame-layout", "the frame is no object", WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    for key in value.repeated if isinstance(value, RepeatedKeys) else ():
        what = f"{shown(key)} stands in the frame more than once, and all but the last would be lost"
        own = next((of for task, of in of_task.items() if task == key), faults)
        own.error(file, "key-repeated", what, "keep one of them", frames=[frame])
    _note_misspelt(file, frame, value, of_task)
    if not any(task in value for task in KEYS):
        what = "the frame has neither recognition nor detection"
        faults.error(file, "frame-layout", what, WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    return value


def _note_misspelt(file: str, frame: int, value: Mapping[str, Any], of_task: Mapping[Task, Faults]) -> None:
    others = [key for key in value if key not in KEYS]
    if not others:
        return
    for task in KEYS:
        near = difflib.get_close_matches(task, [key.strip().casefold() for key in others], n=1) if task not in value else []
        if near:
            written = next(key for key in others if key.strip().casefold() == near[0])
            of_task[task].error(file, "frame-key", f"{shown(written)} is not a key of a frame", f"write '{task}'", frames=[frame])
