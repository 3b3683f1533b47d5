"""Wilcoxon signed-rank tests between teams, against all sign patterns counted by hand."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from scrubin.evaluate.ranking import significance


def by_counting(differences: np.ndarray) -> float:
    """The two-sided p-value: the share of all sign patterns whose smaller rank sum is at most the observed one."""
    kept = differences[differences != 0]
    ranks = [float(one) for one in stats.rankdata(np.abs(kept))]  # of ties the mean, and so halves, which floats hold exactly
    total, observed = sum(ranks), sum(rank for rank, one in zip(ranks, kept, strict=True) if one > 0)
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


@pytest.mark.parametrize("seed", range(6))
def test_also_with_ties_the_p_value_is_the_share_of_sign_patterns(seed):
    differences = np.random.default_rng(seed).integers(-3, 6, 11) / 10
    kept = np.abs(differences[differences != 0]).tolist()
    found = significance.compare(differences, np.zeros(11))
    assert len(set(kept)) < len(kept), "the case has no ties"
    assert (found.method, found.p) == ("exact", pytest.approx(by_counting(differences), abs=1e-12))


@given(
    st.lists(
        st.floats(-1, 1).filter(lambda value: abs(value) > 1e-6), min_size=1, max_size=50, unique_by=lambda value: round(abs(value), 9)
    )
)
def test_without_ties_the_p_value_is_that_of_scipy(differences):
    wanted = stats.wilcoxon(np.round(differences, 12), method="exact").pvalue
    assert significance.compare(np.array(differences), np.zeros(len(differences))).p == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("units", [51, 52, 200, 3000])
def test_the_approximation_is_that_of_scipy_to_the_last_digit(units):
    rng = np.random.default_rng(units)
    for shift in (0.05, 0.15, 0.55, 9):
        for values in (rng.normal(size=units), rng.normal(size=units).round(1)):
            differences = np.round(values + shift, 12)
            wanted = stats.wilcoxon(differences, correction=False, method="asymptotic").pvalue
            assert significance.compare(differences, np.zeros(units)).p == float(wanted)


def test_the_tail_of_the_normal_distribution_is_that_of_scipy_to_the_last_digit():
    z = np.concatenate([np.linspace(0, 40, 20_001), np.abs(np.random.default_rng(3).normal(size=20_000)) * 4])
    assert [significance.normal_tail(one) for one in z.tolist()] == special.ndtr(-z).tolist()


def test_many_differences_take_the_normal_approximation_with_the_correction_for_ties():
    differences = np.tile([0.1, 0.1, 0.1, -0.1, 0.2, 0.2, 0.3, 0.3, 0.3, -0.2], 6)
    found = significance.compare(differences, np.zeros(60))
    groups = (24, 18, 18)
    ranks = {0.1: 12.5, 0.2: 24 + 9.5, 0.3: 42 + 9.5}
    plus = 18 * ranks[0.1] + 12 * ranks[0.2] + 18 * ranks[0.3]
    variance = 60 * 61 * 121 / 24 - sum(t**3 - t for t in groups) / 48
    z = (plus - 60 * 61 / 4) / math.sqrt(variance)
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


@pytest.mark.parametrize(("one", "other"), [(0.0, 1 - 0.9999999999999999), (1e-5, 1 - 0.99999), (0.1 + 0.2 - 0.3, 0.0)])
def test_noise_of_numbers_around_1_is_no_difference_near_0(one, other):
    assert significance.compare(np.full(8, one), np.full(8, other)).differences == 0
    assert significance.compare(np.full(8, one), np.full(8, one + 1e-9)).p == 2 / 2**8


@pytest.mark.parametrize("large", [0.0, 1e6, 1e13])
def test_a_large_value_leaves_the_differences_of_other_units(large):
    one, other = np.array([[large, 0.5, 0.6, 0.7, 0.8, 0.9], [large, 0.4, 0.5, 0.6, 0.65, 0.7]])
    assert (found := significance.compare(one, other)).p == 2 / 2**5
    assert (found.differences, found.plus) == (5, 15)
    # Nor does that of another team.
    third = np.full(6, 1e13)
    assert significance.matrix([one, other, third], "none")[0][1] == found
    # 0.1 three times, then 0.15 and 0.2: those of a million may be wrong by a millionth.
    assert significance.compare(np.array([1e6 + 0.1 + 1e-7, 0.2, 0.5]), np.array([1e6, 0.1, 0.7])).plus == 3


def test_many_teams_and_clips_are_compared_in_seconds():
    values = list(np.random.default_rng(0).random((40, 3000)).round(3))
    began = time.process_time()
    significance.matrix(values)
    assert time.process_time() - began < 1.2, "0.2 s of the processor; a loop over clips takes some 2 s"


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
    assert significance.TeamTest(0.01, 5, 10, 5, "exact", 0.05).better(0.05)
    assert not significance.TeamTest(0.01, 5, 5, 10, "exact", 0.05).better(0.05)
    assert not significance.TeamTest(0.01, 5, 10, 5, "exact", 0.06).better(0.05)


def test_holm_is_that_of_statsmodels():
    # multipletests(p, 0.05, "holm") of statsmodels 0.15: of eight p-values, two of them equal.
    p_values = [0.001, 0.04, 0.012, 0.3, 0.012, 0.9, 0.0065, 0.049]
    wanted = [0.008, 0.16, 0.072, 0.6, 0.072, 0.9, 0.0455, 0.16]
    assert significance.holm(p_values) == pytest.approx(wanted, abs=1e-12)
    # p.adjust(p, "holm") of R 4.2.2 leaves NA out of the count, too.
    assert significance.holm([*p_values, math.nan])[:8] == pytest.approx(wanted, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.001, 0.999))
def test_corrected_p_values_reject_what_the_procedure_of_holm_rejects(p_values, alpha):
    rejected = set()
    for place, at in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        if (len(p_values) - place) * p_values[at] > alpha:
            break
        rejected.add(at)
    assert {at for at, p in enumerate(significance.holm(p_values)) if p <= alpha} == rejected


@given(st.integers(1, 40), st.integers(1, 500), st.sampled_from([0.01, 0.05, 0.1]))
def test_units_needed_are_the_fewest_that_can_give_a_significant_difference(units, tests, alpha):
    smallest = significance.compare(np.arange(1.0, units + 1), np.zeros(units)).p
    assert smallest == pytest.approx(significance.smallest_p(units), rel=1e-12)
    assert (units >= significance.units_needed(tests, alpha)) == (tests * smallest <= alpha)


def test_with_five_videos_nothing_is_significant_and_with_six_only_a_single_pair():
    assert (significance.smallest_p(5), significance.smallest_p(6)) == (0.0625, 0.03125)
    six = [np.arange(6.0) + shift for shift in (0, 10)]
    assert significance.matrix(six)[1][0].better(0.05)
    assert not significance.matrix([*six, np.arange(6.0) + 20])[1][0].better(0.05)
    assert significance.matrix([*six, np.arange(6.0) + 20], "none")[1][0].better(0.05)


MAGNITUDES = [-9, -6, -3, 0, 3, 4, 6, 9]


def exact_p(differences):
    """The two-sided p-value of differences that are whole numbers; None where all are 0."""
    return None if not any(differences) else by_counting(np.array(differences, float))


@pytest.mark.parametrize("power", MAGNITUDES)
def test_tests_of_values_of_any_size_are_those_of_exact_numbers(power):
    rng = np.random.default_rng(power + 20)
    for _ in range(20):
        other = rng.integers(10**6, 10**7, 10).tolist()
        differences = rng.choice([-2, -1, 0, 1, 1, 1, 2, 2], 10).tolist()
        # Decimals as a table has them: seven digits, of which the last ones differ.
        both = [np.array([float(f"{value}e{power - 6}") for value in side]) for side in (np.add(other, differences), other)]
        found, wanted = significance.compare(*both), exact_p(differences)
        assert (None if math.isnan(found.p) else pytest.approx(found.p, abs=1e-12)) == wanted
        assert significance.matrix(both)[0][1] == found


def test_eight_of_ten_videos_won_by_a_tenth_at_a_million_are_not_significant():
    other = np.arange(1_000_000, 1_000_100, 10) + 0.3
    found = significance.compare(other + np.array([0.1] * 8 + [-0.1] * 2), other)
    assert found.p == pytest.approx(0.109375, abs=1e-12)
    assert not found.better(0.05)
