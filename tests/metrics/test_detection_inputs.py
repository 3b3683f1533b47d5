"""Bad boxes give one clear sentence, unusual ones a defined value."""

import dataclasses
import math

import numpy as np
import pytest

import detection_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy, checked, compat_ivtdmetrics, compat_ivtmetrics, video
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range, thresholds
from scrubin.evaluate.metrics.detection.matching import corners, iou
from scrubin.evaluate.metrics.result import difference

BOX = [0.25, 0.25, 0.5, 0.25]


def rows(n=2, **changed):
    columns = {
        "videos": [0] * n,
        "frames": list(range(n)),
        "classes": {"ivt": [0] * n, "i": [0] * n},
        "boxes": [BOX] * n,
        "scores": [0.9 - 0.1 * at for at in range(n)],
    }
    return BoxRows(**{**columns, **changed})


def study(predictions=None, truth=None, **changed):
    columns = {
        "names": ["a"],
        "lengths": [3],
        "sizes": {"ivt": 100, "i": 6},
        "truth": rows(scores=None) if truth is None else truth,
        "predictions": rows() if predictions is None else predictions,
    }
    return BoxStudy(**{**columns, **changed})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (study(names=[], lengths=[]), "no video is given"),
        (study(names=["a", "a"], lengths=[1, 1]), "a video is given twice"),
        (study(lengths=[3, 4]), r"1 videos but lengths \[3, 4\]"),
        (study(lengths=[-1]), r"lengths \[-1\]"),
        (study(lengths=[2.5]), "^row 0 of the lengths of videos is 2.5"),
        (study(sizes={}), "numbers of classes are missing"),
        (study(sizes={"ivt": 0, "i": 6}), "ivt: 0"),
        (study(sizes={"ivt": 100, "i": 6, "v": 10}), "annotations have no classes of the component v"),
        (study(rows(classes={"ivt": [0, 100], "i": [0, 0]})), "row 1: the class ivt of the predictions is 100, but there are 100 classes"),
        (study(rows(classes={"ivt": [0, -1], "i": [0, 0]})), "the class ivt of the predictions is -1"),
        (study(rows(classes={"ivt": [0, 0.5], "i": [0, 0]})), "row 1 of the classes ivt of the predictions is 0.5"),
        (study(rows(classes={"ivt": [0, math.nan], "i": [0, 0]})), "is nan; it must be a whole number"),
        (study(rows(classes={"ivt": [0], "i": [0, 0]})), r"2 videos but classes ivt of shape \(1,\)"),
        (study(rows(frames=[0, 3])), "row 1: the frame of the predictions is 3, but there are 3 frames"),
        (study(rows(videos=[0, 1])), "row 1: the video of the predictions is 1, but there are 1 videos"),
        (study(rows(scores=[0.5, math.nan])), "the score of row 1 of the predictions is nan"),
        (study(rows(scores=[0.5])), r"scores of shape \(1,\)"),
        (study(rows(scores=["high", "low"])), "scores of the predictions are of type <U4"),
        (study(rows(boxes=[BOX, [0, 0, math.inf, 1]])), "the box of row 1 of the predictions is"),
        (study(rows(boxes=[BOX[:3], BOX[:3]])), r"shape \(2, 3\) for 2 rows"),
        (study(rows(boxes=[BOX, BOX[:3]])), "rows of different lengths"),
        (study(rows(frames=[[0, 1]])), r"frames of the predictions have the shape \(1, 2\)"),
        (study(truth=rows(frames=[0, 9])), "frame of the annotations is 9"),
    ],
)
def test_a_bad_study_is_refused_with_its_first_fault(given, said):
    for compute in (
        average_precision,
        average_precision_range,
        at_best_confidence,
        association,
        compat_ivtmetrics.of_videos,
        compat_ivtdmetrics.of_videos,
    ):
        with pytest.raises(MetricsError, match=said):
            compute(given)


@pytest.mark.parametrize("threshold", [0, -0.5, 1.5, math.nan])
def test_a_threshold_must_be_above_0_and_at_most_1(threshold):
    for compute in (average_precision, at_best_confidence, association):
        with pytest.raises(MetricsError, match="IoU threshold is"):
            compute(study(), threshold=threshold)
    for module in (compat_ivtmetrics, compat_ivtdmetrics):
        with pytest.raises(MetricsError, match="IoU threshold is"):
            module.Detection({"ivt": 100, "i": 6}, threshold)


def test_unknown_names_are_refused_with_what_there_is():
    with pytest.raises(MetricsError, match="choose one of i, ivt"):
        average_precision(study(), "v")
    with pytest.raises(MetricsError, match="choose one of step, 11-point"):
        average_precision(study(), interpolation="12-point")
    with pytest.raises(MetricsError, match="choose one of global, video-wise"):
        average_precision(study(), scope="frames")
    with pytest.raises(MetricsError, match="choose global or video-wise"):
        association(study(), scope="frames")
    with pytest.raises(MetricsError, match=r"there are 0.1.5, 0.1.2"):
        compat_ivtmetrics.of_videos(study(), program="0.1.4")
    with pytest.raises(MetricsError, match="styles coco, 11point"):
        compat_ivtdmetrics.of_videos(study()).compute_ap("ivt", "12point")
    with pytest.raises(MetricsError, match="ivtdmetrics takes ivt and i"):
        compat_ivtdmetrics.Detection({"ivt": 100})
    with pytest.raises(MetricsError, match="ivtmetrics needs ivt and i"):
        compat_ivtmetrics.Detection({"i": 6})
    with pytest.raises(MetricsError, match="100 classes of ivt, but 90 were announced"):
        compat_ivtmetrics.Detection({"ivt": 90, "i": 6}).update(study())


@pytest.mark.parametrize("range_", [(95, 50, 5), (0, 95, 5), (50, 105, 5), (50, 95, 0), (0.5, 0.95, 0.05), (True, 95, 5)])
def test_a_range_of_thresholds_must_rise_within_whole_percent(range_):
    with pytest.raises(MetricsError, match="range of IoUs"):
        thresholds(*range_)


def test_confidences_out_of_0_to_1_are_refused_only_where_a_confidence_is_sought():
    logits = study(rows(scores=[3.0, -2.0]))
    assert average_precision(logits).overall.value == 1
    with pytest.raises(MetricsError, match="pass logits through a sigmoid"):
        at_best_confidence(logits)


def test_boxes_need_four_numbers():
    with pytest.raises(MetricsError, match="last axis must be left, top, width, height"):
        iou([0, 0, 1], [0, 0, 1])


def test_overlap_leaves_its_input_alone_and_degenerate_boxes_overlap_nothing():
    one, other = np.array([[0.5, 0.5, 0.25, 0.25]] * 3), np.array([[0.5, 0.5, 0.25, 0.25], [0.5, 0.5, 0.0, 0.25], [0.75, 0.5, -0.25, 0.25]])
    one.flags.writeable = other.flags.writeable = False
    assert iou(one, other).tolist() == [1, 0, 0]
    assert corners(one)[0].tolist() == [0.5, 0.5, 0.75, 0.75]


NOTHING = rows(0)


def test_empty_sides_are_undefined_or_zero():
    nothing, missed, false = study(NOTHING, NOTHING), study(NOTHING), study(None, NOTHING)
    for scope in ("global", "video-wise"):
        assert math.isnan(average_precision(nothing, scope=scope).overall.value)
        assert average_precision(nothing, scope=scope).overall.n == 0
        assert average_precision(missed, scope=scope).overall.value == 0
        assert at_best_confidence(missed, scope=scope).f1.overall.value == 0
        assert math.isnan(average_precision(false, scope=scope).overall.value)
        assert math.isnan(at_best_confidence(false, scope=scope).f1.overall.value)
        assert math.isnan(association(nothing, scope=scope)["LM"].overall.value)
        assert association(missed, scope=scope)["RFN"].overall.value == 1
        assert association(false, scope=scope)["RFP"].overall.value == 1


def test_videos_without_frames_and_of_one_frame_work():
    given = BoxStudy(["none", "one"], [0, 1], {"ivt": 2, "i": 2}, rows(1, videos=[1], scores=None), rows(1, videos=[1]))
    result = average_precision(given)
    assert (result.overall.value, result.overall.n) == (1, 1)
    assert math.isnan(result.videos["none"].value)
    assert (result.videos["one"].value, result.classes["0"].n, result.classes["1"].n) == (1, 1, 0)
    assert compat_ivtmetrics.of_videos(given).compute_video_ap()["AP"].overall.value == pytest.approx(1)
    assert compat_ivtdmetrics.of_videos(given).compute_video_ap()["AP"].overall.value == pytest.approx(0.995)


def test_constant_scores_are_one_threshold():
    truth = rows(2, scores=None)
    for order in ([BOX, [0, 0, 0.1, 0.1]], [[0, 0, 0.1, 0.1], BOX]):
        result = average_precision(study(rows(2, boxes=order, scores=[0.5, 0.5]), truth))
        assert result.overall.value == pytest.approx(0.5 * 0.5)


def test_videos_weigh_the_same_when_averaged_and_by_boxes_when_pooled():
    truth = rows(4, videos=[0, 1, 1, 1], frames=[0, 0, 1, 2], scores=None)
    found = rows(1, videos=[0])
    given = BoxStudy(["a", "b"], [1, 3], {"ivt": 1, "i": 1}, truth, found)
    assert average_precision(given).overall.value == 0.5
    assert average_precision(given, scope="global").overall.value == 0.25
    assert {name: value.value for name, value in average_precision(given).videos.items()} == {"a": 1, "b": 0}
    shares = association(given)
    assert shares["RFN"].videos["b"].n == 3
    assert shares["LM"].overall.value == 0.5
    assert association(given, scope="global")["LM"].overall.value == 0.25


def test_the_best_confidence_is_told_by_video():
    # F1 is 1 up to the lower score, and its mean over 100 confidences from 50 of them on: the lowest of equally good ones.
    best = at_best_confidence(study())
    assert best.confidences["a"].value == pytest.approx(50 / 999)
    assert best.confidences["a"].n == 1
    assert set(at_best_confidence(study(), scope="global").confidences) == {"all"}


def test_above_its_highest_confidence_a_class_has_precision_one_and_recall_zero():
    good = [[0, 0, 0.9, 0, 0, *BOX]]
    poor = [[1, 1, 0.3, 1, 1, *BOX]]
    false = [[0, 0, 0.5, 0, 0, 0, 0, 0.1, 0.1]]
    frames = [{"gt": good, "pd": good + false * 4}] * 5 + [{"gt": poor * 10, "pd": poor}]
    best = at_best_confidence(cases.study_of([frames]))
    assert 0.5 < best.confidences["0"].value < 0.9
    assert [result.classes["1"].value for result in (best.precision, best.recall, best.f1)] == [1, 0, 0]
    assert [result.classes["0"].value for result in (best.precision, best.recall, best.f1)] == pytest.approx([1, 1, 1], abs=0.2)


def test_of_boxes_that_overlap_equally_the_same_one_is_taken_in_any_order():
    left, right = [0, 0, 0, 0, 0, 0.0, 0.0, 0.5, 0.5], [0, 0, 0, 0, 0, 0.25, 0.0, 0.5, 0.5]
    between, beside = [0, 0, 0.9, 0, 0, 0.125, 0.0, 0.5, 0.5], [0, 0, 0.8, 0, 0, 0.25, 0.0, 0.5, 0.5]
    values = [average_precision(cases.one_frame(gt, [between, beside])).overall.value for gt in ([left, right], [right, left])]
    assert values == [1, 1]


def test_rows_need_not_be_in_order_of_frames_for_the_published_programs_either():
    given = cases.study_of(cases.golden("basic")["videos"])
    # Frames backwards; the rows of each stay as they are.
    mixed = [
        BoxRows(
            one.videos[order],
            one.frames[order],
            {name: ids[order] for name, ids in one.classes.items()},
            one.boxes[order],
            one.scores[order],
        )
        for one in (given.truth, given.predictions)
        for order in [np.lexsort((-one.frames, -one.videos))]
    ]
    other = dataclasses.replace(given, truth=mixed[0], predictions=mixed[1])
    for module in (compat_ivtmetrics, compat_ivtdmetrics):
        assert repr(module.of_videos(other).compute_video_ap()) == repr(module.of_videos(given).compute_video_ap())


def test_variants_tell_all_that_changes_the_number():
    names = set()
    for threshold in (0.5, 0.3):
        for interpolation in ("step", "11-point", "101-point", "101-point linear"):
            for scope in ("global", "video-wise"):
                for component in ("i", "ivt"):
                    names.add(
                        average_precision(study(), component, threshold=threshold, interpolation=interpolation, scope=scope).variant.name
                    )
    assert len(names) == 2 * 4 * 2 * 2
    published = compat_ivtmetrics.of_videos(study()).compute_video_ap()["AP"]
    with pytest.raises(MetricsError, match="different metrics"):
        difference(published, average_precision(study(), interpolation="11-point"))
    assert published.variant.semantics == "compat"


def test_a_scene_is_checked_once_and_gives_the_same():
    given = cases.study_of(cases.golden("basic")["videos"])
    scene = checked(given)
    assert checked(scene) is scene
    assert repr(average_precision(scene)) == repr(average_precision(given)) == repr(average_precision(scene))
    one = video(scene, 1)
    assert one.names == ("1",)
    assert average_precision(one).overall == average_precision(scene).videos["1"]


def test_results_of_a_scene_do_not_depend_on_what_was_asked_before():
    given = cases.study_of(cases.golden("crowded")["videos"])
    used = checked(given)
    average_precision_range(used)
    at_best_confidence(used, "i")
    association(used)
    published = [compat_ivtmetrics.of_videos(scene).compute_video_ap() for scene in (used, checked(given))]
    # Undefined values are unequal to themselves.
    assert repr(published[0]) == repr(published[1])
    assert repr(average_precision(used, scope="global")) == repr(average_precision(given, scope="global"))


def test_a_study_is_not_changed_by_what_is_done_to_the_arrays_later():
    boxes = np.array([BOX, BOX])
    scene = checked(dataclasses.replace(study(), truth=rows(boxes=boxes, scores=None)))
    boxes[:] = 0
    assert average_precision(scene).overall.value == 1
