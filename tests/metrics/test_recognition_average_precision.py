"""Average precision: against scikit-learn, against the definition term by term, and what must not change it."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.metrics import average_precision_score

import recognition_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition.average_precision import average_precision


@st.composite
def matrices(draw, dtypes=(np.float32, np.float64)):
    """Labels and scores; scores on a coarse grid, so that ties abound, or anything finite."""
    shape = draw(st.tuples(st.integers(1, 40), st.integers(1, 5)))
    labels = draw(npst.arrays(np.int8, shape, elements=st.integers(0, 1)))
    dtype = draw(st.sampled_from(dtypes))
    width = 8 * np.dtype(dtype).itemsize
    grid = st.integers(-4, 4).map(lambda n: n / 4)
    anything = st.floats(allow_nan=False, allow_infinity=False, width=width)
    return labels, draw(npst.arrays(dtype, shape, elements=draw(st.sampled_from([grid, anything]))))


@given(matrices())
def test_it_is_the_definition_to_1e_12(drawn):
    labels, scores = drawn
    values, positives = average_precision(labels, scores)
    expected = [cases.literal_ap(labels[:, column], scores[:, column]) for column in range(labels.shape[1])]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert positives.tolist() == labels.sum(axis=0).tolist()


@pytest.mark.slow
@given(matrices())
def test_it_is_scikit_learns_where_a_class_has_positives(drawn):
    labels, scores = drawn
    values, positives = average_precision(labels, scores)
    with warnings.catch_warnings():
        # Differences of extreme scores overflow there, which does no harm.
        warnings.simplefilter("ignore")
        for column in np.flatnonzero(positives):
            assert values[column] == pytest.approx(average_precision_score(labels[:, column], scores[:, column]), abs=1e-12)
    assert np.isnan(values[positives == 0]).all()


@pytest.mark.slow
@given(matrices(), st.randoms(use_true_random=False))
def test_the_order_of_frames_never_shows(drawn, random):
    labels, scores = drawn
    order = list(range(len(labels)))
    random.shuffle(order)
    np.testing.assert_array_equal(average_precision(labels, scores)[0], average_precision(labels[order], scores[order])[0])


@given(matrices())
def test_a_strictly_increasing_change_of_scores_never_shows(drawn):
    labels, scores = drawn
    ranks = np.stack([np.unique(column, return_inverse=True)[1] for column in scores.T], axis=1)
    before = average_precision(labels, scores)[0]
    for changed in (ranks, 1 / (1 + np.exp(-ranks / 8.0)), ranks.astype(np.float16), (ranks - 50).astype(">f4")):
        np.testing.assert_array_equal(before, average_precision(labels, changed)[0])


@pytest.mark.slow
@given(matrices(dtypes=(np.float32,)))
def test_float32_scores_give_the_same_bits_as_float64(drawn):
    labels, scores = drawn
    np.testing.assert_array_equal(average_precision(labels, scores)[0], average_precision(labels, scores.astype(np.float64))[0])


@pytest.mark.slow
@given(matrices())
def test_every_positive_found_higher_is_better_or_equal(drawn):
    labels, scores = drawn
    raised = np.where(labels == 1, 1 + np.argsort(np.argsort(scores, axis=0), axis=0), np.argsort(np.argsort(scores, axis=0), axis=0))
    values = average_precision(labels, scores)[0]
    perfect = average_precision(labels, labels.astype(float))[0]
    assert (perfect[~np.isnan(perfect)] == 1.0).all()
    assert ((values > 0) & (values <= 1) | np.isnan(values)).all()
    distinct = average_precision(labels, np.argsort(np.argsort(scores, axis=0), axis=0))[0]
    assert (average_precision(labels, raised)[0] - distinct >= -1e-12)[~np.isnan(values)].all()


def test_equal_scores_are_one_threshold():
    assert average_precision([[1], [0], [0], [1]], [[0.5]] * 4)[0].tolist() == [0.5]
    # 2 of 3 at the first threshold, all 3 of 5 at the second.
    tied = average_precision([[1], [1], [0], [1], [0]], [[0.8], [0.8], [0.8], [0.1], [0.1]])[0]
    assert tied[0] == pytest.approx(2 / 3 * 2 / 3 + 1 / 3 * 3 / 5, abs=1e-15)


def test_negative_zero_ties_with_zero():
    assert average_precision([[1], [0]], [[0.0], [-0.0]])[0].tolist() == [0.5]


def test_scores_that_only_float64_tells_apart_stay_apart():
    close = np.array([[0.5 + 2**-40], [0.5]])
    assert average_precision([[1], [0]], close)[0].tolist() == [1.0]
    assert average_precision([[1], [0]], close.astype(np.float32))[0].tolist() == [0.5]


def test_whole_numbers_as_scores_are_told_apart_or_refused():
    assert average_precision([[1], [0]], [[2**24 + 1], [2**24]])[0].tolist() == [1.0]
    with pytest.raises(MetricsError, match="whole numbers beyond"):
        average_precision([[1], [0]], [[2**53 + 1], [2**53]])


def test_no_positives_all_positives_one_frame_and_no_frames_are_defined_values():
    assert math.isnan(average_precision([[0], [0]], [[0.1], [0.2]])[0][0])
    assert average_precision([[1], [1]], [[0.1], [0.2]])[0].tolist() == [1.0]
    values, positives = average_precision([[1, 0]], [[0.0, 1.0]])
    assert values[0] == 1.0
    assert math.isnan(values[1])
    assert positives.tolist() == [1, 0]
    values, positives = average_precision(np.empty((0, 3)), np.empty((0, 3)))
    assert np.isnan(values).all()
    assert positives.tolist() == [0, 0, 0]


def test_the_arrays_given_are_left_alone():
    rng = np.random.default_rng(1)
    for order in ("C", "F"):
        scores = np.asarray(rng.random((50, 3)), order=order)
        labels = np.asarray(rng.random((50, 3)) < 0.3, order=order)
        before = scores.copy(), labels.copy()
        average_precision(labels, scores)
        np.testing.assert_array_equal(scores, before[0])
        np.testing.assert_array_equal(labels, before[1])


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_long_classes_are_the_same_in_blocks(seed):
    rng = np.random.default_rng(seed)
    labels, scores = rng.random((3000, 4)) < [0, 0.001, 0.1, 0.9], np.round(rng.random((3000, 4)), 3)
    values, _ = average_precision(labels, scores)
    for column in range(1, 4):
        expected = cases.literal_ap(labels[:, column], scores[:, column])
        assert values[column] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_blocks_smaller_than_the_classes_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    labels, scores = rng.random((30, 20)) < 0.2, rng.random((30, 20))
    at_once = average_precision(labels, scores)[0]
    monkeypatch.setattr("scrubin.evaluate.metrics.recognition.average_precision.BLOCK", 70)
    np.testing.assert_array_equal(average_precision(labels, scores)[0], at_once)


def test_golden_average_precision():
    held = json.loads((cases.DATA / "ratings/classification_scores.json").read_text(encoding="utf-8"))["average_precision"]
    assert held
    for one in held:
        values, _ = average_precision(np.array(one["y_true"])[:, None], np.array(one["scores"])[:, None])
        expected = math.nan if one["expected"] is None else one["expected"]
        assert values[0] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("labels", "scores", "says"),
    [
        ([[1, 0]], [[0.1, 0.2], [0.3, 0.4]], "targets are 1 frames by 2 classes but scores are 2 frames by 2 classes"),
        ([[1, 0]], [[0.1]], "1 frames by 1 classes"),
        ([1, 0], [0.1, 0.2], r"shape \(2,\); give a matrix"),
        ([[]], [[]], r"shape \(1, 0\)"),
        ([[1], [1, 0]], [[0.1], [0.2]], "rows of different lengths"),
        ([[1, 2]], [[0.1, 0.2]], "label of frame 0, class 1 is 2; labels are 0 or 1"),
        ([[1.0], [0.5]], [[0.1], [0.2]], "label of frame 1, class 0 is 0.5"),
        ([[1.0], [math.nan]], [[0.1], [0.2]], "label of frame 1, class 0 is nan"),
        ([[1], [0]], [[0.1], [math.nan]], "score of frame 1, class 0 is nan; scores must be finite"),
        ([[1], [0]], [[-math.inf], [0.2]], "score of frame 0, class 0 is -inf"),
        ([["1"], ["0"]], [[0.1], [0.2]], "targets are of type <U1"),
        ([[1], [0]], [[None], [0.2]], "scores are of type object"),
        ([[1], [0]], [[1j], [0.2]], "scores are of type complex128"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(labels, scores, says):
    with pytest.raises(MetricsError, match=says):
        average_precision(labels, scores)
