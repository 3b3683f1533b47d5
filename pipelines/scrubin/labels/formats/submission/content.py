"""What a submission says of one video: probabilities and boxes by frame, or phases; and the one reader of its JSON."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.faults import Faults
from scrubin.labels.formats.submission import detections, documents, frame_keys, probabilities
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.formats.submission.documents import RepeatedKeys, shown
from scrubin.labels.parse import fields
from scrubin.labels.tasks import TASKS, Task
from scrubin.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
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


def parse(file: str, data: bytes, vocabulary: Vocabulary, faults: Faults, tolerance: float = detections.TOLERANCE) -> Content | None:
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
    """
    document = documents.json_value(file, data, faults)
    if document is None:
        return None
    value_of = frame_keys.frames_of(file, PurePosixPath(file).stem, document, faults)
    if not value_of:
        return None
    frames = np.array(sorted(value_of), np.int64)
    values = {frame: _object(file, frame, value_of[frame], faults) for frame in frames.tolist()}
    by_task = {task: {frame: one[task] for frame, one in values.items() if task in one} for task in KEYS}
    usable = tuple(frame for frame, one in values.items() if one)
    for task in KEYS:
        if by_task[task]:
            note_missing_task(file, task, [frame for frame in usable if frame not in by_task[task]], faults)
    recognition, boxes = None, None
    if by_task["recognition"]:
        recognition = probabilities.matrix(file, frames, by_task["recognition"], vocabulary, faults)
    if by_task["detection"]:
        boxes = detections.boxes_of(file, by_task["detection"], vocabulary, faults, tolerance)
    faults.extend(fields.unkept(file, {f"'{key}' of frames" for one in values.values() for key in one if key not in KEYS}))
    return Content(frames, recognition, boxes, usable=usable)


def note_missing_task(file: str, task: Task, frames: list[int], faults: Faults) -> None:
    """Note the frames that do not have a task in which the submission takes part."""
    if frames:
        faults.error(file, f"{task}-missing", f"no '{task}'", GIVE[task], frames=frames, count=len(frames))


def _object(file: str, frame: int, value: Any, faults: Faults) -> dict[str, Any]:
    """Return what a frame says by task; an empty object when it says nothing that can be used."""
    if isinstance(value, list) and value and not any(isinstance(one, dict) for one in value):
        what = "the frame is a list of probabilities, as in 2021"
        faults.deviation(file, "frame-bare", what, 'write {"recognition": [...]}', frames=[frame])
        return {"recognition": value}
    if not isinstance(value, dict):
        faults.error(file, "frame-layout", "the frame is no object", WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    for key in value.repeated if isinstance(value, RepeatedKeys) else ():
        what = f"{shown(key)} stands in the frame more than once, and all but the last would be lost"
        faults.error(file, "key-repeated", what, "keep one of them", frames=[frame])
    _note_misspelt(file, frame, value, faults)
    if not any(task in value for task in KEYS):
        what = "the frame has neither recognition nor detection"
        faults.error(file, "frame-layout", what, WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    return value


def _note_misspelt(file: str, frame: int, value: Mapping[str, Any], faults: Faults) -> None:
    others = [key for key in value if key not in KEYS]
    if not others:
        return
    for task in KEYS:
        near = difflib.get_close_matches(task, [key.strip().casefold() for key in others], n=1) if task not in value else []
        if near:
            written = next(key for key in others if key.strip().casefold() == near[0])
            faults.error(file, "frame-key", f"{shown(written)} is not a key of a frame", f"write '{task}'", frames=[frame])
