"""What metrics of tracks take: the boxes of both sides of a video as flat arrays, each with frame, id and class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.inputs import unmasked

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrackRows:
    """Boxes of one side of a video, one per row, in any order.

    Parameters
    ----------
    frames
        (rows,), frame of the video from 0.
    ids
        (rows,), which boxes are the same instrument; any whole numbers from 0, each once in a frame.
    classes
        (rows,), from 0.
    boxes
        (rows, 4), left, top, width, height; any unit, the same on both sides.
    """

    frames: npt.ArrayLike
    ids: npt.ArrayLike
    classes: npt.ArrayLike
    boxes: npt.ArrayLike


@dataclass(frozen=True, eq=False)
class TrackVideo:
    """A video with annotated and predicted tracks.

    Parameters
    ----------
    name
        Its id.
    length
        How many frames it has, those without boxes included.
    truth, predictions
        The boxes.
    """

    name: str
    length: int
    truth: TrackRows
    predictions: TrackRows


@dataclass(frozen=True, eq=False)
class Tracked:
    """Checked boxes of one side, by frame; rows of a frame as given, in which the matching breaks ties.

    Parameters
    ----------
    frames, ids, classes, boxes
        As of `TrackRows`, in arrays of their own.
    """

    frames: IntArray
    ids: IntArray
    classes: IntArray
    boxes: FloatArray

    def __len__(self) -> int:
        """How many boxes there are."""
        return len(self.frames)


def checked(rows: TrackRows, length: int, what: str) -> Tracked:
    """Return the boxes of one side of a video in order of frames, as copies.

    Parameters
    ----------
    length
        How many frames the video has.
    what
        Which side of which video, for messages.

    Raises
    ------
    MetricsError
        When columns differ in length, a number is no whole one from 0, a frame is not in the video, a box is not finite, or an id
        comes twice in a frame.
    """
    columns = {"frames": rows.frames, "ids": rows.ids, "classes": rows.classes}
    frames, ids, classes = (_whole(values, f"{name} of the {what}") for name, values in columns.items())
    unmasked(rows.boxes, f"the boxes of the {what}")
    boxes = np.asarray(rows.boxes, np.float64).reshape(-1, 4) if np.size(rows.boxes) else np.zeros((0, 4))
    if not len(frames) == len(ids) == len(classes) == len(boxes):
        msg = (
            f"the {what} have {len(frames)} frames, {len(ids)} ids, {len(classes)} classes and {len(boxes)} boxes; give one of each per row"
        )
        raise MetricsError(msg)
    if not np.isfinite(boxes).all() or (frames >= length).any():
        raise MetricsError(f"the {what} have a box that is not finite, or is in no frame of 0 to {length - 1}; correct it")
    order = np.lexsort((ids, frames))
    again = np.flatnonzero((np.diff(frames[order]) == 0) & (np.diff(ids[order]) == 0))
    if len(again):
        row = int(order[again[0]])
        raise MetricsError(f"the {what} have the id {ids[row]} twice in frame {frames[row]}; a track has one box in a frame")
    by_frame = np.argsort(frames, kind="stable")
    return Tracked(frames[by_frame], ids[by_frame], classes[by_frame], boxes[by_frame])


def _whole(values: npt.ArrayLike, what: str) -> IntArray:
    array = np.asarray(unmasked(values, f"the {what}"))
    numbers = array.astype(np.float64) if array.dtype.kind in "biuf" or not array.size else np.full(array.shape, np.nan)
    if numbers.ndim != 1 or (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        raise MetricsError(f"the {what} are not one whole number from 0 per row")
    return numbers.astype(np.int64)
