"""Instances of frames as matrices of classes, and the frames whose instances are complete: arrays in, arrays out.

It imports nothing of ours, so that the ground truth of a study is made by the same lines as that of label files, and
does not become stale when a reader is edited.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def occurs(frames: IntArray, at: IntArray, ids: IntArray, n_classes: int) -> npt.NDArray[np.int8]:
    """Return whether each class occurs in each frame.

    Parameters
    ----------
    frames
        (n,), labelled frames, increasing.
    at, ids
        (rows,), frame and class of each instance; every frame is among ``frames``.
    n_classes
        Number of classes.

    Returns
    -------
    npt.NDArray[np.int8]
        (n, n_classes), 0 or 1.

    >>> occurs(np.array([3, 5]), np.array([5, 5]), np.array([1, 1]), 2).tolist()
    [[0, 0], [0, 1]]
    """
    matrix = np.zeros((len(frames), n_classes), np.int8)
    matrix[np.searchsorted(frames, at), ids] = 1
    return matrix


def highest_scores(
    frames: IntArray, at: IntArray, ids: IntArray, scores: npt.NDArray[np.float64], n_classes: int
) -> npt.NDArray[np.float64]:
    """Return the highest score of the instances of each class in each frame, 0 where there is none; parameters as `occurs`.

    >>> highest_scores(np.array([3]), np.array([3, 3]), np.array([0, 0]), np.array([0.2, 0.9]), 2).tolist()
    [[0.9, 0.0]]
    """
    matrix = np.zeros((len(frames), n_classes))
    np.maximum.at(matrix, (np.searchsorted(frames, at), ids), scores)
    return matrix


def complete_frames(frames: IntArray, at: IntArray, is_complete: npt.NDArray[np.bool_]) -> IntArray:
    """Return the frames of which every instance is complete; a frame without instances is one of them.

    A box that is not drawn would make a right detection a false alarm, so the frame cannot count.

    Parameters
    ----------
    frames
        (n,), labelled frames, increasing.
    at, is_complete
        (rows,), the frame of each instance, and whether it has all that is needed, such as box and class.

    >>> complete_frames(np.array([0, 1, 2]), np.array([1, 1, 2]), np.array([True, False, True])).tolist()
    [0, 2]
    """
    return frames[~np.isin(frames, at[~is_complete])]
