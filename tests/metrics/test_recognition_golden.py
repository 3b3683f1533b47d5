"""Every number of the golden recognition files."""

import math

import numpy as np
import pytest

import recognition_cases as cases
from each import each
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.recognition import compat
from scrubin.evaluate.metrics.recognition.average_precision import per_video, pooled, video_wise
from scrubin.evaluate.metrics.recognition.top_k import top_classes, top_k
from scrubin.evaluate.metrics.variants import COMPONENTS

TOLERANCE = 1e-9
TRIPLETS = cases.cholect50()
KEYS = (*COMPONENTS, "ivt_ignore_null")


def component_of(key):
    return ("ivt", True) if key == "ivt_ignore_null" else (key, False)


def as_nan(value):
    return math.nan if value is None else value


def compare(result, expected):
    values = np.array([value.value for value in result.classes.values()])
    if "AP" in expected:
        np.testing.assert_allclose(values, cases.numbers(expected["AP"]), rtol=0, atol=TOLERANCE)
    assert result.overall.value == pytest.approx(as_nan(expected["mAP"]), abs=TOLERANCE, nan_ok=True)
    assert result.overall.n == np.count_nonzero(~np.isnan(values))


@each("case", cases.CASES)
@each("key", KEYS)
def test_both_semantics_give_the_golden_ap(case, key):
    expected, videos = cases.golden(case)["expected"], cases.golden_videos(case)
    name, ignore_null = component_of(key)
    published = compat.of_videos(videos, TRIPLETS)
    for got in (
        video_wise(videos, TRIPLETS, [name], ignore_null=ignore_null)[name],
        published.compute_video_ap(name, ignore_null),
    ):
        compare(got, expected["compute_video_AP"][key])
    for got in (
        pooled(videos, TRIPLETS, [name], ignore_null=ignore_null)[name],
        published.compute_global_ap(name, ignore_null),
    ):
        compare(got, expected["compute_global_AP"][key])


@each("case", cases.CASES)
def test_every_video_alone_is_golden(case):
    videos, expected = cases.golden_videos(case), cases.golden(case)["expected"]["compute_AP_per_video"]
    ours = per_video(videos, TRIPLETS)
    assert len(expected) == len(videos)
    for number, (video, values) in enumerate(zip(videos, expected, strict=True)):
        published = compat.Recognition(TRIPLETS)
        published.update(video.targets, video.scores)
        for key in values:
            name, ignore_null = component_of(key)
            compare(published.compute_ap(name, ignore_null), values[key])
            kept = TRIPLETS.kept(name, ignore_null)
            np.testing.assert_allclose(ours[name].values[number][kept], cases.numbers(values[key]["AP"]), rtol=0, atol=TOLERANCE)
            mean = video_wise([video], TRIPLETS, [name], ignore_null=ignore_null)[name].videos[video.name].value
            assert mean == pytest.approx(as_nan(values[key]["mAP"]), abs=TOLERANCE, nan_ok=True)


@each("case", cases.CASES)
@each("key", KEYS)
def test_the_collapse_with_a_newer_scikit_learn_is_golden(case, key):
    expected = cases.golden(case)["regressed_with_sklearn_ge_1_6"]
    published = compat.of_videos(cases.golden_videos(case), TRIPLETS, scikit_learn=">=1.6")
    compare(published.compute_video_ap(*component_of(key)), expected["compute_video_AP"][key])
    compare(published.compute_global_ap(*component_of(key)), expected["compute_global_AP"][key])


@each("case", cases.CASES)
@each("name", COMPONENTS)
def test_top_k_and_its_bounds_are_golden(case, name):
    videos = cases.golden_videos(case)
    published = compat.of_videos(videos, TRIPLETS)
    for k, expected in cases.golden(case)["topK"][name].items():
        ours = top_k(videos, TRIPLETS, int(k), name)
        assert ours.result.overall.value == pytest.approx(expected["stable_lowest_index_first"], abs=TOLERANCE)
        assert ours.least == pytest.approx(expected["min_over_tie_breaks"], abs=TOLERANCE)
        assert ours.most == pytest.approx(expected["max_over_tie_breaks"], abs=TOLERANCE)
        assert ours.least - TOLERANCE <= expected["ivtmetrics_here"] <= ours.most + TOLERANCE
        assert published.top_k(int(k), name).overall == ours.result.overall


@each("case", cases.CASES)
@each("name", COMPONENTS)
def test_the_best_classes_are_golden_up_to_the_order_of_equal_ones(case, name):
    videos, expected = cases.golden_videos(case), cases.golden(case)["expected"]["topClass10"][name]
    published = compat.of_videos(videos, TRIPLETS).top_class(10, name)
    np.testing.assert_allclose([value for _, value in published], cases.numbers([value for _, value in expected]), rtol=0, atol=TOLERANCE)
    everything = cases.golden(case)["expected"]["compute_global_AP"][name]["AP"]
    assert all(math.isnan(value) or value == pytest.approx(everything[position], abs=TOLERANCE) for position, value in published)
    ids = TRIPLETS.grouping(name).ids
    ours = top_classes(pooled(videos, TRIPLETS, [name])[name], 10)
    assert [(key, value.value) for key, value in ours] == [(str(ids[at]), value) for at, value in published if not math.isnan(value)]


@pytest.mark.parametrize("program", ["ivtmetrics_0.1.5", "ivtmetrics_git_0.1.2"])
def test_the_published_state_is_golden(program):
    """An op log of one object: what calls return, and what they leave behind."""
    videos = cases.golden_videos("nonull")
    published = compat.Recognition(TRIPLETS)
    calls = {
        "update": lambda number: published.update(videos[number].targets, videos[number].scores),
        "video_end": published.video_end,
        "reset": published.reset,
        "reset_global": published.reset_global,
        "compute_AP": published.compute_ap,
        "compute_video_AP": published.compute_video_ap,
        "compute_global_AP": published.compute_global_ap,
        "topK": published.top_k,
    }
    for step in cases.golden("state")[program]["log"]:
        if "raises" in step:
            with pytest.raises(MetricsError):
                calls[step["op"]](*step["args"])
        else:
            got = calls[step["op"]](*step["args"])
            if "AP" in step:
                compare(got, step)
            if "value" in step:
                assert got.overall.value == pytest.approx(step["value"], abs=TOLERANCE)
        assert (published.closed_frames, published.pending_frames) == (
            step["state_after"]["closed_videos"],
            step["state_after"]["pending_frames"],
        )
