"""What a submission says of one video: probabilities and boxes by frame, and phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

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
