"""Kendall's tau-b, quadratic kappa and the ceiling of raters: against scipy and scikit-learn on random scores with ties."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import skill


@pytest.fixture(scope="module")
def random_scores():
    rng = np.random.default_rng(11)
    drawn = []
    for number in range(60):
        n, levels = int(rng.integers(2, 40)), int(rng.integers(2, 8))
        x = rng.integers(1, levels + 1, n)
        y = np.clip(x + rng.integers(-2, 3, n), 1, levels) if number % 2 else rng.integers(1, levels + 1, n)
        drawn.append((x.astype(float), y.astype(float)))
    return drawn


def test_tau_is_that_of_scipy(random_scores):
    for x, y in random_scores:
        for values in ((x, y), (x + 0.0137 * np.arange(len(x)), y)):
            found = skill.tau(*values).overall
            assert found.value == pytest.approx(stats.kendalltau(*values).statistic, abs=1e-12, nan_ok=True)
            assert found.n == len(x)


def test_quadratic_kappa_is_that_of_scikit_learn(random_scores):
    for x, y in random_scores:
        if len({*x, *y}) > 1:
            expected = cohen_kappa_score(x, y, weights="quadratic", labels=range(1, 9))
            assert skill.kappa(x, y).overall.value == pytest.approx(expected, abs=1e-12)


def test_values_that_differ_by_rounding_are_ties():
    assert skill.kendall([0.1 + 0.2, 0.3, 1], [1, 2, 3]) == skill.kendall([0.3, 0.3, 1], [1, 2, 3])
    assert math.isnan(skill.kendall([0.1 + 0.2, 0.3], [1, 2]))


def test_one_level_on_both_sides_has_no_kappa():
    assert math.isnan(skill.kappa([3, 3], [3, 3]).overall.value)
    assert skill.kappa([3, 3], [2, 2]).overall.value == 0


def test_recordings_without_rating_do_not_count():
    assert skill.kappa([1, math.nan, 3], [1, 2.5, 3]).overall.n == 2
    # What is undefined for another reason than that there is nothing still says how many recordings were compared.
    for undefined in (skill.kappa([2, 2, math.nan], [2, 2, 2]), skill.tau([1, 2, math.nan], [2, 2, 2])):
        assert (undefined.overall.defined, undefined.overall.n) == (False, 2)
    assert skill.tau([1, math.nan, 3], [1, 2.5, 3]).overall.n == 2


@pytest.mark.parametrize(("x", "y", "what"), [([1, 2.5], [1, 2], "rating 2.5"), ([1, 2], [1, 2.5], "prediction 2.5")])
def test_continuous_scores_have_no_levels(x, y, what):
    with pytest.raises(MetricsError, match=f"{what} is no level; quadratic kappa needs whole numbers"):
        skill.kappa(x, y)


def test_the_ceiling_holds_each_rater_against_the_mean_of_the_others():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4)) / 2
    scores[rng.random(scores.shape) < 0.4] = math.nan
    scores[0] = [1, math.nan, math.nan, math.nan]
    _, rho, tau = skill.ceiling(scores, list("abcd"), "bessel")
    for at, name in enumerate("abcd"):
        rated = [
            (row[at], np.nanmean(np.delete(row, at)))
            for row in scores[1:]
            if not math.isnan(row[at]) and np.isfinite(np.delete(row, at)).any()
        ]
        own, others = zip(*rated, strict=True)
        assert rho.classes[name].value == pytest.approx(stats.spearmanr(own, others).statistic, abs=1e-12)
        assert tau.classes[name].value == pytest.approx(stats.kendalltau(own, others).statistic, abs=1e-12)
        assert rho.classes[name].n == len(rated)
    assert rho.overall.value == pytest.approx(np.mean([one.value for one in rho.classes.values()]), abs=1e-12)
    assert rho.overall.n == 4


def test_one_rater_has_no_ceiling():
    assert all(math.isnan(one.overall.value) for one in skill.ceiling(np.array([[1.0], [2.0], [3.0]]), ["a"], "bessel"))


@pytest.mark.parametrize("statistic", [skill.kendall, skill.quadratic_kappa])
@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([1, 3], [1, 2, 3], "2 values but 3 predictions"),
        ([1, 2, 3], [1, 3], "3 values but 2 predictions"),
        ([], [1], "0 values but 1 predictions"),
        ([1, math.nan, 3], [1, 2, 3], "the value of video 1 is nan"),
        ([1, 2, 3], [1, 2, math.inf], "the other value of video 2 is inf"),
        ([[1, 2]], [[1, 2]], r"the values have the shape \(1, 2\)"),
        (np.ma.array([1, 2], mask=[0, 1]), [1, 2], "the values: some values are masked"),
    ],
)
def test_what_are_no_paired_values_is_refused(statistic, x, y, sentence):
    with pytest.raises(MetricsError, match=sentence):
        statistic(x, y)


def test_quadratic_kappa_rounds_nothing_and_counts_large_levels_exactly():
    with pytest.raises(MetricsError, match=r"the value 1\.9 is no level"):
        skill.quadratic_kappa([1.9, 2, 3], [1, 2, 3])
    large = 2.0**60
    assert skill.quadratic_kappa([large, 2 * large, 3 * large], [large, 3 * large, 2 * large]) == skill.quadratic_kappa(
        [1, 2, 3], [1, 3, 2]
    )
    assert math.isnan(skill.quadratic_kappa([], []))
    assert math.isnan(skill.kendall([], []))
