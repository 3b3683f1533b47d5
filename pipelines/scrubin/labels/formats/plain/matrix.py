"""One matrix as it stands in a file, with what it says of the recording: labels, or scores, of triplets or of instruments."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import ClassesOf, IntArray
from scrubin.labels.parse import columns
from scrubin.labels.parse.columns import Classes
from scrubin.labels.parse.fields import Where
from scrubin.labels.rows import number_of_classes

Meaning = Literal["labels", "scores"]
MOST_FRAMES = 2**53
"""Doubles hold whole numbers below it; neither infinity nor NaN is."""
NAMES: Mapping[ClassesOf, str] = {"ivt": "triplets", "i": "instruments"}


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix before anything of it is checked.

    Parameters
    ----------
    file, place
        Where it stands.
    frames
        Frame numbers as written; None: the rows are frames 0, 1, 2 ...
    values
        As written.
    classes
        What the columns are, where the file says it.
    meaning
        Labels or scores, where the file says it.
    frame_may_be_first
        Whether the first column may be the frame: the number of columns tells.
    blanks
        Lines without text between the rows, as of `scrubin.base.text.csv_text.Grid`.
    """

    file: str
    place: str
    frames: npt.NDArray[Any] | None
    values: npt.NDArray[Any]
    classes: ClassesOf | None = None
    meaning: Meaning | None = None
    frame_may_be_first: bool = False
    blanks: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class CheckedMatrix:
    """What a matrix says.

    Parameters
    ----------
    positions
        (n,), increasing.
    values
        (n, classes), 0 and 1 in labels, finite in scores.
    """

    file: str
    positions: IntArray
    values: npt.NDArray[Any]
    classes: ClassesOf
    meaning: Meaning


def checked(matrix: Matrix, vocabulary: Vocabulary, faults: Faults, listed: Classes | None = None) -> CheckedMatrix | None:
    """Return what a matrix says; None after noting what is wrong with it.

    Where the file does not say it, the number of columns tells what the classes are, and a matrix of nothing but 0 and 1 is labels.

    Parameters
    ----------
    listed
        The instruments or triplets of the ground truth by column, where it lists them in an order of its own.
    """
    values = matrix.values
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        what = f"the matrix has the shape {values.shape} and type {values.dtype}"
        faults.error(matrix.file, "matrix-shape", what, "give numbers, frames by classes", place=matrix.place)
        return None
    if listed is not None and is_by_vocabulary(matrix, vocabulary, len(listed.ids), triplets=listed.triplets):
        listed = None
    known: tuple[ClassesOf, ...] = ("ivt", "i") if listed is None else ("ivt",) if listed.triplets else ("i",)
    sizes = {one: number_of_classes(vocabulary, one) if listed is None else len(listed.ids) for one in known}
    matrix = _without_frame(matrix, set(sizes.values()))
    values = matrix.values
    classes = _classes(matrix, vocabulary, sizes, faults, "" if listed is None else listed.said)
    positions = _positions(matrix, faults)
    if classes is None or positions is None:
        return None
    order = np.argsort(positions, kind="stable")
    positions, values = positions[order], values[order]
    is_label = (values == 0) | (values == 1)
    meaning = matrix.meaning or ("labels" if is_label.all() else "scores")
    if not _has_sound_values(matrix, positions, values, is_label if meaning == "labels" else np.isfinite(values), meaning, faults):
        return None
    return CheckedMatrix(matrix.file, positions, values if listed is None else _by_id(values, listed), classes, meaning)


def is_by_vocabulary(matrix: Matrix, vocabulary: Vocabulary, listed: int, *, triplets: bool) -> bool:
    """Return whether the columns are classes of the vocabulary, whatever the ground truth lists: others, or as many as only it has.

    Parameters
    ----------
    listed, triplets
        How many classes the ground truth lists, and whether they are triplets.
    """
    if matrix.classes is not None and (matrix.classes == "ivt") != triplets:
        return True
    widths = {matrix.values.shape[1], matrix.values.shape[1] - matrix.frame_may_be_first} if matrix.values.ndim == 2 else set()
    may_be_triplets = triplets or matrix.classes is None
    return may_be_triplets and listed not in widths and len(vocabulary.triplets) in widths


def _by_id(values: npt.NDArray[Any], listed: Classes) -> npt.NDArray[Any]:
    """Return values by id of the vocabulary: of a class that is not listed the least, of one that is listed twice the higher."""
    least = min(0, values.min(initial=0))
    count = number_of_classes(listed.vocabulary, "ivt" if listed.triplets else "i")
    by_id = np.full((len(values), count), least, values.dtype)
    for column, id_ in enumerate(listed.ids):
        by_id[:, id_] = np.maximum(by_id[:, id_], values[:, column])
    return by_id


def _without_frame(matrix: Matrix, sizes: Container[int]) -> Matrix:
    if not matrix.frame_may_be_first or matrix.values.shape[1] in sizes or matrix.values.shape[1] - 1 not in sizes:
        return matrix
    return replace(matrix, frames=matrix.values[:, 0], values=matrix.values[:, 1:])


def _classes(matrix: Matrix, vocabulary: Vocabulary, known: Mapping[ClassesOf, int], faults: Faults, said: str) -> ClassesOf | None:
    width = matrix.values.shape[1]
    sizes = {one: size for one, size in known.items() if size and matrix.classes in (None, one)}
    for one, size in sizes.items():
        if size == width:
            return one
    expected = " or ".join(f"{size} {NAMES[one]}" for one, size in sizes.items()) or "none"
    what = f"{width} classes, expected {expected} of '{vocabulary.name}' in their order"
    fix = "give one column per class, or name the vocabulary"
    if said:
        (expected_one,) = known.values()
        what, fix = f"{width} classes, expected {expected_one}: {said}", "give one column for each of these, in this order"
    if matrix.frames is None and width - 1 in sizes.values():
        fix = "is the first column the frame? name it 'frame' in a header"
    faults.error(matrix.file, "matrix-classes", what, fix, place=matrix.place)
    return None


def _positions(matrix: Matrix, faults: Faults) -> IntArray | None:
    if matrix.frames is None:
        columns.note_blank(Where(faults, matrix.file), matrix.blanks)
        return None if matrix.blanks else np.arange(len(matrix.values), dtype=np.int64)
    frames = np.asarray(matrix.frames)
    if (
        frames.ndim != 1
        or frames.dtype.kind not in "iuf"
        or not (frames == np.floor(frames)).all()
        or not (abs(frames) < MOST_FRAMES).all()
    ):
        faults.error(matrix.file, "frame-key", "the frame numbers are no whole numbers", "give one per row", place=matrix.place)
        return None
    if len(frames) != len(matrix.values):
        what = f"{len(frames)} frame numbers for {len(matrix.values)} rows"
        faults.error(matrix.file, "frame-key", what, "give one per row", place=matrix.place)
        return None
    positions = frames.astype(np.int64)
    numbers, counts = np.unique(positions, return_counts=True)
    repeated, below = numbers[counts > 1].tolist(), numbers[numbers < 0].tolist()
    if repeated:
        faults.error(matrix.file, "frame-repeated", "the frame stands twice", "give every frame once", place=matrix.place, frames=repeated)
    if below:
        what = f"frame {below[0]} is below 0"
        faults.error(matrix.file, "frame-key", what, "number frames from 0", place=matrix.place, count=len(below))
    return None if repeated or below else positions


def _has_sound_values(
    matrix: Matrix, positions: IntArray, values: npt.NDArray[Any], is_sound: npt.NDArray[np.bool_], meaning: Meaning, faults: Faults
) -> bool:
    if is_sound.all():
        return True
    row, column = (int(place) for place in np.argwhere(~is_sound)[0])
    what, fix = {
        "labels": ("a label is neither 0 nor 1", "write 0 or 1"),
        "scores": ("a score is not finite", "give a number for every class"),
    }[meaning]
    faults.error(
        matrix.file,
        "label-value" if meaning == "labels" else "score-value",
        what,
        fix,
        place=matrix.place,
        frames=positions[~is_sound.all(axis=1)].tolist(),
        example=f"first: class {column} of frame {positions[row]} is {values[row, column]}",
        count=int(np.count_nonzero(~is_sound)),
    )
    return False
