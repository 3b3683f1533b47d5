"""What a submission is held against: the videos, their frames, and what is labelled in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Task = Literal["recognition", "detection", "phases"]
TASKS: tuple[Task, ...] = get_args(Task)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of one video, one per row, in order of frames.

    Parameters
    ----------
    frames
        (rows,), frame numbers.
    triplets
        (rows,), triplet ids from 0.
    boxes_xywh
        (rows, 4), top-left corner and size in 0..1.
    scores
        (rows,), confidences in 0..1; 1 in labels.
    """

    frames: IntArray
    triplets: IntArray
    boxes_xywh: FloatArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class TrueVideo:
    """The labels of one video; what is not labelled, or not known, is None.

    Parameters
    ----------
    name
        Its id: submitted files are named after it.
    frames
        Frames to be predicted, increasing; None when the video has no triplet labels.
    targets
        (frames, triplets), whether a triplet occurs.
    boxed_frames
        The frames that detection can be scored on, increasing.
    boxes
        Their boxes.
    phase_frames
        Frames whose phase is to be predicted, increasing.
    phases
        (phase_frames,), phase ids; None when only the frames are known.
    """

    name: str
    frames: IntArray | None
    targets: BoolArray | None = None
    boxed_frames: IntArray | None = None
    boxes: Boxes | None = None
    phase_frames: IntArray | None = None
    phases: IntArray | None = None


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """The videos of a challenge.

    Parameters
    ----------
    vocabulary
        Names and ids.
    videos
        By name, in order of names.
    """

    vocabulary: Vocabulary
    videos: Mapping[str, TrueVideo]


@dataclass(frozen=True, eq=False)
class Content:
    """What a submission says of one video; a task that it leaves out is None.

    Parameters
    ----------
    name
        The video.
    frames
        Predicted frames, increasing.
    recognition
        (frames, triplets), probabilities; a row of NaN where a frame has none.
    boxes
        Detections.
    phase_frames, phases
        Frames with a phase, increasing, and the phase ids.
    """

    name: str
    frames: IntArray
    recognition: FloatArray | None = None
    boxes: Boxes | None = None
    phase_frames: IntArray | None = None
    phases: IntArray | None = None
