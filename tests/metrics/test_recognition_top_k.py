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


@pytest.mark.slow
@given(frames(), frames(), st.integers(1, 5))
def test_positives_weigh_the_same_in_every_video(one, other, k):
    apart = top_k([TripletVideo("a", *one), TripletVideo("b", *other)], SMALL, k)
    together = top_k([TripletVideo("a", np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]))], SMALL, k)
    np.testing.assert_array_equal(apart.result.overall.value, together.result.overall.value)
    np.testing.assert_array_equal([apart.least, apart.most], [together.least, together.most])
    assert [value.n for value in apart.result.videos.values()] == [int(one[0].sum()), int(other[0].sum())]


def test_as_many_as_there_are_classes_find_everything():
    videos = [TripletVideo("a", np.eye(5, dtype=int), np.zeros((5, 5)))]
    for k in (5, 6, 1000):
        ours = top_k(videos, SMALL, k)
        assert (ours.result.overall.value, ours.least, ours.most) == (1.0, 1.0, 1.0)
    assert top_k(videos, SMALL, 1).result.overall.value == 0.2
    assert (top_k(videos, SMALL, 1).least, top_k(videos, SMALL, 1).most) == (0.0, 1.0)


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_than_one_is_refused(k):
    videos = [TripletVideo("a", np.eye(5), np.zeros((5, 5)))]
    with pytest.raises(MetricsError, match="k is at least 1"):
        top_k(videos, SMALL, k)
    with pytest.raises(MetricsError, match="at least 1"):
        top_classes(pooled(videos, SMALL)["ivt"], k)


def test_the_best_classes_come_first_and_the_lower_of_equal_ones():
    labels = [[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]]
    scores = [[0.1, 0.9, 0.5, 0.9, 0.5], [0.2, 0.1, 0.5, 0.1, 0.5]]
    result = pooled([TripletVideo("a", labels, scores)], SMALL)["ivt"]
    assert top_classes(result, 2) == [("1", Value(1.0, 1)), ("3", Value(1.0, 1))]
    assert [name for name, _ in top_classes(result, 5)] == ["1", "3", "0"]
