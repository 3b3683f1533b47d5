"""Recognition of errors, and balanced accuracy of classes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import error_recognition
from scrubin.evaluate.metrics.error_recognition import QUIRKS
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, rates
from scrubin.evaluate.metrics.phases.averaging import mean
from scrubin.evaluate.metrics.result import Value, difference

GOLDEN = json.loads((Path(__file__).parents[1] / "data/ratings/classification_scores.json").read_text(encoding="utf-8"))
pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20)


def score(metric, truth, predicted, **options):
    return error_recognition.score(metric, {"cut": truth}, {"cut": predicted}, **options).classes["cut"]


def mean_recall(truth, predicted):
    """Balanced accuracy as scikit-learn returns it: the mean recall of the classes in the truth."""
    return float(
        np.mean([np.mean([guess == one for actual, guess in zip(truth, predicted, strict=True) if actual == one]) for one in set(truth)])
    )


@pytest.mark.parametrize("case", GOLDEN["balanced_accuracy"], ids=lambda case: case["name"])
def test_balanced_accuracy_of_several_classes_is_the_mean_recall_of_phases(case):
    truth, predicted = case["y_true"], case["y_pred"]
    recalls = rates.rate_elements(confusions_of_videos([PhaseVideo("v", truth, predicted)], 1 + max(*truth, *predicted)), "recall")
    overall = mean(recalls).overall
    assert overall.value == pytest.approx(case["expected"]["balanced_accuracy"], abs=1e-9)
    assert overall.n == len(set(truth))
    if set(truth) | set(predicted) <= {0, 1}:
        published = score("balanced accuracy", truth, predicted, semantics="compat").value
        assert published == pytest.approx(case["expected"]["balanced_accuracy"], abs=1e-9)


@pytest.mark.slow
@settings(max_examples=100)
@given(pairs)
def test_all_four_are_those_of_scikit_learn(rows):
    truth, predicted = ([row[at] for row in rows] for at in (0, 1))
    assert score("accuracy", truth, predicted).value == pytest.approx(reference.accuracy_score(truth, predicted))
    for metric, label in (("sensitivity", True), ("specificity", False)):
        found = score(metric, truth, predicted)
        assert found.n == truth.count(label)
        if found.n:
            assert found.value == pytest.approx(reference.recall_score(truth, predicted, pos_label=label))
        else:
            assert math.isnan(found.value)
    published = mean_recall(truth, predicted)
    assert score("balanced accuracy", truth, predicted, semantics="compat").value == pytest.approx(published)
    if len(set(truth)) == 2:
        assert score("balanced accuracy", truth, predicted).value == pytest.approx(reference.balanced_accuracy_score(truth, predicted))
        assert published == pytest.approx(reference.balanced_accuracy_score(truth, predicted))
    else:
        assert math.isnan(score("balanced accuracy", truth, predicted).value)


def test_the_four_counts():
    found = error_recognition.counts([1, 1, 1, 0, 0, None], [1, 1, 0, 1, 0, 1])
    assert (found.true_positive, found.false_negative, found.false_positive, found.true_negative) == (2, 1, 1, 1)


def test_overall_is_the_mean_over_the_errors_that_are_defined():
    truth = {"cut": [1, 0, 0, 1], "drop": [0, 0, 0, 0], "slip": [1, 1, 0, 0]}
    predicted = {"slip": [1, 0, 0, 0], "cut": [1, 0, 1, 1], "drop": [0, 0, 0, 1]}
    found = error_recognition.score("sensitivity", truth, predicted)
    assert list(found.classes) == ["cut", "drop", "slip"]
    assert found.overall == Value(0.75, 2)
    assert error_recognition.score("specificity", truth, predicted).overall == Value((0.5 + 0.75 + 1) / 3, 3)


def test_nothing_known_is_undefined():
    for metric in error_recognition.METRICS:
        for semantics in ("paper", "compat"):
            found = score(metric, [math.nan], [1], semantics=semantics)
            assert math.isnan(found.value)
            assert found.n == 0


def test_paper_and_compat_are_not_compared():
    one, other = (error_recognition.score("balanced accuracy", {"cut": [0]}, {"cut": [0]}, semantics=name) for name in ("paper", "compat"))
    with pytest.raises(MetricsError, match="cannot be compared"):
        difference(one, other)


@pytest.mark.parametrize(
    ("truth", "predicted", "sentence"),
    [
        ({"cut": [1, 0]}, {"cut": [1]}, "2 labels of cut but 1 predictions"),
        ({"cut": [1]}, {"cut": [0.7]}, "the prediction of cut of video 0 is 0.7; .*apply a threshold"),
        ({"cut": [2]}, {"cut": [1]}, "the label of cut of video 0 is 2.0"),
        ({"cut": [1]}, {"cut": [math.nan]}, "the prediction of cut of video 0 is nan"),
        ({"cut": []}, {"cut": []}, "no labels of cut and no predictions"),
        ({"cut": [1]}, {"drop": [1]}, "only in one of them: cut, drop"),
        ({}, {}, "at least one; only in one of them: none"),
        ({"cut": ["yes"]}, {"cut": [1]}, "the labels of cut have the shape"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(truth, predicted, sentence):
    with pytest.raises(MetricsError, match=sentence):
        error_recognition.score("accuracy", truth, predicted)


def test_unknown_metrics_are_refused():
    with pytest.raises(MetricsError, match="no metric 'auc' of errors"):
        score("auc", [1], [1])


def test_the_quirk_of_balanced_accuracy_is_listed_and_shows():
    (quirk,) = QUIRKS
    assert quirk.name == "balanced-accuracy-of-one-class"
    truth, predicted = [0, 0, 0], [0, 0, 1]
    with pytest.warns(UserWarning, match="not in y_true"):
        published = reference.balanced_accuracy_score(truth, predicted)
    assert score("balanced accuracy", truth, predicted, semantics="compat").value == published == 2 / 3
    assert math.isnan(score("balanced accuracy", truth, predicted).value)
    # A second error, with both classes, is the whole mean.
    both = error_recognition.score("balanced accuracy", {"cut": truth, "tear": [0, 1, 1]}, {"cut": predicted, "tear": [0, 1, 0]})
    assert both.overall == Value(0.75, 1)
