"""Labels and predicted scores of triplets, or of instruments where only these are labelled, from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.errors import MetricsError
from scrubin.evaluation import label_files
from scrubin.evaluation.ground_truth import part_of, triplet_words
from scrubin.evaluation.label_files import Asked
from scrubin.evaluation.series import Track
from scrubin.labels.formats import matrices
from scrubin.labels.model import Labels
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.recognition.components import TripletMap, triplet_map
from scrubin.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Truth:
    """Labels of all videos.

    Parameters
    ----------
    tracks
        0/1 matrices.
    words
        The vocabulary whose classes are the columns.
    whole
        Whether the classes are triplets; else instruments.
    notes
        What the user should know.
    """

    tracks: Mapping[str, Track]
    words: Vocabulary
    whole: bool
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        """How many columns."""
        return len(self.words.triplets if self.whole else self.words.instruments)

    @property
    def triplets(self) -> TripletMap:
        """The map of triplets; instruments alone are triplets of one verb and target."""
        words = self.words
        if not self.whole:
            return triplet_map([(instrument, 0, 0) for instrument in range(len(words.instruments))], null=())
        return triplet_map(words.triplets, verbs=len(words.verbs), targets=len(words.targets), null=words.null_triplets)


def truth_of(asked: Asked) -> Truth:
    """Return the labels.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without labels of instruments.
    """
    path = part_of(asked.path, "recognition", asked.vocabulary)
    words = triplet_words(path, asked.vocabulary)
    if files := matrices.files_in(path) if asked.format is None else []:
        component = matrices.component_of(files[0]) if words.triplets else "i"
        whole = component == "ivt"
        classes = len(words.triplets if whole else words.instruments)
        return Truth(matrices.read(files, "truth", component, classes, asked.fps), words, whole)
    collection, form = label_files.collection_of(Asked(path, asked.format, asked.vocabulary, asked.fps))
    label_files.check_vocabulary(asked, collection)
    labelled = [one for one in collection.recordings if one.instances is not None]
    if not labelled:
        msg = f"{path}: no instrument is labelled in these {form.name} files; give labels of triplets or instruments"
        raise MetricsError(msg)
    _check_certain(path, labelled)
    words, whole = _one_vocabulary(path, labelled), all(_is_whole(one) for one in labelled)
    tracks = {one.recording: Track(*_occurs(one, whole), label_files.numbering_of(one, form, asked.fps)) for one in labelled}
    partial = _partial(labelled) if words.triplets and not whole else ()
    return Truth(tracks, words, whole, (*partial, *label_files.notes_of(collection)))


def predictions_of(asked: Asked, truth: Truth) -> tuple[dict[str, Track], tuple[str, ...]]:
    """Return predicted scores in the classes of the truth, and what the user should know.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in another vocabulary.
    """
    component = "ivt" if truth.whole else "i"
    path = part_of(asked.path, "recognition", truth.words.name)
    if files := matrices.files_in(path) if asked.format is None else []:
        try:
            return matrices.read(files, "predictions", component, truth.classes, asked.fps), ()
        except MetricsError as error:
            if truth.whole or not truth.notes:
                raise
            # Why instruments and not triplets are expected.
            msg = f"{error}\n  ({truth.notes[0]})"
            raise MetricsError(msg) from error
    collection, form = label_files.collection_of(Asked(path, asked.format, asked.vocabulary or truth.words.name, asked.fps))
    found = {}
    for one in collection.recordings:
        if one.instances is None:
            continue
        if one.vocabulary.name != truth.words.name or (truth.whole and not _is_whole(one) and one.recognition is None):
            msg = (
                f"{path}: {one.recording} is predicted in {'triplets' if _is_whole(one) else 'instruments'} of '{one.vocabulary.name}', "
                f"the ground truth has {'triplets' if truth.whole else 'instruments'} of '{truth.words.name}'; predict these"
            )
            raise MetricsError(msg)
        numbering = label_files.numbering_of(one, form, asked.fps)
        found[one.recording] = Track(*_scores(path, one, truth.whole), numbering, label_files.file_of(one, one.instances))
    return found, label_files.notes_of(collection)


def _check_certain(path: Path, labelled: Sequence[Labels]) -> None:
    """Refuse labels with probabilities: they are predictions."""
    for one in labelled:
        unsure = one.instances is not None and bool((one.instances.rows["score"].fillna(1.0) != 1).any())
        if unsure or one.recognition is not None:
            msg = f"{path}: {one.recording} has probabilities, which labels have not; are ground truth and predictions swapped?"
            raise MetricsError(msg)


def _is_whole(labels: Labels) -> bool:
    if labels.detail != "triplet" or labels.instances is None or not labels.vocabulary.triplets:
        return False
    return bool(labels.instances.rows["triplet_id"].notna().all())


def _partial(labelled: Sequence[Labels]) -> tuple[str, ...]:
    count = sum(int(one.instances.rows["triplet_id"].isna().sum()) for one in labelled if one.instances is not None)
    return (f"{count} instances are no whole triplet, so only instruments are scored",)


def _one_vocabulary(path: Path, labelled: Sequence[Labels]) -> Vocabulary:
    names = sorted({one.vocabulary.name for one in labelled})
    if len(names) > 1:
        msg = f"{path}: the recordings are labelled in several vocabularies ({', '.join(names)}); score them one by one"
        raise MetricsError(msg)
    return labelled[0].vocabulary


def _occurs(labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[Any]]:
    """Return the labelled frames and the 0/1 matrix of classes."""
    frames, values = _matrix(labels, whole)
    return frames, (values > 0).astype(np.int8)


def _scores(path: Path, labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[Any]]:
    if labels.recognition is None or not whole:
        return _matrix(labels, whole)
    assert labels.instances is not None
    undefined = np.isnan(labels.recognition).any(axis=1)
    if undefined.any():
        frame = int(labels.instances.positions[np.flatnonzero(undefined)[0]])
        msg = f"{path}: {labels.recording}, frame {frame}: has no 'recognition'; give a probability for every triplet"
        raise MetricsError(msg)
    return labels.instances.positions, labels.recognition


def _matrix(labels: Labels, whole: bool) -> tuple[IntArray, npt.NDArray[np.float64]]:
    layer, words = labels.instances, labels.vocabulary
    if layer is None:
        return np.zeros(0, np.int64), np.zeros((0, len(words.triplets if whole else words.instruments)))
    values = np.zeros((len(layer.positions), len(words.triplets if whole else words.instruments)))
    rows = layer.rows[layer.rows["triplet_id" if whole else "instrument_id"].notna()]
    at = np.searchsorted(layer.positions, rows["position"].to_numpy(np.int64))
    ids = rows["triplet_id" if whole else "instrument_id"].to_numpy(np.int64)
    # Without a score a label is certain; the highest of a frame's instances of a class counts.
    np.maximum.at(values, (at, ids), rows["score"].fillna(1.0).to_numpy(np.float64))
    return layer.positions, values
