"""Bootstrap intervals: draws, percentiles, and draws of what was counted once, which are those of repeated videos to the last bit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import detection_cases
import draws
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import bootstrap, error_recognition, skill
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics, video
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
from scrubin.evaluate.metrics.detection.matching import draw as drawn_scene
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import of_per_video, per_video, pooled, tables, video_wise
from scrubin.evaluate.metrics.result import Result, Value, Variant
from scrubin.evaluate.metrics.variants import COMPONENTS

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


def test_bounds_are_linear_percentiles_of_the_draws():
    values = np.arange(9.0) ** 2
    found = draws.interval(mean_of(values), names(9), resamples=101, level=0.9)
    drawn = [values[draw].mean() for draw in bootstrap.draws(9, 101)]
    np.testing.assert_allclose([found.low.value, found.high.value], np.quantile(drawn, [0.05, 0.95]), rtol=0, atol=1e-12)
    assert (found.value, found.low.n, found.high.n) == (Value(values.mean(), 9), 101, 101)


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


TRIPLETS = triplet_map([[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 0, 1], [2, 0, 0], [2, 2, 2], [0, 2, 2]], null=[5, 6])
DRAWS = [[3, 0, 3, 1, 1], [4, 4, 2, 4, 2], [1, 4]]


def same(one, other):
    """Equal variants, values, counts, classes and videos, undefined ones included."""
    assert repr(one) == repr(other)


@pytest.fixture(params=["float32", "ties", "mixed", "rare"])
def videos(request):
    rng = np.random.default_rng(len(request.param))
    held = []
    for number in range(5):
        frames = (40, 1, 25, 0 if request.param == "rare" else 7, 60)[number]
        labels = rng.random((frames, 7)) < (0.02 if request.param == "rare" else 0.2)
        scores = rng.random((frames, 7)) + 0.4 * labels
        if request.param == "ties":
            scores = np.round(scores * 4) / 4
        if request.param != "mixed" or number % 2:
            scores = scores.astype(np.float32)
        held.append(TripletVideo(f"v{number}", labels, scores))
    return held


def renamed(one, suffix):
    return replace(one, name=one.name + suffix)


@pytest.mark.parametrize("ignore_null", [False, True])
def test_draws_of_recognition_are_those_of_repeated_videos(videos, ignore_null):
    by_video, table = per_video(videos, TRIPLETS), tables(videos, TRIPLETS, ignore_null=ignore_null)
    for positions in map(np.array, DRAWS):
        repeated = draws.repeated(videos, positions, renamed)
        averaged = video_wise(repeated, TRIPLETS, ignore_null=ignore_null)
        together = pooled(repeated, TRIPLETS, ignore_null=ignore_null)
        for name in COMPONENTS:
            same(of_per_video(by_video[name].take(positions), TRIPLETS, name, ignore_null=ignore_null), averaged[name])
            same(table[name].take(positions), together[name])
    assert table["ivt"].names == tuple(one.name for one in videos)


@pytest.mark.parametrize("scikit_learn", ["<=1.5", ">=1.6"])
def test_draws_of_published_recognition_are_those_of_repeated_videos(videos, scikit_learn):
    videos = [one for one in videos if len(one.targets)]
    published = compat.of_videos(videos, TRIPLETS, scikit_learn=scikit_learn)
    for positions in (np.array(draw) % len(videos) for draw in DRAWS):
        whole = compat.of_videos(draws.repeated(videos, positions, renamed), TRIPLETS, scikit_learn=scikit_learn)
        drawn = published.take(positions)
        for name in COMPONENTS:
            same(drawn.compute_video_ap(name), whole.compute_video_ap(name))
            same(drawn.compute_global_ap(name, ignore_null=True), whole.compute_global_ap(name, ignore_null=True))
            same(drawn.top_k(2, name), whole.top_k(2, name))


def test_published_recognition_goes_on_after_a_draw(videos):
    first, *others = [one for one in videos if len(one.targets)]
    published, whole = (compat.of_videos([first], TRIPLETS) for _ in range(2))
    drawn = published.take(np.array([0, 0]))
    for one in (published, whole):
        one.update(others[0].targets, others[0].scores)
        with pytest.raises(MetricsError, match="still open; end it before videos are drawn"):
            one.take(np.array([0]))
        one.video_end()
        same(one.compute_global_ap(), compat.of_videos([first, others[0]], TRIPLETS).compute_global_ap())
        same(
            one.take(np.array([1, 1])).compute_global_ap(),
            compat.of_videos([others[0]], TRIPLETS).take(np.array([0, 0])).compute_global_ap(),
        )
    drawn.update(others[0].targets, others[0].scores)
    drawn.video_end()
    assert (drawn.closed_frames, published.closed_frames) == ([len(one.targets) for one in (first, first, others[0])], whole.closed_frames)


def test_published_recognition_fails_where_it_would_without_draws():
    """A pool without any frame, and a single class."""
    empty, full = (TripletVideo(name, np.zeros((frames, 7)), np.zeros((frames, 7))) for name, frames in (("a", 0), ("b", 2)))
    published = compat.of_videos([empty, full], TRIPLETS)
    same(published.take(np.array([0, 1])).compute_global_ap(), published.compute_global_ap())
    with pytest.raises(MetricsError, match="a video has no frames"):
        published.take(np.array([0, 0])).compute_global_ap()
    alone = compat.of_videos([TripletVideo("a", [[1], [0]], [[0.5], [0.4]])], triplet_map([[0, 0, 0]])).take(np.array([0]))
    with pytest.raises(MetricsError, match="fails with a single class"):
        alone.compute_global_ap()


@pytest.fixture(params=["crowded", "edge"])
def nested(request):
    return detection_cases.golden(request.param)["videos"]


def repeated_scene(nested, positions):
    """The same draw as nested lists, checked and matched anew."""
    study = detection_cases.study_of([nested[at] for at in positions])
    return checked(replace(study, names=[f"{at}#{number}" for number, at in enumerate(positions)]))


def test_draws_of_detection_are_those_of_repeated_videos(nested):
    scene = checked(detection_cases.study_of(nested))
    for positions in (np.array(draw) % len(nested) for draw in DRAWS):
        one, other = drawn_scene(scene, positions), repeated_scene(nested, positions)
        for scope in ("global", "video-wise"):
            for name in ("ivt", "t"):
                for interpolation in ("step", "101-point linear"):
                    options = {"interpolation": interpolation, "scope": scope}
                    same(average_precision(one, name, **options), average_precision(other, name, **options))
                same(average_precision_range(one, name, scope=scope), average_precision_range(other, name, scope=scope))
                same(at_best_confidence(one, name, scope=scope), at_best_confidence(other, name, scope=scope))
            same(association(one, scope=scope), association(other, scope=scope))
        twice = drawn_scene(one, np.array([0, 0]))
        same(average_precision(twice), average_precision(replace(repeated_scene(nested, positions[[0, 0]]), names=twice.names)))


@pytest.mark.parametrize("module", [compat_ivtmetrics, compat_ivtdmetrics])
def test_draws_of_published_detection_are_those_of_repeated_videos(nested, module):
    scene = checked(detection_cases.study_of(nested))
    published = module.of_videos(scene)
    for positions in (np.array(draw) % len(nested) for draw in DRAWS):
        whole, drawn = module.of_videos(repeated_scene(nested, positions)), published.take(positions)
        for name in ("ivt", "i"):
            same(drawn.compute_video_ap(name), whole.compute_video_ap(name))
            same(drawn.compute_ap(name), whole.compute_ap(name))
        if module is compat_ivtdmetrics:
            same(drawn.compute_global_ap(), whole.compute_global_ap())
        assert drawn.association_counts() == whole.association_counts()
    published.update(video(scene, 0))
    with pytest.raises(MetricsError, match="a video is still open"):
        published.take(np.array([0]))


def test_several_intervals_are_those_of_single_metrics():
    rng = np.random.default_rng(1)
    ratings, predictions = rng.random(12), rng.random(12)
    truth = {"a": (rng.random(12) < 0.1).astype(int), "b": (rng.random(12) < 0.5).astype(int)}
    found = {name: (rng.random(12) < 0.5).astype(int) for name in truth}
    names = [f"v{number:02d}" for number in range(12)]

    def metrics(at):
        of_errors = ({name: values[at] for name, values in side.items()} for side in (truth, found))
        return [skill.score("ccc", ratings[at], predictions[at]), error_recognition.score("balanced accuracy", *of_errors)]

    both = bootstrap.intervals(metrics, names, resamples=60, level=0.9, seed=4)
    single = [draws.interval(lambda at, which=which: metrics(at)[which], names, resamples=60, level=0.9, seed=4) for which in (0, 1)]
    same(both, single)
    assert both[0].low.value < both[0].value.value < both[0].high.value


def test_metrics_must_stay_the_same_between_draws():
    one = skill.score("mae", [1.0], [2.0])
    lengths = iter([2, 1])
    with pytest.raises(MetricsError, match="there were 2 metrics, then 1, between draws"):
        bootstrap.intervals(lambda _: [one] * next(lengths), ["a"], resamples=1)
    assert bootstrap.intervals(lambda _: [], ["a"], resamples=3) == []
