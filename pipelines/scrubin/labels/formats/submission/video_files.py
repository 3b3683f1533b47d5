"""One submitted file: what it says of its video, and which frames lack what."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scrubin.core.faults import Faults
from scrubin.evaluation.submission.truth import TrueVideo
from scrubin.labels.formats.submission import detections, documents, frame_keys, phase_sheets, probabilities
from scrubin.labels.formats.submission.content import Content, IntArray, Task
from scrubin.labels.formats.submission.documents import RepeatedKeys, shown
from scrubin.vocabulary.vocabulary import Vocabulary

KEYS: tuple[Task, ...] = ("recognition", "detection")
WANTED = "give recognition, detection or both"


@dataclass(frozen=True, eq=False)
class Read:
    """A file that was looked at.

    Parameters
    ----------
    content
        None when nothing of it could be read.
    frames
        Those of the content, increasing.
    given
        Tasks that any frame has.
    lacking
        By task, the frames that do not have it; a fault only when the submission takes part in the task.
    """

    content: Content | None = None
    frames: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    given: frozenset[Task] = frozenset()
    lacking: dict[Task, list[int]] = field(default_factory=dict)


def read_json(file: str, data: bytes, video: TrueVideo, words: Vocabulary, faults: Faults) -> Read:
    """Read recognition and detection of one video.

    Parameters
    ----------
    file
        What messages call it.
    data
        Its bytes.
    video
        Whose frames are expected.
    words
        Triplets and instruments.
    faults
        Takes everything that is wrong, except what `Read.lacking` says.
    """
    classes = len(words.triplets)
    document = documents.json_value(file, data, faults)
    if document is None:
        return Read()
    found = frame_keys.frames_of(file, video.name, document, faults)
    if not found:
        return Read()
    frames = np.array(sorted(found), np.int64)
    values = {frame: _object(file, frame, found[frame], faults) for frame in frames.tolist()}
    by_task = {task: {frame: one[task] for frame, one in values.items() if task in one} for task in KEYS}
    lacking = {task: [frame for frame, one in values.items() if one and task not in one] for task in KEYS}
    recognition = None
    if by_task["recognition"]:
        recognition = np.full((len(frames), classes), np.nan)
        rows = probabilities.matrix(file, by_task["recognition"], classes, len(words.null_triplets), faults)
        recognition[np.searchsorted(frames, sorted(by_task["recognition"]))] = rows
    boxes = detections.boxes_of(file, by_task["detection"], words, faults) if by_task["detection"] else None
    content = Content(video.name, frames, recognition, boxes)
    return Read(content, frames, frozenset(task for task in KEYS if by_task[task]), lacking)


def read_phases(file: str, data: bytes, video: TrueVideo, words: Vocabulary, faults: Faults) -> Read:
    """Read the phases of one video; parameters as `read_json`."""
    given: frozenset[Task] = frozenset({"phases"})
    found = phase_sheets.phases_of(file, data, words, faults)
    if found is None:
        return Read(given=given)
    frames, phases = found
    return Read(Content(video.name, np.zeros(0, np.int64), phase_frames=frames, phases=phases), frames, given)


def _object(file: str, frame: int, value: Any, faults: Faults) -> dict[str, Any]:
    """Return what a frame says by task; an empty object when it says nothing that can be used."""
    if isinstance(value, list) and value and not any(isinstance(one, dict) for one in value):
        fault = "the frame is a list of probabilities, as in 2021"
        faults.deviation(file, "frame-bare", fault, 'write {"recognition": [...]}', frames=[frame])
        return {"recognition": value}
    if not isinstance(value, dict):
        faults.error(file, "frame-layout", "the frame is no object", WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    for key in value.repeated if isinstance(value, RepeatedKeys) else ():
        fault = f"{shown(key)} stands in the frame more than once, and all but the last would be lost"
        faults.error(file, "key-repeated", fault, "keep one of them", frames=[frame])
    for task in KEYS:
        others = [key for key in value if key not in KEYS]
        near = difflib.get_close_matches(task, [key.strip().casefold() for key in others], n=1) if task not in value else []
        if near:
            written = next(key for key in others if key.strip().casefold() == near[0])
            fault = f"{shown(written)} is not a key of a frame"
            faults.error(file, "frame-key", fault, f"write '{task}'", frames=[frame])
    if not any(task in value for task in KEYS):
        fault = "the frame has neither recognition nor detection"
        faults.error(file, "frame-layout", fault, WANTED, frames=[frame], example=f"first: {shown(value)}")
        return {}
    return value
