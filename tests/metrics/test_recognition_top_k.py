"""Top-k accuracy and its bounds over all choices among ties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import recognition_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import TripletVideo, disentangle
from scrubin.evaluate.metrics.recognition.average_precision import pooled
from scrubin.evaluate.metrics.recognition.top_k import top_classes, top_k
from scrubin.evaluate.metrics.result import Value
from scrubin.evaluate.metrics.variants import COMPONENTS

SMALL = cases.small_map()


@st.composite
def frames(draw):
    shape = (draw(st.integers(0, 6)), 5)
    labels = draw(npst.arrays(np.int8, shape, elements=st.integers(0, 1)))
    return labels, draw(npst.arrays(np.float32, shape, elements=st.integers(0, 3).map(lambda n: n / 4)))


def choices(labels, scores, k):
    """Hits of a frame under every order of its classes that its scores allow; the first is the stable one."""
    orders = sorted(itertools.permutations(range(len(scores))), key=lambda order: [(-scores[at], at) for at in order])
    allowed = [order for order in orders if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))]
    return [int(sum(labels[at] for at in order[:k])) for order in allowed]


@given(frames(), st.integers(1, 6), st.sampled_from(COMPONENTS))
def test_it_is_the_count_over_every_order_that_ties_allow(drawn, k, component):
    labels, scores = (disentangle(one, SMALL, component) for one in drawn)
    found = [choices(label, score, k) for label, score in zip(labels, scores, strict=True)]
    positives = int(labels.sum())
    ours = top_k([TripletVideo("a", *drawn)], SMALL, k, component)
    assert ours.result.overall.n == positives
    if positives:
        assert ours.result.overall.value == sum(one[0] for one in found) / positives
        assert ours.least == sum(min(one) for one in found) / positives
        assert ours.most == sum(max(one) for one in found) / positives
    else:
        assert math.isnan(ours.result.overall.value)
        assert math.isnan(ours.least)


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "5", None, math.nan, np.float64(2)])
def test_k_is_a_whole_number_from_1(k):
    videos = [TripletVideo("a", np.eye(5), np.zeros((5, 5)))]
    with pytest.raises(MetricsError, match="k is at least 1, and a whole number"):
        top_k(videos, SMALL, k)
    with pytest.raises(MetricsError, match="ask for at least 1, and a whole number"):
        top_classes(pooled(videos, SMALL)["ivt"], k)
    assert top_k(videos, SMALL, np.int64(1)).result.variant == top_k(videos, SMALL, 1).result.variant


def test_the_best_classes_come_first_and_the_lower_of_equal_ones():
    labels = [[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]]
    scores = [[0.1, 0.9, 0.5, 0.9, 0.5], [0.2, 0.1, 0.5, 0.1, 0.5]]
    result = pooled([TripletVideo("a", labels, scores)], SMALL)["ivt"]
    assert top_classes(result, 2) == [("1", Value(1.0, 1)), ("3", Value(1.0, 1))]
    assert [name for name, _ in top_classes(result, 5)] == ["1", "3", "0"]
