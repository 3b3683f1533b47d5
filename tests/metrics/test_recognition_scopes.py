"""Video-wise and global average precision, parts of triplets, videos one at a time: what must agree with what."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import recognition_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, disentangle, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import average_precision, per_video, pooled, video_wise
from scrubin.evaluate.metrics.result import Value, difference
from scrubin.evaluate.metrics.variants import COMPONENTS

SMALL = cases.small_map()


@st.composite
def studies(draw):
    """A few short videos with ties, empty ones among them."""
    videos = []
    for number in range(draw(st.integers(1, 5))):
        shape = (draw(st.integers(0, 12)), len(SMALL))
        labels = draw(npst.arrays(np.int8, shape, elements=st.integers(0, 1)))
        dtype = draw(st.sampled_from([np.float32, np.float64]))
        videos.append(TripletVideo(f"v{number}", labels, draw(npst.arrays(dtype, shape, elements=st.integers(0, 8).map(lambda n: n / 8)))))
    return videos


def by_hand(videos, component, ignore_null=False):
    """Video-wise and global values of the classes, with loops."""
    members = {}
    for triplet, (instrument, verb, target) in enumerate(SMALL.ids.tolist()):
        key = {"i": instrument, "v": verb, "t": target, "iv": 3 * instrument + verb, "it": 3 * instrument + target, "ivt": triplet}[
            component
        ]
        members.setdefault(key, []).append(triplet)
    if component == "ivt" and ignore_null:
        del members[4]
    rows = {}
    for key in sorted(members):
        labels = [[max(frame[members[key]], default=0) for frame in video.targets] for video in videos]
        scores = [[max(frame[members[key]]) for frame in video.scores] for video in videos]
        own = [cases.literal_ap(np.array(one), np.array(other)) for one, other in zip(labels, scores, strict=True)]
        defined = [value for value in own if not math.isnan(value)]
        everything = cases.literal_ap(np.concatenate(labels), np.concatenate(scores))
        rows[str(key)] = (math.fsum(defined) / len(defined) if defined else math.nan, len(defined), everything, int(sum(map(sum, labels))))
    return rows


def mean(values):
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


@pytest.mark.slow
@given(studies(), st.sampled_from(COMPONENTS), st.booleans())
def test_both_scopes_are_the_definition(videos, component, ignore_null):
    expected = by_hand(videos, component, ignore_null)
    video, whole = (scope(videos, SMALL, [component], ignore_null=ignore_null)[component] for scope in (video_wise, pooled))
    assert list(video.classes) == list(whole.classes) == list(expected)
    for key, (value, defined, everything, positives) in expected.items():
        assert video.classes[key].value == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert video.classes[key].n == defined
        assert whole.classes[key].value == pytest.approx(everything, abs=1e-12, nan_ok=True)
        assert whole.classes[key].n == positives
    assert video.overall.value == pytest.approx(mean([one[0] for one in expected.values()]), abs=1e-12, nan_ok=True)
    assert whole.overall.value == pytest.approx(mean([one[2] for one in expected.values()]), abs=1e-12, nan_ok=True)


def same(one, other):
    """Equal to the bit, NaN equal to NaN."""
    assert one.variant.name == other.variant.name
    np.testing.assert_array_equal(
        [v.value for v in (one.overall, *one.classes.values())], [v.value for v in (other.overall, *other.classes.values())]
    )
    assert [v.n for v in (one.overall, *one.classes.values())] == [v.n for v in (other.overall, *other.classes.values())]
    assert list(one.classes) == list(other.classes)


@pytest.mark.slow
@given(studies(), st.randoms(use_true_random=False))
def test_the_order_of_videos_never_shows(videos, random):
    shuffled = videos.copy()
    random.shuffle(shuffled)
    for scope in (video_wise, pooled):
        one, other = scope(videos, SMALL), scope(shuffled, SMALL)
        for component in COMPONENTS:
            same(one[component], other[component])


@pytest.mark.slow
@given(studies(), st.integers(0, 12))
def test_cutting_a_video_in_two_changes_nothing_global(videos, at):
    first = videos[0]
    cut = [
        TripletVideo("one", first.targets[:at], first.scores[:at]),
        TripletVideo("two", first.targets[at:], first.scores[at:]),
        *videos[1:],
    ]
    for component in COMPONENTS:
        same(pooled(videos, SMALL)[component], pooled(cut, SMALL)[component])


@pytest.mark.slow
@given(studies())
def test_one_video_is_the_same_in_both_scopes(videos):
    one = [videos[0]]
    for component in COMPONENTS:
        np.testing.assert_allclose(
            [value.value for value in video_wise(one, SMALL)[component].classes.values()],
            [value.value for value in pooled(one, SMALL)[component].classes.values()],
            rtol=0,
            atol=1e-15,
        )


@pytest.mark.slow
@given(studies(), st.sampled_from(COMPONENTS))
def test_parts_are_the_average_precision_of_the_parts(videos, component):
    for video, values in zip(videos, per_video(videos, SMALL, [component])[component].values, strict=True):
        targets, scores = disentangle(video.targets, SMALL, component), disentangle(video.scores, SMALL, component)
        np.testing.assert_array_equal(values, average_precision(targets, scores)[0])


def test_the_parts_of_cholect50_are_in_the_published_order():
    held = cases.cholect50()
    matrix = np.random.default_rng(0).random((7, 100))
    sizes = {"i": 6, "v": 10, "t": 15, "iv": 26, "it": 59, "ivt": 100}
    for component, count in sizes.items():
        ids = held.grouping(component).ids
        assert len(ids) == count
        assert disentangle(matrix, held, component).shape == (7, count)
        assert (np.diff(ids) > 0).all()
    assert held.grouping("iv").ids[:4].tolist() == [0, 1, 2, 8]
    assert held.null == (94, 95, 96, 97, 98, 99)
    # Instrument 4 occurs in triplets 77 to 81 and in its null triplet 98.
    np.testing.assert_array_equal(disentangle(matrix, held, "i")[:, 4], matrix[:, [77, 78, 79, 80, 81, 98]].max(axis=1))


def test_null_triplets_are_left_out_of_triplets_alone():
    labels, scores = np.eye(5, dtype=int), np.linspace(0, 1, 25).reshape(5, 5)
    videos = [TripletVideo("a", labels, scores)]
    with_null, without = video_wise(videos, SMALL), video_wise(videos, SMALL, ignore_null=True)
    assert list(without["ivt"].classes) == ["0", "1", "2", "3"]
    for component in COMPONENTS[:-1]:
        same(with_null[component], without[component])
    with pytest.raises(MetricsError, match="null"):
        difference(with_null["ivt"], without["ivt"])
    with pytest.raises(MetricsError, match="different metrics"):
        difference(with_null["ivt"], pooled(videos, SMALL)["ivt"])


def test_results_say_how_many_videos_classes_and_positives_are_behind_them():
    videos = [
        TripletVideo("a", [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]], np.zeros((2, 5))),
        TripletVideo("b", [[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]], np.zeros((2, 5))),
        TripletVideo("c", np.zeros((2, 5)), np.zeros((2, 5))),
    ]
    video, whole = video_wise(videos, SMALL)["ivt"], pooled(videos, SMALL)["ivt"]
    assert video.classes["0"] == Value(0.75, 2)
    assert video.classes["1"] == Value(0.5, 1)
    assert video.overall == Value(0.625, 2)
    assert (video.classes["2"].n, math.isnan(video.classes["2"].value)) == (0, True)
    assert video.videos["a"] == Value(1.0, 1)
    assert video.videos["b"] == Value(0.5, 2)
    assert not video.videos["c"].defined
    assert whole.classes["0"] == Value(0.5, 3)
    assert whole.classes["1"] == Value(1 / 6, 1)


def test_nothing_positive_anywhere_is_undefined():
    videos = [TripletVideo("a", np.zeros((3, 5)), np.ones((3, 5)))]
    for scope in (video_wise, pooled):
        overall = scope(videos, SMALL)["i"].overall
        assert (overall.n, math.isnan(overall.value)) == (0, True)


def peak_bytes(compute, videos):
    """What computing the metric of videos that are made one at a time takes at most."""
    tracemalloc.start()
    try:
        compute(videos)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_video_wise_scope_holds_one_video_at_a_time():
    rng = np.random.default_rng(0)
    videos = (TripletVideo(f"v{number}", rng.random((4000, 5)) < 0.1, rng.random((4000, 5))) for number in range(20))
    # The scores of one of the twenty videos are 160,000 bytes.
    assert peak_bytes(lambda every: video_wise(every, SMALL), videos) < 10 * 160_000


def test_the_global_scope_holds_little_beside_the_scores():
    rng = np.random.default_rng(0)
    triplets = triplet_map([[n % 8, n, 0] for n in range(64)])
    videos = (TripletVideo(f"v{n}", rng.random((1000, 64)) < 0.05, rng.random((1000, 64), dtype=np.float32)) for n in range(10))
    scores = 10 * 1000 * 64 * 4
    # The labels are bits; what is computed is a class at a time.
    assert peak_bytes(lambda every: pooled(every, triplets, "i"), videos) < 1.5 * scores


@pytest.mark.parametrize("dtype", [bool, np.int8])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("scope", [video_wise, pooled])
def test_videos_are_copied_so_that_a_buffer_may_be_used_again(dtype, order, scope):
    rng = np.random.default_rng(0)
    matrices = [(np.eye(5, dtype=dtype)[rng.permutation(5)], rng.random((5, 5))) for _ in range(3)]
    buffer = np.empty((5, 5), dtype=dtype, order=order), np.empty((5, 5), order=order)

    def one_buffer():
        for number, (labels, scores) in enumerate(matrices):
            buffer[0][:], buffer[1][:] = labels, scores
            yield TripletVideo(f"v{number}", *buffer)
        buffer[0][:], buffer[1][:] = 0, 0

    apart = [TripletVideo(f"v{number}", *one) for number, one in enumerate(matrices)]
    for component in COMPONENTS:
        same(scope(one_buffer(), SMALL)[component], scope(apart, SMALL)[component])


def test_batches_of_both_widths_are_compared_as_float64():
    narrow, wide = np.full((1, 5), 0.1, dtype=np.float32), np.full((1, 5), 0.1)
    published = compat.Recognition(SMALL)
    published.update(np.ones((1, 5)), wide)
    published.update(np.zeros((1, 5)), narrow)
    # float32(0.1) is larger than float64(0.1): the positive is second.
    assert published.compute_video_ap().overall.value == 0.5


def test_batches_of_other_widths_are_refused():
    published = compat.Recognition(SMALL)
    published.update(np.ones((2, 5)), np.zeros((2, 5)))
    with pytest.raises(MetricsError, match="frames from 2 of the open video: 4 classes, expected 5"):
        published.update(np.zeros((1, 4)), np.zeros((1, 4)))
    assert published.pending_frames == 2


@pytest.mark.parametrize("scope", [video_wise, pooled])
def test_scopes_refuse_what_cannot_be_used(scope):
    good = TripletVideo("a", np.zeros((2, 5)), np.zeros((2, 5)))
    with pytest.raises(MetricsError, match="no video is given"):
        scope([], SMALL)
    with pytest.raises(MetricsError, match="video a is given twice"):
        scope([good, good], SMALL)
    with pytest.raises(MetricsError, match="video b: 4 classes, expected 5"):
        scope([good, TripletVideo("b", np.zeros((2, 4)), np.zeros((2, 4)))], SMALL)
    with pytest.raises(MetricsError, match="no component 'x'"):
        scope([good], SMALL, ["x"])
    with pytest.raises(MetricsError, match="which of the 2 triplets are null is not known"):
        scope([TripletVideo("a", np.zeros((1, 2)), np.zeros((1, 2)))], triplet_map([[0, 0, 0], [0, 1, 0]]), ignore_null=True)


@pytest.mark.parametrize(
    ("ids", "options", "says"),
    [
        ([[0, 0]], {}, r"shape \(1, 2\)"),
        ([], {}, r"shape \(0,\)"),
        ([[0, 0, -1]], {}, "whole numbers from 0"),
        ([[0.0, 0, 1]], {}, "float64"),
        ([[0, 0, 1], [1, 0, 1], [0, 0, 1]], {}, "triplet 2 of the map has the same instrument, verb and target"),
        ([[0, 3, 1]], {"verbs": 3}, "does not fit 3 verbs; there must be at least 4"),
        ([[0, 3, 1]], {"targets": 1}, "does not fit 1 targets"),
        ([[0, 3, 1]], {"null": [1]}, r"null triplets \[1\] are not all among the 1 triplets"),
    ],
)
def test_maps_that_cannot_be_are_refused(ids, options, says):
    with pytest.raises(MetricsError, match=says):
        triplet_map(ids, **options)


def test_ids_of_pairs_follow_the_size_of_the_vocabulary():
    held = triplet_map([[1, 2, 0], [0, 1, 1]], verbs=10, targets=15)
    assert held.grouping("iv").ids.tolist() == [1, 12]
    assert held.grouping("it").ids.tolist() == [1, 15]


def test_a_matrix_of_other_width_cannot_be_taken_apart():
    with pytest.raises(MetricsError, match="does not fit a map of 5 triplets"):
        disentangle(np.zeros((2, 4)), SMALL, "i")
    with pytest.raises(MetricsError, match="no component 'vt'"):
        disentangle(np.zeros((2, 5)), SMALL, "vt")
