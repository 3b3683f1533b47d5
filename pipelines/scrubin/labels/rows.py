"""Labels as rows of tables, as matrices of classes, with the frames that count: the one place.

It imports nothing of ours, so that the ground truth of a study is made by the same lines as that of label files, and
does not become stale when a reader is edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.tables import Table, io
from scrubin.base.tables.public import LABELLED, PHASES, TRIPLETS, LayerName
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import boxes
from scrubin.labels.model import BOX, IDS, INSTANCE_COLUMNS, INSTANCE_DTYPES, ClassesOf, Detail, IntArray, Labels, Layer

WholeNumbers = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def occurs(frames: WholeNumbers, at: WholeNumbers, ids: WholeNumbers, n_classes: int) -> npt.NDArray[np.int8]:
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
    frames: WholeNumbers, at: WholeNumbers, ids: WholeNumbers, scores: npt.NDArray[np.float64], n_classes: int
) -> npt.NDArray[np.float64]:
    """Return the highest score of the instances of each class in each frame, 0 where there is none; parameters as `occurs`.

    >>> highest_scores(np.array([3]), np.array([3, 3]), np.array([0, 0]), np.array([0.2, 0.9]), 2).tolist()
    [[0.9, 0.0]]
    """
    matrix = np.zeros((len(frames), n_classes))
    np.maximum.at(matrix, (np.searchsorted(frames, at), ids), scores)
    return matrix


def complete_frames(frames: WholeNumbers, at: WholeNumbers, is_complete: npt.NDArray[np.bool_]) -> WholeNumbers:
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


ID_OF: Mapping[ClassesOf, str] = {"ivt": "triplet_id", "i": "instrument_id"}


def triplets_table(recordings: Sequence[Labels]) -> pd.DataFrame:
    """Return the table ``triplets`` of several recordings, each under its own name."""
    labelled = [(one, one.instances.rows) for one in recordings if one.instances is not None]
    return joined(TRIPLETS, [rows_of_triplets(one.recording, one.vocabulary, rows) for one, rows in labelled])


def phases_table(recordings: Sequence[Labels]) -> pd.DataFrame:
    """Return the table ``phases`` of several recordings, each under its own name."""
    labelled = [(one, one.phases.rows) for one in recordings if one.phases is not None]
    return joined(PHASES, [rows_of_phases(one.recording, one.vocabulary, rows) for one, rows in labelled])


def labelled_table(recordings: Sequence[Labels]) -> pd.DataFrame:
    """Return the table ``labelled`` of several recordings, each under its own name."""
    instances = [(one, one.instances.positions) for one in recordings if one.instances is not None]
    phases = [(one, one.phases.positions) for one in recordings if one.phases is not None]
    parts = [rows_of_labelled(one.recording, "instances", one.vocabulary, frames, one.detail) for one, frames in instances]
    parts += [rows_of_labelled(one.recording, "phases", one.vocabulary, frames) for one, frames in phases]
    marked = [(one, one.marks.positions) for one in recordings if one.marks is not None]
    return joined(LABELLED, [*parts, *(rows_of_labelled(one.recording, "marks", one.vocabulary, frames) for one, frames in marked)])


def rows_of_triplets(id_: str, vocabulary: Vocabulary, instances: pd.DataFrame) -> pd.DataFrame:
    """Return instances as rows of the table ``triplets``, in their order.

    Boxes are cut to the image; instances of a frame are numbered from 0. An id that the vocabulary does not have gets no name.

    Parameters
    ----------
    id_
        Of the recording.
    vocabulary
        Names of the ids.
    instances
        Columns ``position`` (or ``frame``), ids, box and score; more columns are left out.
    """
    rows = instances.rename(columns={"position": "frame"})
    of_ids = (vocabulary.instruments, vocabulary.verbs, vocabulary.targets, triplet_names(vocabulary))
    named = {column.removesuffix("_id"): _named(rows[column], names) for column, names in zip(IDS, of_ids, strict=True)}
    numbers = rows.groupby("frame").cumcount()
    return boxes.inside(rows.assign(id=id_, vocabulary=vocabulary.name, instance=numbers, **named))[TRIPLETS.column_names]


def rows_of_phases(id_: str, vocabulary: Vocabulary, rows: pd.DataFrame) -> pd.DataFrame:
    """Return phases as rows of the table ``phases``; parameters as `rows_of_triplets`, ``rows`` with ``phase_id``."""
    named = _named(rows["phase_id"], vocabulary.phases)
    return rows.rename(columns={"position": "frame"}).assign(id=id_, vocabulary=vocabulary.name, phase=named)[PHASES.column_names]


def rows_of_labelled(id_: str, layer: LayerName, vocabulary: Vocabulary, frames: IntArray, detail: Detail | None = None) -> pd.DataFrame:
    """Return labelled frames as rows of the table ``labelled``.

    Parameters
    ----------
    id_, vocabulary
        As for `rows_of_triplets`.
    layer
        Which table has the labels.
    frames
        All that somebody labelled, shape (n,), also those without a label.
    detail
        What is labelled of an instance; None for phases and marks.
    """
    return pd.DataFrame({"frame": frames}).assign(id=id_, layer=layer, vocabulary=vocabulary.name, detail=detail)[LABELLED.column_names]


def joined(declared: Table, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return rows of several recordings as one table, held to its declaration and sorted by its key.

    Raises
    ------
    TableError
        When a row breaks the declaration, such as a phase without a name.
    """
    rows = [part for part in parts if len(part)]
    return io.conform(declared, pd.concat(rows)) if rows else io.frame_of(declared, [])


def triplet_names(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return ``instrument,verb,target`` by triplet id."""
    return tuple(vocabulary.triplet_name(id_) for id_ in range(len(vocabulary.triplets)))


def has_whole_triplets(labels: Labels) -> bool:
    """Return whether every instance has its triplet; otherwise only instruments can be recognised.

    What is not labelled is undefined, not absent.
    """
    if labels.detail != "triplet" or labels.instances is None or not labels.vocabulary.triplets:
        return False
    return bool(labels.instances.rows["triplet_id"].notna().all())


def number_of_classes(vocabulary: Vocabulary, classes: ClassesOf) -> int:
    """Return how many classes there are of a kind."""
    return len(vocabulary.triplets if classes == "ivt" else vocabulary.instruments)


def class_scores(layer: Layer, vocabulary: Vocabulary, classes: ClassesOf) -> npt.NDArray[np.float64]:
    """Return the highest score of each class at each labelled position: 1 where a label states none, 0 where nothing is labelled.

    Returns
    -------
    npt.NDArray[np.float64]
        (positions, classes).
    """
    rows = layer.rows[layer.rows[ID_OF[classes]].notna()]
    scores = rows["score"].fillna(1.0).to_numpy(np.float64)
    at, ids = rows["position"].to_numpy(np.int64), rows[ID_OF[classes]].to_numpy(np.int64)
    return highest_scores(layer.positions, at, ids, scores, number_of_classes(vocabulary, classes))


def instances_of_classes(positions: IntArray, occurs: npt.NDArray[Any], vocabulary: Vocabulary, classes: ClassesOf) -> pd.DataFrame:
    """Return the instances that a 0/1 matrix says: one for each class of a position, without box and score.

    Parameters
    ----------
    positions
        (n,), increasing.
    occurs
        (n, classes), what is not 0 occurs.

    Returns
    -------
    pd.DataFrame
        As `scrubin.labels.model.instance_rows` makes it, by position and class.
    """
    at, ids = np.nonzero(occurs)
    parts = np.array(vocabulary.triplets, np.int64).reshape(-1, 3)[ids] if classes == "ivt" else None
    columns: dict[str, Any] = dict.fromkeys(INSTANCE_COLUMNS, np.full(len(at), np.nan))
    columns |= {"position": positions[at], ID_OF[classes]: ids}
    if parts is not None:
        columns |= {column: parts[:, k] for k, column in enumerate(IDS[:3])}
    return pd.DataFrame(columns).astype(INSTANCE_DTYPES)


def class_occurrence(layer: Layer, vocabulary: Vocabulary, classes: ClassesOf) -> npt.NDArray[np.int8]:
    """Return whether each class is labelled at each position, (positions, classes), 0 or 1."""
    return (class_scores(layer, vocabulary, classes) > 0).astype(np.int8)


def boxed_layer(layer: Layer, classes: ClassesOf | None) -> Layer:
    """Return the positions on which detection can be scored, and their instances.

    A position of which any instance lacks its box or its class does not count. In recordings without any box none
    does: see `counts_for_detection`.

    Parameters
    ----------
    classes
        Which an instance needs; None: a box is enough.
    """
    rows = layer.rows
    is_complete = rows[[*BOX, *([] if classes is None else [ID_OF[classes]])]].notna().all(axis=1).to_numpy()
    positions = complete_frames(layer.positions, rows["position"].to_numpy(np.int64), is_complete)
    return replace(layer, positions=positions, rows=rows[rows["position"].isin(positions)])


def has_boxes(layer: Layer) -> bool:
    """Return whether any instance has a box."""
    return bool(layer.rows["x"].notna().any())


def counts_for_detection(layer: Layer) -> bool:
    """Return whether detection can be scored on a recording: it has a box, or somebody looked and found no instrument at all."""
    return has_boxes(layer) or (not len(layer.rows) and not layer.boxless)


def detected_classes(labels: Labels) -> ClassesOf:
    """Return which classes the boxes of a recording have: triplets, as soon as one has its triplet."""
    has_triplets = labels.instances is not None and bool(labels.instances.rows["triplet_id"].notna().any())
    return "ivt" if labels.detail == "triplet" and has_triplets else "i"


def phase_vector(layer: Layer) -> tuple[IntArray, IntArray]:
    """Return the positions that have a phase, increasing, and the id of each."""
    rows = layer.rows.sort_values("position", kind="stable")
    return rows["position"].to_numpy(np.int64), rows["phase_id"].to_numpy(np.int64)


def _named(ids: pd.Series[Any], names: tuple[str, ...]) -> pd.Series[str]:
    return ids.map(dict(enumerate(names))).astype("str")
