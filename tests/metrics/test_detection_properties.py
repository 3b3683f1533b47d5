"""What must hold of any study: order does not matter, and boxes stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import detection_cases as cases
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
from scrubin.evaluate.metrics.detection.matching import iou
from scrubin.evaluate.metrics.variants import BOX_SCOPES, INTERPOLATIONS

# Coordinates on a coarse grid make ties and degenerate boxes likely.
EIGHTHS = st.integers(0, 8).map(lambda at: at / 8)
ROWS = st.builds(
    lambda triplet, score, box: [triplet, triplet % 2, score, triplet % 3, triplet % 2, *box],
    st.integers(0, 3),
    st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]),
    st.tuples(EIGHTHS, EIGHTHS, EIGHTHS, EIGHTHS),
)
FRAMES = st.fixed_dictionaries({"gt": st.lists(ROWS, max_size=4), "pd": st.lists(ROWS, max_size=5)})
VIDEOS = st.lists(st.lists(FRAMES, max_size=4), min_size=1, max_size=3)


def everything(study):
    """All numbers of the paper semantics as one list."""
    scene = checked(study)
    found = []
    for scope in BOX_SCOPES:
        for interpolation in INTERPOLATIONS:
            options = {"interpolation": interpolation, "scope": scope}
            found += [average_precision(scene, "ivt", **options), average_precision_range(scene, "i", **options)]
        best = at_best_confidence(scene, "v", scope=scope)
        found += [best.precision, best.recall, best.f1, *association(scene, scope=scope).values()]
    return [(value.value, value.n) for one in found for value in (one.overall, *one.classes.values())]


@pytest.mark.slow
@given(VIDEOS, st.randoms(use_true_random=False))
def test_the_order_of_frames_rows_and_videos_changes_nothing(videos, random):
    mixed = [[{side: random.sample(rows, len(rows)) for side, rows in both.items()} for both in video] for video in videos]
    mixed = [random.sample(video, len(video)) for video in random.sample(mixed, len(mixed))]
    np.testing.assert_allclose(everything(cases.study_of(mixed)), everything(cases.study_of(videos)), rtol=0, atol=1e-12)


@pytest.mark.slow
@given(VIDEOS)
def test_nothing_changes_the_arrays_given(videos):
    study = cases.study_of(videos)
    arrays = [
        array
        for rows in (study.truth, study.predictions)
        for array in (rows.videos, rows.frames, *rows.classes.values(), rows.boxes, rows.scores)
    ]
    before = [np.array(array) for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    everything(study)
    compat_ivtmetrics.of_videos(study).compute_video_ap()
    compat_ivtdmetrics.of_videos(study).compute_video_ap()
    assert all(np.array_equal(one, other) for one, other in zip(arrays, before, strict=True))
    scene = checked(study)
    compat_ivtmetrics.of_videos(scene)
    np.testing.assert_array_equal(scene.truth.boxes, checked(study).truth.boxes)


def test_iou_of_equal_boxes_is_exactly_one():
    boxes = np.random.default_rng(0).uniform(0.01, 1, (10_000, 4))
    assert (iou(boxes, boxes) == 1).all()


def test_splitting_an_update_changes_no_published_number():
    golden = cases.golden("basic")["videos"][0]
    whole, parts = compat_ivtmetrics.Detection(cases.SIZES), compat_ivtmetrics.Detection(cases.SIZES)
    whole.update(cases.study_of([golden]))
    for at in range(0, len(golden), 7):
        parts.update(cases.study_of([golden[at : at + 7]]))
    assert repr(parts.compute_ap()) == repr(whole.compute_ap())


@pytest.mark.parametrize(
    ("box", "area", "expected"),
    [
        ([0.2, 0.0, 0.3, 0.25], 0, [1, 0, 0, 0, 0, 0, 1]),  # IoU 0.6, too large when grown twice
        ([0.1, 0.0, 0.2, 0.25], 6 / 11, [0, 1, 0, 0, 0, 0, 1]),  # IoU 0.4, large enough when grown twice
    ],
)
def test_detections_do_not_grow_in_the_published_association(box, area, expected):
    """Boxes at the origin never grow; the small one is compared first."""
    annotated = [[0, 0, 1, 0, 0, *one] for one in ([0.0, 0.0, 0.5, 0.25], [0.0, 0.0, 0.0625, 0.0625])]
    published = compat_ivtmetrics.of_videos(cases.one_frame(annotated, [[0, 0, 0.9, 0, 0, *box]]))
    assert published.compute_video_ap()["AP"].overall.value == pytest.approx(area)
    assert list(published.association_counts()[0].values()) == expected
