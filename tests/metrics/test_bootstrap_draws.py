"""Draws of videos, counted once and drawn often: to the last bit what computing the metric of a list of repeated videos gives."""

from dataclasses import replace

import numpy as np
import pytest

import detection_cases
import draws
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import bootstrap, error_recognition, skill
from scrubin.evaluate.metrics import phases as confusions
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics, video
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
from scrubin.evaluate.metrics.detection.matching import draw as drawn_scene
from scrubin.evaluate.metrics.phases import PhaseVideo, rates, relaxed
from scrubin.evaluate.metrics.phases import compat as phase_compat
from scrubin.evaluate.metrics.phases.averaging import mean
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, top_k, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import of_per_video, per_video, pooled, tables, video_wise
from scrubin.evaluate.metrics.variants import COMPONENTS

TRIPLETS = triplet_map([[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 0, 1], [2, 0, 0], [2, 2, 2], [0, 2, 2]], null=[5, 6])
DRAWS = [[0, 1, 2, 3, 4], [4, 4, 4, 4, 4], [3, 0, 3, 1, 1], [2, 2, 2, 2, 2], [1, 4]]


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
def test_recognition(videos, ignore_null):
    by_video, table = per_video(videos, TRIPLETS), tables(videos, TRIPLETS, ignore_null=ignore_null)
    for positions in map(np.array, DRAWS):
        repeated = draws.repeated(videos, positions, renamed)
        averaged = video_wise(repeated, TRIPLETS, ignore_null=ignore_null)
        together = pooled(repeated, TRIPLETS, ignore_null=ignore_null)
        for name in COMPONENTS:
            same(of_per_video(by_video[name].take(positions), TRIPLETS, name, ignore_null=ignore_null), averaged[name])
            same(table[name].take(positions), together[name])
    assert table["ivt"].names == tuple(one.name for one in videos)


def test_top_k(videos):
    found = top_k.hits_by_video(videos, TRIPLETS, [1, 3], "it")
    size = len(TRIPLETS.grouping("it").ids)
    for positions in map(np.array, DRAWS):
        repeated = draws.repeated(videos, positions, renamed)
        ours = [top_k.accuracy(bootstrap.drawn(found[k], positions), k, "it", size) for k in (1, 3)]
        theirs = [top_k.top_k(repeated, TRIPLETS, k, "it") for k in (1, 3)]
        same(ours, theirs)


@pytest.mark.parametrize("scikit_learn", ["<=1.5", ">=1.6"])
def test_published_recognition(videos, scikit_learn):
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


@pytest.fixture(params=["basic", "crowded", "edge"])
def nested(request):
    return detection_cases.golden(request.param)["videos"]


def repeated_scene(nested, positions):
    """The same draw as nested lists, checked and matched anew."""
    study = detection_cases.study_of([nested[at] for at in positions])
    return checked(replace(study, names=[f"{at}#{number}" for number, at in enumerate(positions)]))


def test_detection(nested):
    scene = checked(detection_cases.study_of(nested))
    for positions in (np.array(draw) % len(nested) for draw in DRAWS[:4]):
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
def test_published_detection(nested, module):
    scene = checked(detection_cases.study_of(nested))
    published = module.of_videos(scene)
    for positions in (np.array(draw) % len(nested) for draw in DRAWS[:3]):
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


def test_phases():
    rng = np.random.default_rng(0)
    held = [PhaseVideo(f"v{number}", np.sort(rng.integers(0, 7, 50)), rng.integers(0, 7, (1, 50))) for number in range(5)]
    counted, loose, published = confusions.confusions_of_videos(held, 7), relaxed.count(held, 5), phase_compat.evaluations(held, 5)
    for positions in map(np.array, DRAWS):
        repeated = draws.repeated(held, positions, renamed)
        same(rates.results_of_choice(counted.take(positions)), rates.results_of_choice(confusions.confusions_of_videos(repeated, 7)))
        for rate in relaxed.RELAXED_RATES:
            same(mean(relaxed.elements(loose.take(positions), rate)), mean(relaxed.elements(relaxed.count(repeated, 5), rate)))
        same(mean(relaxed.accuracy(loose.take(positions))), mean(relaxed.accuracy(relaxed.count(repeated, 5))))
        same(
            phase_compat.results(phase_compat.summarised(published.take(positions))),
            phase_compat.results(phase_compat.main(repeated, 5)),
        )


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
