"""Wilcoxon signed-rank tests between teams, against all sign patterns counted by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from scrubin.evaluation.ranking import significance


def by_counting(differences: np.ndarray) -> float:
    """The two-sided p-value: the share of all sign patterns whose smaller rank sum is at most the observed one."""
    kept = [one for one in differences.tolist() if one]
    order = sorted(abs(one) for one in kept)
    ranks = [order.index(abs(one)) + 1 for one in kept]
    total = len(kept) * (len(kept) + 1) // 2
    observed = sum(rank for rank, one in zip(ranks, kept, strict=True) if one > 0)
    observed = min(observed, total - observed)
    patterns = [sum(itertools.compress(ranks, chosen)) for chosen in itertools.product((0, 1), repeat=len(kept))]
    return sum(min(plus, total - plus) <= observed for plus in patterns) / len(patterns)


@pytest.mark.parametrize("seed", range(8))
def test_the_p_value_is_the_share_of_sign_patterns_as_extreme(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.random(12), rng.random(12) - 0.15
    other[3] = one[3]  # a difference of 0 is dropped
    found = significance.compare(one, other)
    assert (found.differences, found.method) == (11, "exact")
    assert found.p == pytest.approx(by_counting(one - other), abs=1e-12)
    assert found.plus + found.minus == 11 * 12 / 2


def test_ties_take_the_normal_approximation_with_their_correction():
    differences = np.array([0.1, 0.1, 0.1, -0.1, 0.2, 0.2, 0.3, 0.3, 0.3, -0.2])
    found = significance.compare(differences, np.zeros(10))
    ranks = np.array([2.5] * 4 + [6.0] * 2 + [9.0] * 3 + [6.0])
    plus = ranks[differences > 0].sum()
    mean, groups = 10 * 11 / 4, (4, 3, 3)
    variance = 10 * 11 * 21 / 24 - sum(t**3 - t for t in groups) / 48
    z = (plus - mean) / math.sqrt(variance)
    assert (found.plus, found.method) == (plus, "approximation")
    assert found.p == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=1e-12)


@pytest.mark.parametrize("differences", [[0.1], [0.1, 0.1], [0.1, -0.1], [0.1] * 30])
def test_few_or_equal_differences_give_a_p_value(differences):
    found = significance.compare(np.array(differences), np.zeros(len(differences)))
    assert 0 < found.p <= 1
    assert found.better(0.05) == (len(differences) == 30)


def test_rounding_errors_are_no_difference():
    one = np.array([0.1 + 0.2, 0.7])
    found = significance.compare(one, np.array([0.3, 0.7]))
    assert math.isnan(found.p)
    assert not found.better(0.05)


def test_the_test_of_two_teams_is_the_same_from_both_sides():
    rng = np.random.default_rng(5)
    clips = [rng.random(30), rng.random(30) + 0.4, rng.random(30)]
    found = significance.matrix(clips)
    assert [found[i][i] for i in range(3)] == [None] * 3
    for i, j in itertools.combinations(range(3), 2):
        assert found[i][j].p == found[j][i].p
        assert found[i][j].plus == found[j][i].minus
    assert found[1][0].better(0.05)
    assert not found[0][1].better(0.05)
    assert not found[0][2].better(0.05)


def test_equality_with_the_level_is_significant():
    assert significance.Comparison(0.05, 5, 10, 5, "exact").better(0.05)
    assert not significance.Comparison(0.05, 5, 5, 10, "exact").better(0.05)
