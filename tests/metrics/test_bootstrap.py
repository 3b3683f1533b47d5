"""Bootstrap intervals: the draws, the percentiles, and metrics of every kind."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import draws
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import bootstrap, skill
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, rates
from scrubin.evaluate.metrics.phases.averaging import mean
from scrubin.evaluate.metrics.result import Result, Value, Variant

VARIANT = Variant("mean", "paper")


def mean_of(values):
    held = np.asarray(values, dtype=float)
    return lambda draw: Result(VARIANT, Value(math.fsum(held[draw]) / len(draw), len(draw)))


def names(count):
    return [f"video{number:03d}" for number in range(count)]


def literal_hash(number):
    """One step of the hash in whole numbers of Python."""
    mask = 2**64 - 1
    state = (number + 1) * 0x9E3779B97F4A7C15 & mask
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
    return state ^ state >> 31


@given(st.integers(1, 40), st.integers(1, 10), st.integers(0, 2**63 - 1))
def test_draws_are_the_literal_hash(videos, resamples, seed):
    found = bootstrap.draws(videos, resamples, seed)
    for row in range(resamples):
        key = literal_hash(literal_hash(seed) ^ row)
        assert found[row].tolist() == [(literal_hash(key ^ at) >> 32) * videos >> 32 for at in range(videos)]


def test_draws_never_change():
    assert bootstrap.draws(7, 2).tolist() == DRAWN
    assert bootstrap.draws(7, 500).tolist() == bootstrap.draws(7, 1000)[:500].tolist()


def test_draws_are_even_and_seeds_and_resamples_differ():
    found = bootstrap.draws(10, 20_000)
    counts = np.bincount(found.ravel(), minlength=10)
    # 20,000 expected of each; the standard deviation is 134.
    assert np.abs(counts - 20_000).max() < 5 * 134
    assert len({tuple(row) for row in found.tolist()}) > 19_990
    assert (bootstrap.draws(10, 50, 1) != bootstrap.draws(10, 50, 2)).any()
    # Neighbouring places are independent: about a tenth are equal.
    assert abs(np.mean(found[:, 1:] == found[:, :-1]) - 0.1) < 0.005


def test_the_interval_of_a_mean_is_that_of_theory():
    values = np.random.default_rng(0).normal(0.6, 0.1, 200)
    found = draws.interval(mean_of(values), names(200), resamples=4000)
    width = 1.96 * values.std() / math.sqrt(200)
    assert found.low.value == pytest.approx(values.mean() - width, abs=0.002)
    assert found.high.value == pytest.approx(values.mean() + width, abs=0.002)
    assert found.value.value == pytest.approx(values.mean())
    assert found.low.n == found.high.n == 4000


def test_bounds_are_linear_percentiles_of_the_draws():
    values = np.arange(9.0) ** 2
    found = draws.interval(mean_of(values), names(9), resamples=101, level=0.9)
    drawn = [values[draw].mean() for draw in bootstrap.draws(9, 101)]
    np.testing.assert_allclose([found.low.value, found.high.value], np.quantile(drawn, [0.05, 0.95]), rtol=0, atol=1e-12)


def test_the_order_of_the_videos_changes_nothing():
    values, listed = np.random.default_rng(1).random(12), names(12)
    order = np.random.default_rng(2).permutation(12)
    one = draws.interval(mean_of(values), listed, resamples=50)
    assert draws.interval(mean_of(values[order]), [listed[at] for at in order], resamples=50) == one


def test_the_variant_names_method_level_draws_and_seed():
    found = draws.interval(mean_of([1, 2]), ["a", "b"], resamples=20, seed=3, level=0.9)
    assert found.variant.name == "mean; paper; interval=bootstrap over videos, percentile (linear), level 0.9, 20 draws, seed 3"


def test_one_video_and_equal_videos_have_an_interval_without_width():
    for count in (1, 5):
        found = draws.interval(mean_of([0.25] * count), names(count), resamples=10)
        assert (found.low, found.high) == (Value(0.25, 10), Value(0.25, 10))


def test_draws_without_a_value_are_left_out_and_counted():
    ratings, predictions = np.array([1.0, math.nan, math.nan, 2.0]), np.array([1.5, 1.0, 1.0, 2.0])
    found = draws.interval(lambda draw: skill.score("mae", ratings[draw], predictions[draw]), names(4), resamples=400)
    without = np.count_nonzero(~np.isin(bootstrap.draws(4, 400), [0, 3]).any(axis=1))
    assert 0 < without == 400 - found.low.n
    assert (found.low.value, found.high.value) == (0, 0.5)
    undefined = draws.interval(lambda draw: skill.score("mae", ratings[[1]], predictions[[1]]), names(4), resamples=5)
    assert math.isnan(undefined.low.value)
    assert undefined.high.n == 0


def test_infinite_values_stay_infinite():
    found = draws.interval(lambda draw: Result(VARIANT, Value(math.inf, 1)), ["a"], resamples=5)
    assert (found.low.value, found.high.value) == (math.inf, math.inf)


def test_phase_metrics_by_matrices_and_by_lists_of_videos_agree():
    rng = np.random.default_rng(3)
    videos = [PhaseVideo(f"v{number}", rng.integers(0, 3, 30), rng.integers(0, 3, (2, 30))) for number in range(6)]
    confusions = confusions_of_videos(videos, 3)
    listed = [video.name for video in videos]

    def renamed(video, suffix):
        return replace(video, name=video.name + suffix)

    by_matrices = draws.interval(lambda draw: mean(rates.rate_elements(confusions.take(draw), "f1")), listed, resamples=30)
    by_lists = draws.interval(
        lambda draw: mean(rates.rate_elements(confusions_of_videos(draws.repeated(videos, draw, renamed), 3), "f1")), listed, resamples=30
    )
    assert by_matrices == by_lists
    assert by_matrices.low.value < by_matrices.value.value < by_matrices.high.value


def test_impossible_intervals_are_refused():
    changing = iter(range(100))
    refused = {
        "a video is given twice": lambda: draws.interval(mean_of([1, 2]), ["a", "a"]),
        "the level is 95": lambda: draws.interval(mean_of([1]), ["a"], level=95),
        "0 videos": lambda: draws.interval(mean_of([]), []),
        "0 resamples": lambda: bootstrap.draws(3, 0),
        "seed -1": lambda: bootstrap.draws(3, 1, -1),
        "seed 1.5": lambda: bootstrap.draws(3, 1, 1.5),
        "the metric changed from 'm0; paper' to 'm1; paper'": lambda: draws.interval(
            lambda draw: Result(Variant(f"m{next(changing)}", "paper"), Value(1.0, 1)), ["a"]
        ),
    }
    for sentence, call in refused.items():
        with pytest.raises(MetricsError, match=sentence):
            call()


DRAWN = [[4, 4, 0, 2, 3, 4, 2], [1, 3, 2, 1, 2, 0, 4]]
