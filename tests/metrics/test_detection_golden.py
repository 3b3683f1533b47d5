"""Every number of the golden detection files."""

import copy
import math

import numpy as np
import pytest

import detection_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics, video
from scrubin.evaluate.metrics.detection.association import counts
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
from scrubin.evaluate.metrics.detection.matching import hits_at, ranked

TOLERANCE = 1e-9
INTERPOLATIONS = {"step": "step", "interp11": "11-point", "interp101": "101-point linear"}
SCOPES = {"video": "video-wise", "global": "global"}
PROGRAMS = {"ivtmetrics_0.1.5": "0.1.5", "ivtmetrics_git_0.1.2": "0.1.2"}
THRESHOLDS = (0.5, 0.3)


def values_of(result):
    return np.array([value.value for value in result.classes.values()])


def compare(got, expected, component):
    """Every key of a golden result: class arrays, their means, association shares."""
    for key, value in expected.items():
        if isinstance(value, dict):
            np.testing.assert_allclose(values_of(got[key]), cases.numbers(value, cases.SIZES[component]), rtol=0, atol=TOLERANCE)
        else:
            name = key if key in cases.ASSOCIATION else key[1:]
            assert got[name].overall.value == pytest.approx(cases.number(value), abs=TOLERANCE, nan_ok=True)


def compare_call(call, expected, component, *further):
    """What a call returns, or that it names the error with which the published program ends."""
    if "raises" in expected:
        with pytest.raises(MetricsError, match=expected["raises"].split(":")[0]):
            call(component, *further)
    else:
        compare(call(component, *further), expected, component)


@pytest.fixture(params=cases.CASES)
def case(request):
    golden = cases.golden(request.param)
    return checked(cases.study_of(golden["videos"])), golden["expected"]


def one_after_the_other(videos):
    """Lower by next to nothing what has a confidence of its frame again: equals are one threshold here, and not in the literal reading."""
    apart = copy.deepcopy(videos)
    for frame in (frame for of_video in apart for frame in of_video):
        seen = []
        for row in frame["pd"]:
            seen.append(row[2])
            row[2] -= 1e-9 * (seen.count(row[2]) - 1)
    return apart


@pytest.mark.parametrize("name", cases.CASES)
def test_the_paper_reading_is_golden(name):
    golden = cases.golden(name)
    scene, expected = checked(cases.study_of(one_after_the_other(golden["videos"]))), golden["expected"]
    for component, of_component in expected["paper_reading"].items():
        for scope, full in SCOPES.items():
            for interpolation, numbers in of_component[scope].items():
                options = {"interpolation": INTERPOLATIONS[interpolation], "scope": full}
                for key in ("AP@0.5", "AP@0.3", "AP@50:95"):
                    if key == "AP@50:95":
                        got = average_precision_range(scene, component, **options)
                    else:
                        got = average_precision(scene, component, threshold=float(key[3:]), **options)
                    compare({key: got}, {key: numbers[key], f"m{key}": numbers[f"m{key}"]}, component)
                    assert got.overall.n == np.count_nonzero(~np.isnan(values_of(got)))


def test_counts_of_annotations_detections_and_hits_are_golden(case):
    scene, expected = case
    one = ranked(scene)
    for component, of_component in expected["paper_reading"].items():
        size = cases.SIZES[component]
        truth, found = one.truth.classes[component], one.predictions.classes[component]
        hits = found[hits_at(one, component, 0.5)]
        got = np.stack([np.bincount(ids, minlength=size) for ids in (truth, found, hits)], axis=1).tolist()
        assert {str(id_): row for id_, row in enumerate(got) if row[0]} == {
            id_: row for id_, row in of_component["counts@0.5"].items() if row[0]
        }


@pytest.mark.parametrize("name", [case for case in cases.CASES if case != "crowded"])
def test_best_confidence_of_the_paper_is_golden_where_the_matching_is(name):
    """The golden numbers are of the published first fit, which differs in crowded frames."""
    golden = cases.golden(name)
    scene = checked(cases.study_of(golden["videos"]))
    for threshold in THRESHOLDS:
        for key, expected in golden["expected"]["ivtdmetrics"][f"threshold_{threshold}"]["conf_sorted_PRF1"].items():
            scope, component = key.split("_")
            best = at_best_confidence(scene, component, threshold=threshold, scope=SCOPES[scope])
            compare({"Rec": best.recall, "Pre": best.precision, "F1": best.f1}, expected, component)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("in_place", [True, False])
def test_ivtmetrics_is_golden(case, program, in_place):
    scene, expected = case
    for threshold in THRESHOLDS:
        of_program = expected[program][f"threshold_{threshold}" + ("" if in_place else "_iou_copy")]
        options = {"program": PROGRAMS[program], "in_place": in_place}
        published = compat_ivtmetrics.of_videos(scene, threshold, **options)
        for component in ("ivt", "i"):
            compare_call(published.compute_video_ap, of_program["compute_video_AP"][component], component)
            compare_call(published.compute_global_ap, of_program["compute_global_AP"][component], component)
        if "tas_counts_per_video" in of_program:
            assert published.association_counts()[:-1] == of_program["tas_counts_per_video"]
        running = compat_ivtmetrics.Detection(cases.SIZES, threshold, **options)
        for at, last in enumerate(of_program["compute_AP_last_video"]):
            running.update(video(scene, at))
            running.video_end()
            for component, values in last.items():
                compare(running.compute_ap(component), values, component)


@pytest.mark.parametrize("style", ["coco", "11point"])
def test_ivtdmetrics_is_golden(case, style):
    scene, expected = case
    for threshold in THRESHOLDS:
        of_threshold = expected["ivtdmetrics"][f"threshold_{threshold}"]
        published = compat_ivtdmetrics.of_videos(scene, threshold)
        assert published.association_counts()[:-1] == of_threshold["tas_counts_per_video"]
        running = compat_ivtdmetrics.Detection(cases.SIZES, threshold)
        for component in cases.SIZES:
            of_style = of_threshold[style]
            compare_call(published.compute_video_ap, of_style["compute_video_AP"][component], component, style)
            compare_call(published.compute_global_ap, of_style["compute_global_AP"][component], component, style)
        for at, last in enumerate(of_style["compute_AP_last_video"]):
            running.update(video(scene, at))
            running.video_end()
            for component, values in last.items():
                compare_call(running.compute_ap, values, component, style)


def test_ivtdmetrics_fed_with_sorted_confidences_is_golden(case):
    scene, expected = case
    for threshold in THRESHOLDS:
        published = compat_ivtdmetrics.of_videos(scene, threshold, sorted_confidence=True)
        for key, values in expected["ivtdmetrics"][f"threshold_{threshold}"]["conf_sorted_PRF1"].items():
            scope, component = key.split("_")
            call = published.compute_video_ap if scope == "video" else published.compute_global_ap
            compare(call(component), values, component)


@pytest.mark.parametrize("frame", cases.golden("tas")["frames"], ids=lambda frame: frame["name"])
def test_association_of_single_frames_is_golden(frame):
    study = cases.one_frame(frame["gt"], frame["pd"])
    assert dict(zip(cases.ASSOCIATION, counts(study)[0].tolist(), strict=True)) == frame["paper_reading"]
    for program, module in (("ivtmetrics_0.1.5", compat_ivtmetrics), ("ivtdmetrics", compat_ivtdmetrics)):
        published = module.of_videos(study)
        assert published.association_counts()[0] == frame[program]["counts"]
        for name, ratio in frame[program]["ratios"].items():
            assert published.compute_video_ap()[name].overall.value == pytest.approx(cases.number(ratio), abs=TOLERANCE, nan_ok=True)


@pytest.mark.parametrize("program", [*PROGRAMS, "ivtdmetrics"])
def test_the_published_state_is_golden(program):
    """An op log of one object: what calls return, and what they leave behind."""
    scene = checked(cases.study_of(cases.golden("basic")["videos"], ("ivt", "i")))
    if program in PROGRAMS:
        published = compat_ivtmetrics.Detection(scene.sizes, program=PROGRAMS[program])
    else:
        published = compat_ivtdmetrics.Detection(scene.sizes)
    calls = {
        "update": lambda number: published.update(video(scene, number)),
        "video_end": published.video_end,
        "reset": published.reset,
        "reset_global": published.reset_global,
        "compute_AP": published.compute_ap,
        "compute_video_AP": published.compute_video_ap,
        "compute_global_AP": published.compute_global_ap,
    }
    for step in cases.golden("state")[program]:
        if "raises" in step:
            with pytest.raises(MetricsError):
                calls[step["op"]](*step["args"])
        else:
            got = calls[step["op"]](*step["args"])
            if "mAP" in step:
                wanted = math.nan if step["mAP"] is None else step["mAP"]
                assert got["AP"].overall.value == pytest.approx(wanted, abs=TOLERANCE, nan_ok=True)
        assert (published.video_count, published.accumulators) == (step["video_count"], step["accumulators"])
