"""Ranks, Kendall's tau, and the bootstrap over videos."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from scrubin.evaluate.metrics import bootstrap
from scrubin.evaluate.ranking import measures, stability

TIED = st.integers(0, 4).map(lambda value: value / 4)


@given(arrays(float, st.integers(1, 9), elements=TIED))
def test_ranks_are_those_of_competitions(scores):
    assert stability.ranks_of(scores).tolist() == stats.rankdata(-scores, method="min").tolist()


def test_scores_that_differ_by_rounding_share_a_rank():
    assert stability.ranks_of(np.array([0.1 + 0.2, 0.3, 0.31])).tolist() == [2, 2, 1]


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(*(arrays(float, n, elements=TIED) for _ in range(2)))))
def test_tau_is_that_of_scipy(pair):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = stats.kendalltau(*pair).statistic
    assert stability.tau_b(*pair) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("by_class", [True, False])
def test_every_resample_is_the_ranking_of_its_videos(by_class):
    rng = np.random.default_rng(0)
    hidden = rng.random((4, 6)) < 0.3  # undefined for all teams alike
    values = [np.where(hidden, np.nan, rng.random((4, 6))) for _ in range(3)]
    found = stability.resample(values, by_class, resamples=50, seed=7)
    draws = bootstrap.draws(4, 50, 7)
    for row, draw in enumerate(draws):
        scores = np.array([measures.score(of_team[draw], by_class) for of_team in values])
        assert found.scores[row] == pytest.approx(scores, abs=1e-12)
        assert found.ranks[row].tolist() == stats.rankdata(-scores, method="min").tolist()
    shares = found.share_of_ranks()
    assert shares.shape == (3, 3)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares[1][0] == np.mean([rank == 1 for rank in found.ranks[:, 1]])


def test_an_undefined_draw_is_left_out_and_all_undefined_is_undefined():
    values = [np.array([[np.nan], [0.5]]), np.array([[np.nan], [0.7]])]
    found = stability.resample(values, by_class=True, resamples=200, seed=0)
    assert 0 < len(found.ranks) < 200
    assert set(found.taus.tolist()) == {1.0}
    none = stability.resample([np.full((2, 1), np.nan)] * 2, by_class=True, resamples=20)
    assert len(none.ranks) == 0
    assert np.isnan(none.share_of_ranks()).all()
    assert all(math.isnan(bound) for bound in stability.interval(none.taus))


def test_one_video_gives_one_ranking():
    found = stability.resample([np.array([[0.5]]), np.array([[0.6]])], by_class=True, resamples=20)
    assert {tuple(row) for row in found.ranks.tolist()} == {(2, 1)}


@pytest.mark.parametrize("power", [-8, -6, -3, 0, 3, 6, 9])
def test_ranks_and_methods_of_values_of_any_size_are_those_of_exact_numbers(power):
    rng = np.random.default_rng(power + 20)
    for _ in range(20):
        whole = rng.integers(10**6, 10**7, 6) + rng.integers(0, 3, (5, 6))
        values = np.array([[float(f"{value}e{power - 6}") for value in row] for row in whole.tolist()])
        means = stats.rankdata(-whole.sum(axis=1), method="min").tolist()
        every = {one.name: one.ranks.tolist() for one in stability.every(values, np.zeros(values.shape, bool), [0] * 5)}
        assert every["mean_then_rank"] == means
        assert every["median_then_rank"] == stats.rankdata(-np.median(whole, axis=1), method="min").tolist()
        by_video = np.stack([stats.rankdata(-column, method="min") for column in whole.T], axis=1)
        assert every["rank_then_mean"] == stats.rankdata(by_video.sum(axis=1), method="min").tolist()
        for one in stability.each([row[:, None] for row in values], by_class=False):
            left = np.delete(whole, one.video, axis=1).sum(axis=1)
            assert one.ranks.tolist() == stats.rankdata(-left, method="min").tolist()


def test_means_that_are_equal_but_for_rounding_share_a_rank_also_where_large_values_cancel():
    values = [np.array([[1_000_000.1], [-1_000_000.0]]), np.array([[1_000_000.3], [-1_000_000.2]])]
    found = stability.resample(values, by_class=False, resamples=20)
    assert {tuple(ranks) for ranks in found.ranks.tolist()} <= {(1, 1), (1, 2), (2, 1)}
    assert stability.ranks_of(np.array([0.1 + 1e-10, 0.1]), largest=np.array([0.0, 1e6])).tolist() == [1, 1]
    every = stability.every(np.stack([of[:, 0] for of in values]), np.zeros((2, 2), bool), [0, 0])
    assert every[0].ranks.tolist() == [1, 1]


@pytest.mark.parametrize("scores", [[0.1 + 0.2 - 0.3, 0, 0], [0, 1 - 0.9999999999999999, 0], [1e-5, 1 - 0.99999, 1e-5]])
def test_noise_of_numbers_around_1_makes_no_ranks_near_0(scores):
    assert stability.ranks_of(np.array(scores)).tolist() == [1, 1, 1]
    assert math.isnan(stability.tau_b(np.array(scores), np.array([1.0, 2.0, 3.0])))


def test_tiny_scores_that_differ_have_ranks():
    assert stability.ranks_of(np.array([1e-9, 2e-9, 3e-15, 1e-15])).tolist() == [2, 1, 3, 4]


def test_one_large_value_of_a_team_leaves_the_ranks_of_the_others():
    rows = np.linspace(0.1, 0.17, 8) + np.array([[0.0], [0.05], [0.1]])
    rows[2, 5] = 1e11
    for sign in (1, -1):
        values = [sign * row[:, None] for row in rows]
        lower = sign > 0
        every = stability.every(sign * rows, np.zeros(rows.shape, bool), [2, 1, 0], lower_is_better=lower)
        assert {tuple(one.ranks.tolist()) for one in every} == {(1, 2, 3)}
        assert {tuple(one.ranks.tolist()) for one in stability.each(values, by_class=False, lower_is_better=lower)} == {(1, 2, 3)}
        found = stability.resample(values, by_class=False, resamples=50, lower_is_better=lower)
        assert {tuple(ranks[:2]) for ranks in found.ranks.tolist()} <= {(1, 2), (1, 3)}
        scores = np.array([[row.mean(), 0.5] for row in rows])
        both = stability.combined(sign * scores, lower_is_better=lower, largest=np.stack([rows.max(axis=1), [0.5] * 3], axis=1))
        assert both.by_scores.tolist() == both.by_ranks.tolist() == both.ranks[:, 0].tolist() == [1, 2, 3]
