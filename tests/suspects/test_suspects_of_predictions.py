"""Predictions that are sure of something else make suspects; predictions that hesitate, or are often wrong, do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import drawn_course
from drawn_course import T50
from scrubin.labels.model import Recognition
from scrubin.labels.suspects import of_predictions, ranking


def test_a_class_is_sure_where_it_reaches_its_mean_confidence_among_the_positions_that_have_it():
    given = np.array([0, 0, 0, 1, 1, 1])
    confidence = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6], [0.45, 0.55], [0.6, 0.4]])
    instead, wrong = of_predictions.confident_exclusive(given, confidence)
    # Thresholds are 2/3 and 0.5167: the third is sure of 1 and labelled 0; the last is no more than 0.6 sure of 0.
    assert instead.tolist() == [0, 0, 1, 1, 1, 1]
    # Labels agree in two of the three positions that are sure of 1. One of six differs, and one label in twenty is wrong.
    assert wrong.tolist() == pytest.approx([0, 0, 0.7 * 2 / 3 * 0.05 * 6, 0, 0, 0])


def test_where_nothing_is_predicted_nothing_is_suspect():
    instead, wrong = of_predictions.confident_exclusive(np.array([0, 1]), np.full((2, 2), np.nan))
    assert (instead.tolist(), wrong.tolist()) == ([0, 1], [0, 0])
    of_classes = of_predictions.confident_separate(np.array([[True], [False]]), np.full((2, 1), np.nan))
    assert not np.any(of_classes)


def test_a_class_that_is_sure_and_often_wrong_counts_little():
    given = np.array([0] * 8 + [1] * 2)
    often, seldom = np.tile([0.1, 0.9], (10, 1)), np.tile([0.9, 0.1], (10, 1))
    seldom[[0, 8, 9]] = [0.1, 0.9]
    assert of_predictions.confident_exclusive(given, often)[1].max() < of_predictions.confident_exclusive(given, seldom)[1].max()


def test_a_model_that_differs_in_most_places_is_believed_less_than_one_that_differs_where_labels_are_wrong():
    given = np.repeat([0, 1], 100)
    sure = np.eye(2)[given]
    good, poor = sure.copy(), sure.copy()
    good[:5], poor[:5] = [0, 1], [0, 1]
    poor[100:160] = [1, 0]
    of_good, of_poor = (of_predictions.confident_exclusive(given, one)[1] for one in (good, poor))
    # Five of 200 differ: all of them may be wrong labels. 65 of 200 differ: at most ten of them are.
    assert of_good[:5].tolist() == pytest.approx([100 / 105] * 5)
    assert of_poor[:5].tolist() == pytest.approx([40 / 45 * 10 / 65] * 5)


def test_of_several_classes_in_a_position_each_is_asked_for_itself():
    given = np.array([[True, False]] * 5 + [[False, True]] * 5)
    confidence = np.where(given, 0.9, 0.1)
    confidence[0], confidence[9, 0] = [0.05, 0.1], 0.95
    wrong, missing = of_predictions.confident_separate(given, confidence)
    assert np.argwhere(wrong).tolist() == [[0, 0]]
    assert np.argwhere(missing).tolist() == [[9, 0]]


def predicted(labels, phases=True):
    """Predictions that are right in everything."""
    scores = np.full((len(labels.instances.positions), len(T50.triplets)), 0.01)
    rows = labels.instances.rows
    scores[np.searchsorted(labels.instances.positions, rows["position"]), rows["triplet_id"].astype(int)] = 0.9
    recognition = Recognition("p", labels.instances.positions, scores)
    return replace(labels, phases=labels.phases if phases else None, instances=None, recognition=recognition)


def test_a_shift_that_no_rule_and_no_other_recording_can_see_is_seen_by_predictions():
    study = drawn_course.study(4)
    right = [predicted(labels) for labels in study]
    edge = int(study[0].phases.rows.query("phase_id == 3")["position"].min())
    for at in range(edge, edge + 3):
        study[0] = drawn_course.with_phase(study[0], at, 2)
    without, found = ranking.rank(study), ranking.rank(study, predictions=right)
    best = found.suspects[0]
    assert (best.recording, best.layer, best.first, best.end, best.probable) == ("VID01", "phases", edge, edge + 3, T50.phases[3])
    assert "predictions" in best.evidence
    assert not without.suspects or without.suspects[0].score < best.score


def test_a_missing_triplet_is_seen_by_predicted_scores():
    study = drawn_course.study(4)
    right = [predicted(labels, phases=False) for labels in study]
    study[1] = drawn_course.with_triplets(study[1], 0, set())
    first = ranking.rank(study, predictions=right).suspects[0]
    assert (first.recording, first.layer, first.first, first.label, first.probable) == (
        "VID02", "triplets", 0, "", T50.triplet_name(drawn_course.USUAL[0][0])
    )  # fmt: skip


def test_predictions_that_say_nothing_of_the_labels_are_named():
    study = drawn_course.study(0, 2)
    other = replace(predicted(study[0]), recording="VID99")
    assert ranking.rank(study, predictions=[other]).notes == (
        "predictions of recordings without labels are not used: 1, such as VID99",
        "recordings without predictions: 2, such as VID01",
    )
