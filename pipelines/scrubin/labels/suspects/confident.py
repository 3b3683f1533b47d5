"""Predictions that are sure of something else than the labels: confident learning (Northcutt, Jiang, Chuang, JAIR 70, 2021).

Predictions must be out of fold: of a model that has not seen the labels of that recording. How sure is sure is said by each class
itself: its threshold is the mean confidence in the class among the positions that are labelled with it. So a model that is hesitant about
a class, or too sure of it, does not make all its frames suspects.
"""

from __future__ import annotations

import numpy as np

from scrubin.labels.model import IntArray
from scrubin.labels.suspects.course import WRONG
from scrubin.labels.suspects.sequence import Bools, Floats


def exclusive(given: IntArray, confidence: Floats) -> tuple[IntArray, Floats]:
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
    right = _share(one_hot, sure)
    others = np.where(sure & ~one_hot, confidence, -1.0)
    instead = others.argmax(axis=1) if classes else given
    best, own = others[np.arange(count), instead], np.nan_to_num(confidence[np.arange(count), given])
    is_suspect = best > own
    # A model that differs in most places is mostly wrong itself, also in a class in which it often agrees.
    differing = is_suspect.sum() / max(int(is_predicted.sum()), 1)
    of_labels = min(1.0, WRONG / differing) if differing else 0.0
    score = np.where(is_suspect, best / np.maximum(best + own, 1e-12) * right[instead] * of_labels, 0.0)
    return np.where(is_suspect, instead, given), score


def separate(given: Bools, confidence: Floats) -> tuple[Floats, Floats]:
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
    missing = np.where(sure & ~given, confidence * _share(given, sure), 0.0)
    wrong = np.where(unsure & given, (1 - confidence) * _share(~given, unsure), 0.0)
    return wrong, missing


def _sure(is_so: Bools, confidence: Floats, is_predicted: Bools) -> Bools:
    """Return where a confidence reaches its threshold; never where no position of the class is predicted."""
    known = np.where(is_predicted[:, None], confidence, 0.0)
    counts = (is_so & is_predicted[:, None]).sum(axis=0)
    thresholds = np.where(counts > 0, (known * is_so).sum(axis=0) / np.maximum(counts, 1), np.inf)
    # A mean of equal numbers may differ from them in its last digit.
    return np.asarray(is_predicted[:, None] & (known >= thresholds - 1e-9) & (known > 0))


def _share(is_so: Bools, sure: Bools) -> Floats:
    """Return in which share of the positions where a class is sure it is labelled, (classes,)."""
    return np.asarray((is_so & sure).sum(axis=0) / np.maximum(sure.sum(axis=0), 1))
