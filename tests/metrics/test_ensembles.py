"""Ensembles of prediction arrays."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import ensembles

score = st.integers(0, 8).map(lambda eighths: eighths / 8)


@st.composite
def models(draw):
    count, frames, classes = draw(st.integers(1, 5)), draw(st.integers(0, 3)), draw(st.integers(1, 3))
    size = frames * classes
    return [np.array(draw(st.lists(score, min_size=size, max_size=size))).reshape(frames, classes) for _ in range(count)]


def literal(arrays, combine):
    stacked = np.stack(arrays)
    out = np.empty(stacked.shape[1:])
    for place in np.ndindex(out.shape):
        out[place] = combine([Fraction(float(one[place])) for one in arrays], place)
    return out


@settings(max_examples=80)
@given(models(), st.data())
def test_all_three_are_the_literal_ones(arrays, data):
    count, classes = len(arrays), arrays[0].shape[1]
    np.testing.assert_allclose(ensembles.mean(arrays), literal(arrays, lambda held, _: sum(held) / count), rtol=0, atol=1e-15)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=count * classes, max_size=count * classes))).reshape(count, classes)

    def by_class(held, place):
        own = weights[:, place[1]].tolist()
        return sum(w * h for w, h in zip(own, held, strict=True)) / Fraction(sum(own))

    def by_model(held, _):
        own = weights[:, 0].tolist()
        return sum(w * h for w, h in zip(own, held, strict=True)) / Fraction(sum(own))

    np.testing.assert_allclose(ensembles.weighted(arrays, weights), literal(arrays, by_class), rtol=0, atol=1e-15)
    np.testing.assert_allclose(ensembles.weighted(arrays, weights[:, 0]), literal(arrays, by_model), rtol=0, atol=1e-15)
    expected = literal(arrays, lambda held, _: max(held) if sum(one >= Fraction(1, 2) for one in held) * 2 > count else min(held))
    np.testing.assert_array_equal(ensembles.soft_vote(arrays), expected)


@given(models(), st.randoms(use_true_random=False))
def test_the_order_of_the_models_changes_no_bit_and_results_are_scores(arrays, random):
    third = [np.minimum(one + 0.1 / 3, 1.0) for one in arrays]
    order = list(range(len(third)))
    random.shuffle(order)
    weights = np.arange(1.0, len(third) + 1)
    turned = [third[at] for at in order]
    for one, other in (
        (ensembles.mean(third), ensembles.mean(turned)),
        (ensembles.soft_vote(third), ensembles.soft_vote(turned)),
        (ensembles.weighted(third, weights), ensembles.weighted(turned, weights[order])),
    ):
        assert one.tobytes() == other.tobytes()
        assert ((one >= 0) & (one <= 1)).all()


@pytest.mark.parametrize(
    "weights",
    [
        None,
        [1, 1, 1],
        [0.25, 0.25, 0.25],
        [0.3, 0.3, 0.3],
        [1e9, 1e9, 1e9],
        [4e9, 4e9, 4e9],
        [[7, 0.1]] * 3,
        [1 / 3] * 3,
        [0.71234567] * 3,
        [[1 / 3, 0.1]] * 3,
        [1e300] * 3,
        [5e-324] * 3,
    ],
)
def test_equal_means_of_decimals_are_equal_to_the_last_bit(weights):
    arrays = [np.array([one, one, other, other]).reshape(4, 1) for one, other in ((0.2, 0.0), (0.2, 0.1), (0.2, 0.5))]
    arrays = [np.hstack([one, one[::-1]]) for one in arrays]
    found = ensembles.mean(arrays) if weights is None else ensembles.weighted(arrays, weights)
    assert set(found.ravel().tolist()) == {0.2}


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ([0, 1 / 3, 1 / 3], [0, 1, 1]),
        ([0.7123456, 0.7123456, 0], [1, 1, 0]),
        ([1 / 3, 1 / 3, 2 / 3], [1, 1, 2]),
        ([0.1, 0.3, 0.1], [1, 3, 1]),
        ([1e9, 2e9, 0], [1, 2, 0]),
    ],
)
def test_equal_weighted_means_of_decimals_are_equal_also_beside_another_class_whose_ratios_are_none(weights, shares):
    tenths = np.array(list(itertools.product(range(11), repeat=3)))
    of_models = [np.stack([one / 10, one[::-1] / 10], axis=1) for one in tenths.T]
    expected = tenths @ shares / (10.0 * sum(shares))
    of_one_class = ensembles.weighted(of_models, weights)[:, 0]
    beside = ensembles.weighted(of_models, np.stack([weights, [0.1234567, 0.7, 0.3]], axis=1))[:, 0]
    for found in (of_one_class, beside):
        np.testing.assert_array_equal(found, expected)


def test_a_model_without_weight_may_have_any_scores():
    arrays = [np.array([1 / 3, 1 / 7]), np.array([0.1, 0.3]), np.array([0.5, 0.3])]
    assert ensembles.weighted(arrays, [0, 1, 1]).tolist() == [0.3, 0.3]


def test_scores_too_small_for_decimals_keep_their_order():
    arrays = [np.array([[1e-20, 3e-20, 0.5 + 1e-15]]), np.array([[1e-20, 1e-20, 0.5]])]
    for found in (ensembles.mean(arrays), ensembles.weighted(arrays, [1, 1])):
        np.testing.assert_allclose(found, [[1e-20, 2e-20, 0.5 + 5e-16]], rtol=1e-15)


def test_weights_are_ratios():
    arrays = [np.array([[0.2]]), np.array([[0.8]])]
    assert ensembles.weighted(arrays, [1, 3]) == pytest.approx(ensembles.weighted(arrays, [0.1, 0.3]))
    assert ensembles.weighted(arrays, [1, 1]) == pytest.approx(ensembles.mean(arrays))
    assert ensembles.weighted(arrays, [0, 2]).tolist() == [[0.8]]
    # Of eleven decimals whole numbers are only summed without loss where weights are small.
    fine = [np.array([0.1, 0.2]) + 1e-11, np.array([0.2, 0.3]), np.array([0.6, 0.4]) - 1e-11]
    assert ensembles.weighted(fine, [3e9] * 3).tolist() == ensembles.mean(fine).tolist() == [0.3, 0.3]


def test_equal_models_give_themselves():
    one = np.array([[0.1, 0.7, 1.0, 0.0]])
    for combined in (ensembles.mean([one] * 3), ensembles.weighted([one] * 3, [0.1, 0.2, 0.4]), ensembles.soft_vote([one] * 3)):
        assert combined.tobytes() == one.tobytes()


def test_votes_at_the_threshold_and_draws():
    assert ensembles.soft_vote([[[0.5]], [[0.5]], [[0.1]]]).tolist() == [[0.5]]
    assert ensembles.soft_vote([[[0.9]], [[0.1]]]).tolist() == [[0.1]]
    assert ensembles.soft_vote([[[0.4]], [[0.3]], [[0.1]]], threshold=0.3).tolist() == [[0.4]]


def test_inputs_are_not_changed_and_small_types_are_taken():
    held = np.array([[0.25, 0.5]], dtype=np.float32)
    for combined in (ensembles.mean([held, held]), ensembles.weighted([held, held], [1, 2]), ensembles.soft_vote([held])):
        assert combined.dtype == np.float64
        assert combined is not held
    assert held.tolist() == [[0.25, 0.5]]


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ([], "at least one model"),
        ([[[0.5]], [[0.5, 0.5]]], r"model 1 have the shape \(1, 2\), those of model 0 \(1, 1\)"),
        ([[[0.5]], [[1.5]]], r"the score of model 1 at \(0, 0\) is 1.5; .*sigmoid"),
        ([[[0.5]], [[math.nan]]], r"the score of model 1 at \(0, 0\) is nan"),
        ([[[0.5], [0.5, 0.5]]], "model 0 have rows of different lengths"),
        ([[["a"]]], "model 0 are of type"),
        ([0.5], "give an array of numbers"),
    ],
)
def test_bad_predictions_are_refused_with_a_sentence(arrays, sentence):
    for combine in (ensembles.mean, ensembles.soft_vote, lambda given: ensembles.weighted(given, [1.0] * len(given))):
        with pytest.raises(MetricsError, match=sentence):
            combine(arrays)


@pytest.mark.parametrize(
    "weights", [[1], [1, -1], [0, 0], [1, math.nan], [[1, 1, 1], [1, 1, 1]], [[1, 0], [1, 0]], [], [[1], [1, 2]], ["a", "b"]]
)
def test_bad_weights_are_refused(weights):
    with pytest.raises(MetricsError, match="weights"):
        ensembles.weighted([[[0.5, 0.5]], [[0.5, 0.5]]], weights)


def test_a_threshold_beyond_scores_is_refused():
    with pytest.raises(MetricsError, match="the threshold is 50"):
        ensembles.soft_vote([[[0.5]]], 50)
