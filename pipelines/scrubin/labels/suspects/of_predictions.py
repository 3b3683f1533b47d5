"""Suspects of predictions, by confident learning: labels and predictions of the same recordings, joined by frame.

Predictions must be out of fold: of a model that has not seen the labels of that recording. How sure is sure is said by each class
itself: its threshold is the mean confidence in the class among the positions that are labelled with it. So a model that is hesitant about
a class, or too sure of it, does not make all its frames suspects (Northcutt, Jiang, Chuang, JAIR 70, 2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import IntArray, Labels
from scrubin.labels.rows import ID_OF, phase_vector, triplet_names
from scrubin.labels.suspects import places
from scrubin.labels.suspects.other_recordings import WRONG
from scrubin.labels.suspects.sequence import UNKNOWN, Bools, Floats, LabelSequence
from scrubin.labels.suspects.suspect import Suspect

EVIDENCE = "predictions"
SAYS = "a model that has not seen this recording is sure"


def suspects(sequences: Sequence[LabelSequence], predicted: Mapping[str, Labels], names: Vocabulary) -> list[Suspect]:
    """Return where predictions are sure of something else than the labels.

    Parameters
    ----------
    sequences
        Labels of recordings of one vocabulary.
    predicted
        Out-of-fold predictions by recording, in the same vocabulary: phases, instances or scores of classes, any of them.
    """
    both = [one for one in sequences if one.recording in predicted and len(one.positions)]
    return _phases(both, predicted, names) + _classes(both, predicted, names)


def confident_exclusive(given: IntArray, confidence: Floats) -> tuple[IntArray, Floats]:
    """Return for each position what it probably is instead, and how probable it is that the label is wrong.

    A class is sure in a position where its confidence is at least its threshold. Among the sure ones that are not labelled the most
    confident is taken. The score is its share of the confidence in both, times how often the labels agree where it is sure, times which
    share of all such places can be wrong labels, where one label in twenty is wrong: a model that is sure and often wrong counts little.

    Parameters
    ----------
    given
        Class that is labelled, (n,).
    confidence
        (n, classes), of predictions out of fold, in 0..1; a row of NaN where nothing is predicted.

    Returns
    -------
    tuple of arrays
        (n,) each. Where nothing else is sure the class is the labelled one, and the score 0.
    """
    count, classes = confidence.shape
    one_hot = np.zeros((count, classes), np.bool_)
    one_hot[np.arange(count), given] = True
    is_predicted: Bools = np.asarray(~np.isnan(confidence).any(axis=1))
    sure = _sure(one_hot, confidence, is_predicted)
    right = _share_of_labels(one_hot, sure)
    others = np.where(sure & ~one_hot, confidence, -1.0)
    instead = others.argmax(axis=1) if classes else given
    best, own = others[np.arange(count), instead], np.nan_to_num(confidence[np.arange(count), given])
    is_suspect = best > own
    # A model that differs in most places is mostly wrong itself, also in a class in which it often agrees.
    differing = is_suspect.sum() / max(int(is_predicted.sum()), 1)
    of_labels = min(1.0, WRONG / differing) if differing else 0.0
    score = np.where(is_suspect, best / np.maximum(best + own, 1e-12) * right[instead] * of_labels, 0.0)
    return np.where(is_suspect, instead, given), score


def confident_separate(given: Bools, confidence: Floats) -> tuple[Floats, Floats]:
    """Return how probable it is that a labelled class is not there, and that one without a label is: each class for itself.

    A class without a label is missing where its confidence is at least the mean of the positions that have it, and one that is labelled is
    wrong where it is at most the mean of those that have not. Both count by how often the labels agree in such positions.

    Parameters
    ----------
    given
        Whether a class is labelled, (n, classes).
    confidence
        The same shape, in 0..1; a row of NaN where nothing is predicted.

    Returns
    -------
    tuple of arrays
        (n, classes) each; 0 where nothing speaks against the label.
    """
    is_predicted: Bools = np.asarray(~np.isnan(confidence).any(axis=1))
    sure, unsure = _sure(given, confidence, is_predicted), _sure(~given, 1 - confidence, is_predicted)
    missing = np.where(sure & ~given, confidence * _share_of_labels(given, sure), 0.0)
    wrong = np.where(unsure & given, (1 - confidence) * _share_of_labels(~given, unsure), 0.0)
    return wrong, missing


def _phases(sequences: Sequence[LabelSequence], predicted: Mapping[str, Labels], names: Vocabulary) -> list[Suspect]:
    confidences = [_phase_confidence(one, predicted[one.recording], len(names.phases)) for one in sequences]
    every = [(one, of_one) for one, of_one in zip(sequences, confidences, strict=True) if of_one is not None]
    if not every:
        return []
    given = np.concatenate([one.phases for one, _ in every])
    confidence = np.concatenate([of_one for _, of_one in every])
    confidence[given == UNKNOWN] = np.nan
    instead, wrong = confident_exclusive(np.where(given == UNKNOWN, 0, given), confidence)
    ends = np.cumsum([len(one.positions) for one, _ in every])[:-1]
    parts = zip(every, np.split(instead, ends), np.split(wrong, ends), strict=True)
    return [found for (one, _), other, score in parts for found in places.of_phases(one, other, score, names.phases, EVIDENCE, SAYS)]


def _classes(sequences: Sequence[LabelSequence], predicted: Mapping[str, Labels], names: Vocabulary) -> list[Suspect]:
    confidences = [_class_confidence(one, predicted[one.recording]) for one in sequences]
    every = [(one, of_one) for one, of_one in zip(sequences, confidences, strict=True) if of_one is not None]
    if not every or len({one.classes_of for one, _ in every}) > 1:
        return []
    given = np.concatenate([one.present[one.is_looked_at] for one, _ in every])
    wrong, missing = confident_separate(given, np.concatenate([of_one for _, of_one in every]))
    ends = np.cumsum([int(one.is_looked_at.sum()) for one, _ in every])[:-1]
    of_class = triplet_names(names) if every[0][0].classes_of == "ivt" else names.instruments
    found = []
    for (one, _), not_there, not_labelled in zip(every, np.split(wrong, ends), np.split(missing, ends), strict=True):
        at = np.flatnonzero(one.is_looked_at)
        found += places.of_classes(one, at, not_there, not_labelled, of_class, EVIDENCE, SAYS)
    return found


def _phase_confidence(sequence: LabelSequence, predicted: Labels, phases: int) -> Floats | None:
    """Return the confidence in each phase at each position, NaN where none is predicted; None for no predictions of phases.

    No format of phases says how sure a prediction is, so each is sure: how often it agrees with the labels then says how much it counts.
    """
    if predicted.phases is None or not len(predicted.phases.rows):
        return None
    positions, ids = phase_vector(predicted.phases)
    rows = _rows(sequence, sequence.positions, positions, predicted)
    found = np.full((len(sequence.positions), phases), np.nan)
    there = rows != UNKNOWN
    found[there] = 0.0
    found[there, ids[rows[there]]] = 1.0
    return found


def _class_confidence(sequence: LabelSequence, predicted: Labels) -> Floats | None:
    """Return the confidence in each class where instances are labelled, NaN where none is predicted; None where its classes are others."""
    labelled = sequence.positions[sequence.is_looked_at]
    scores = predicted.recognition
    found = np.full((len(labelled), sequence.present.shape[1]), np.nan)
    if scores is not None and scores.classes == sequence.classes_of:
        rows = _rows(sequence, labelled, scores.positions, predicted)
        there = rows != UNKNOWN
        found[there] = np.clip(scores.scores[rows[there]], 0.0, 1.0)
        return found
    if predicted.instances is None:
        return None
    rows = _rows(sequence, labelled, predicted.instances.positions, predicted)
    there = rows != UNKNOWN
    by_row = np.zeros((len(predicted.instances.positions), found.shape[1]))
    known = predicted.instances.rows[["position", ID_OF[sequence.classes_of], "score"]]
    known = known[known[ID_OF[sequence.classes_of]].notna()].fillna({"score": 1.0})
    at = np.searchsorted(predicted.instances.positions, known["position"].to_numpy(np.int64))
    np.maximum.at(by_row, (at, known[ID_OF[sequence.classes_of]].to_numpy(np.int64)), known["score"].to_numpy(np.float64))
    found[there] = by_row[rows[there]]
    return found


def _rows(sequence: LabelSequence, labelled: IntArray, predicted: IntArray, labels: Labels) -> IntArray:
    """Return which row of predictions each labelled position has, `UNKNOWN` for none: by time where both say it, else by number."""
    period_s = labels.clock.period_s
    if labels.counts_time and period_s is not None and sequence.period_s is not None and period_s != sequence.period_s:
        ratio: Fraction = sequence.period_s / period_s
        wanted = labelled * ratio.numerator / ratio.denominator
    else:
        wanted = labelled.astype(np.float64)
    if not len(predicted):
        return np.full(len(labelled), UNKNOWN, np.int64)
    at = np.minimum(np.searchsorted(predicted, wanted), len(predicted) - 1)
    return np.where(predicted[at] == wanted, at, UNKNOWN).astype(np.int64)


def _sure(is_so: Bools, confidence: Floats, is_predicted: Bools) -> Bools:
    """Return where a confidence reaches its threshold; never where no position of the class is predicted."""
    known = np.where(is_predicted[:, None], confidence, 0.0)
    counts = (is_so & is_predicted[:, None]).sum(axis=0)
    thresholds = np.where(counts > 0, (known * is_so).sum(axis=0) / np.maximum(counts, 1), np.inf)
    # A mean of equal numbers may differ from them in its last digit.
    return np.asarray(is_predicted[:, None] & (known >= thresholds - 1e-9) & (known > 0))


def _share_of_labels(is_so: Bools, sure: Bools) -> Floats:
    """Return in which share of the positions where a class is sure it is labelled, (classes,)."""
    return np.asarray((is_so & sure).sum(axis=0) / np.maximum(sure.sum(axis=0), 1))
