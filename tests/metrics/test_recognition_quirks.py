"""Each known difference from the definition on a minimal example."""

import math

import numpy as np
import pytest

import recognition_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import pooled, video_wise
from scrubin.evaluate.metrics.recognition.compat import QUIRKS
from scrubin.evaluate.metrics.recognition.top_k import top_classes, top_k

SMALL = cases.small_map()
RNG = np.random.default_rng(0)
LABELS = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 0, 0, 1]]
SCORES = [[0.9, 0.1, 0.3, 0.2, 0.6], [0.8, 0.4, 0.3, 0.1, 0.7], [0.7, 0.2, 0.3, 0.3, 0.5]]
VIDEO = TripletVideo("a", LABELS, SCORES)


def published(*videos, **options):
    return compat.of_videos(videos or [VIDEO], SMALL, **options)


def opened(**options):
    """Return the published accumulator with one open video."""
    running = compat.Recognition(SMALL, **options)
    running.update(LABELS, SCORES)
    return running


def undefined_class():
    # AP of triplet 0 is (1 + 2/3) / 2, of 1 it is 1, of 4 it is 1/3; 2 and 3 have no positive.
    known = (5 / 6 + 1 + 1 / 3) / 3
    assert video_wise([VIDEO], SMALL)["ivt"].overall.value == pytest.approx(known)
    assert published().compute_video_ap().overall.value == pytest.approx(known)
    collapsed = published(scikit_learn=">=1.6").compute_video_ap()
    assert collapsed.overall.value == pytest.approx(known * 3 / 5)
    assert (collapsed.classes["2"].value, collapsed.overall.n) == (0.0, 5)


def tied_scores():
    even = TripletVideo("a", LABELS, np.full((3, 5), 0.5))
    for result in (video_wise([even], SMALL)["ivt"], published(even).compute_video_ap(), published(even).compute_global_ap()):
        assert [result.classes[key].value for key in "014"] == pytest.approx([2 / 3, 1 / 3, 1 / 3])


def videos_weigh_the_same():
    short, long = TripletVideo("a", [[1, 0, 0, 0, 0]], np.zeros((1, 5))), TripletVideo("b", np.eye(4, 5, dtype=int), np.zeros((4, 5)))
    for result in (video_wise([short, long], SMALL)["ivt"], published(short, long).compute_video_ap()):
        assert result.classes["0"].value == (1 + 1 / 4) / 2
        assert result.classes["1"].value == 1 / 4
    for result in (pooled([short, long], SMALL)["ivt"], published(short, long).compute_global_ap()):
        assert result.classes["0"].value == pytest.approx(2 / 5)


def null_triplets_last():
    eight = triplet_map([[0, 0, n] for n in range(8)], null=[0])
    video = TripletVideo("a", np.ones((1, 8)), np.zeros((1, 8)))
    assert list(video_wise([video], eight, ignore_null=True)["ivt"].classes) == [str(n) for n in range(1, 8)]
    old = compat.of_videos([video], eight)
    assert list(old.compute_video_ap("ivt", ignore_null=True).classes) == ["0", "1"]
    assert old.compute_video_ap("t", ignore_null=True).classes == old.compute_video_ap("t").classes
    # Fewer than six are all dropped.
    assert published().compute_video_ap("ivt", ignore_null=True).classes == {}
    assert math.isnan(published().compute_video_ap("ivt", ignore_null=True).overall.value)


def ignore_null_of_the_constructor():
    assert opened(ignore_null=True).compute_ap().overall == opened().compute_ap().overall
    assert list(opened(ignore_null=True).compute_ap().classes) == list("01234")


def top_k_ties():
    tied = TripletVideo("a", [[0, 0, 0, 0, 1]], np.zeros((1, 5)))
    ours = top_k([tied], SMALL, 2)
    assert (ours.result.overall.value, ours.least, ours.most) == (0.0, 0.0, 1.0)
    assert published(tied).top_k(2).overall.value == 0.0


def top_k_without_positives():
    nothing = TripletVideo("a", np.zeros((2, 5)), np.zeros((2, 5)))
    assert math.isnan(top_k([nothing], SMALL, 2).result.overall.value)
    assert published(nothing).top_k(2).overall.value == 0.0


def top_class_undefined():
    listed = published().top_class(4)
    assert [position for position, _ in listed] == [1, 0, 4, 2]
    assert math.isnan(listed[3][1])
    assert [name for name, _ in top_classes(pooled([VIDEO], SMALL)["ivt"], 4)] == ["1", "0", "4"]
    assert published(scikit_learn=">=1.6").top_class(5)[3:] == [(2, 0.0), (3, 0.0)]


def pending_frames():
    running = opened()
    for count, call in enumerate((running.compute_video_ap, running.compute_global_ap, running.top_k, running.top_class), start=1):
        call()
        assert (running.closed_frames, running.pending_frames) == ([3] * count, 3)
    running.compute_ap()
    running.video_end()
    assert (running.closed_frames, running.pending_frames) == ([3] * 5, 0)
    running.compute_video_ap()
    assert running.closed_frames == [3] * 5


def reset_keeps_closed_videos():
    running = opened()
    running.compute_video_ap()
    running.reset()
    assert (running.closed_frames, running.pending_frames) == ([3], 0)
    running.reset_global()
    assert running.closed_frames == []


def no_open_video():
    for component in ("ivt", "i"):
        with pytest.raises(MetricsError, match="no frames"):
            published().compute_ap(component)
    with pytest.raises(MetricsError, match="no video is closed and none is open"):
        compat.Recognition(SMALL).compute_global_ap()


def empty_video():
    empty = TripletVideo("b", np.empty((0, 5)), np.empty((0, 5)))
    with pytest.raises(MetricsError, match="no frames"):
        published(VIDEO, empty).compute_video_ap()
    assert published(VIDEO, empty).compute_global_ap().overall == published().compute_global_ap().overall
    assert published(empty).top_k().overall.value == 0.0
    assert video_wise([VIDEO, empty], SMALL)["ivt"].overall == video_wise([VIDEO], SMALL)["ivt"].overall


def unknown_component():
    running = opened()
    for number, call in enumerate((running.compute_video_ap, running.compute_global_ap), start=1):
        with pytest.raises(MetricsError, match="no component 'vt'"):
            call("vt")
        assert running.closed_frames == [3] * number
    with pytest.raises(MetricsError, match="no component 'vt'"):
        running.compute_ap("vt")
    with pytest.raises(MetricsError, match="no component 'vt'"):
        video_wise([VIDEO], SMALL, ["vt"])


def positions_for_ids():
    held = cases.cholect50()
    video = TripletVideo("a", np.ones((1, 100)), np.zeros((1, 100)))
    assert list(video_wise([video], held, ["iv"])["iv"].classes)[3] == "8"
    assert list(compat.of_videos([video], held).compute_video_ap("iv").classes)[3] == "3"


def other_class_counts():
    for columns in (2, 4, 6):
        running = compat.Recognition(SMALL, columns)
        labels, scores = np.eye(columns, dtype=int), RNG.random((columns, columns))
        running.update(labels, scores)
        assert len(running.compute_ap().classes) == columns
        if columns < 5:
            with pytest.raises(MetricsError, match=f"but there are {columns} classes"):
                running.compute_ap("i")
        else:
            exact = compat.Recognition(SMALL)
            exact.update(labels[:, :5], scores[:, :5])
            assert running.compute_ap("i").classes == exact.compute_ap("i").classes
    one = compat.Recognition(SMALL, 1)
    one.update([[1], [0]], [[0.5], [0.4]])
    with pytest.raises(MetricsError, match="single class"):
        one.compute_ap()
    with pytest.raises(MetricsError, match="4 classes, expected 5"):
        video_wise([TripletVideo("a", np.eye(4), np.eye(4))], SMALL)


def map_of_90_rows():
    short = triplet_map(SMALL.ids[:4])
    with pytest.raises(MetricsError, match="5 classes, expected 4"):
        video_wise([VIDEO], short)
    running = compat.Recognition(short, 5)
    running.update(LABELS, SCORES)
    # The verb of the last triplet is gone without a word.
    assert (len(running.compute_ap("v").classes), len(opened().compute_ap("v").classes)) == (2, 3)


def unchecked_frames():
    for labels, scores in ((LABELS, SCORES[:2]), (np.array(LABELS) * 2, SCORES), (LABELS, np.full((3, 5), math.nan))):
        running = compat.Recognition(SMALL)
        with pytest.raises(MetricsError, match="frames from 0 of the open video"):
            running.update(labels, scores)
        assert running.pending_frames == 0
        with pytest.raises(MetricsError, match="video a"):
            video_wise([TripletVideo("a", labels, scores)], SMALL)


def precision_of_scores():
    close = TripletVideo("a", [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], np.array([[0.5 + 2**-40], [0.5]]) * np.ones((1, 5)))
    for result in (video_wise([close], SMALL)["ivt"], published(close).compute_video_ap()):
        assert result.classes["0"].value == 1.0


EXAMPLES = {
    example.__name__.replace("_", "-"): example
    for example in (
        undefined_class,
        tied_scores,
        videos_weigh_the_same,
        null_triplets_last,
        ignore_null_of_the_constructor,
        top_k_ties,
        top_k_without_positives,
        top_class_undefined,
        pending_frames,
        reset_keeps_closed_videos,
        no_open_video,
        empty_video,
        unknown_component,
        positions_for_ids,
        other_class_counts,
        map_of_90_rows,
        unchecked_frames,
        precision_of_scores,
    )
}


@pytest.mark.parametrize("name", [one.name for one in QUIRKS])
def test_the_example_of_a_quirk_holds(name):
    EXAMPLES[name]()


def test_every_example_is_of_a_quirk_and_names_are_unique():
    assert sorted(EXAMPLES) == sorted(one.name for one in QUIRKS)
    assert [one.origin for one in QUIRKS if one.name == "top-k-ties"] == ["bug"]


def test_an_unknown_release_of_scikit_learn_is_refused():
    with pytest.raises(MetricsError, match=r"scikit-learn '1\.4' is not known"):
        compat.Recognition(SMALL, scikit_learn="1.4")
