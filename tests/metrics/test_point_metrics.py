"""Points: the ten numbers of pycocotools, and distances that can be counted by hand."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.points import PointRows, PointStudy, distances, similarity

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/data/metrics/points_pycocotools.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def references():
    spec = importlib.util.spec_from_file_location("point_references", ROOT / "benchmarks/point_references.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(*instances, scores=None):
    """Instances (frame, class, points): a point is x, y in px, None where it is not known; boxes of 100 x 50 px."""
    places = np.array([[(0, 0) if point is None else point for point in of] for *_, of in instances], float).reshape(-1, 2, 2)
    known = np.array([[point is not None for point in of] for *_, of in instances], bool).reshape(-1, 2)
    count = len(instances)
    return PointRows(
        np.array([frame for frame, *_ in instances], np.int64),
        {"i": np.array([class_ for _, class_, _ in instances], np.int64)},
        places,
        known,
        np.tile([10.0, 10.0, 100.0, 50.0], (count, 1)),
        np.full(count, 5000.0),
        np.ones(count) if scores is None else np.array(scores, float),
        np.zeros(count, bool),
    )


def study(truth, found, videos=((0, 2),)):
    starts = np.array([0, *(end for _, end in videos)])
    images = np.tile([300.0, 400.0], (starts[-1], 1))
    names = tuple(f"v{at}" for at in range(len(videos)))
    return PointStudy(names, starts, (("tip", "hinge"), ("tip", "end")), images, truth, found)


def values(of, within=(0.1,), reference="box", confidence=0.0, draw=None):
    every = distances.measured(of, within, reference, confidence).results({}, draw)
    return {(one.variant.metric, one.variant.options["averaged"].split()[-1]): one for one in every}


def overall(found, metric, averaged="together"):
    one = found[f"points {metric}", averaged].overall
    return one.value, one.n


@pytest.mark.parametrize("number", range(len(GOLDEN["studies"])))
def test_the_ten_numbers_are_those_that_pycocotools_gave(references, number):
    case = GOLDEN["studies"][number]
    assert references.by_ours(case) == pytest.approx(case["values"], abs=1e-12)


def test_the_ten_numbers_are_those_of_pycocotools_on_other_studies(references):
    for seed in range(900, 906):
        case = references.drawn(np.random.default_rng(seed), ties=False)
        assert references.by_ours(case) == pytest.approx(references.by_pycocotools(case), abs=1e-12)


@pytest.mark.parametrize("flat", [False, True])
def test_files_have_the_ten_numbers_of_pycocotools_also_where_points_lie_on_one_line_or_there_is_one(references, flat):
    few = set()
    for seed in range(920, 932):
        case = references.drawn(np.random.default_rng(seed), ties=False)
        case = references.flattened(case) if flat else case
        few.add(len(case["sigmas"][0]))
        assert references.by_files(case) == pytest.approx(references.by_pycocotools(case), abs=1e-12)
    assert {1, 2} & few


def test_a_study_that_is_right_has_a_precision_of_one_and_no_error():
    truth = rows((0, 0, [(20, 20), (60, 30)]), (1, 1, [(20, 20), None]))
    of = study(truth, truth)
    assert similarity.results(similarity.matched(of, np.full((2, 2), 0.05)), {})[0].overall.value == pytest.approx(1)
    found = values(of)
    assert overall(found, "PCK") == (1, 3)
    assert overall(found, "error px") == (0, 3)


def test_a_point_is_right_up_to_the_share_of_the_longer_side():
    truth = rows((0, 0, [(20, 20), (60, 30)]))
    found = rows((0, 0, [(30, 20), (60, 40.5)]))
    assert overall(values(study(truth, found)), "PCK") == (0.5, 2)
    assert overall(values(study(truth, found)), "error px") == (10.25, 2)
    assert overall(values(study(truth, found), (0.02,), "image"), "PCK") == (0.5, 2)
    assert overall(values(study(truth, found), (10.5,), "px"), "PCK") == (1, 2)


def test_a_point_that_nobody_predicted_is_not_right_and_has_no_error():
    truth = rows((0, 0, [(20, 20), (60, 30)]), (1, 0, [(20, 20), (60, 30)]))
    found = rows((0, 0, [(20, 20), None]))
    of = values(study(truth, found))
    assert overall(of, "PCK") == (0.25, 4)
    assert overall(of, "found") == (0.25, 4)
    assert overall(of, "error px") == (0, 1)


def test_a_point_that_is_not_labelled_does_not_count():
    truth = rows((0, 0, [(20, 20), None]))
    found = rows((0, 0, [(20, 20), (300, 300)]))
    assert overall(values(study(truth, found)), "PCK") == (1, 1)


def test_two_instances_of_a_class_are_put_together_as_they_lie():
    truth = rows((0, 0, [(20, 20), (60, 30)]), (0, 0, [(220, 220), (260, 230)]))
    found = rows((0, 0, [(221, 220), (261, 230)]), (0, 0, [(22, 20), (62, 30)]))
    assert overall(values(study(truth, found)), "error px") == (1.5, 4)


def test_a_prediction_of_another_class_or_below_the_confidence_is_none():
    truth = rows((0, 0, [(20, 20), (60, 30)]))
    assert overall(values(study(truth, rows((0, 1, [(20, 20), (60, 30)])))), "found") == (0, 2)
    unsure = rows((0, 0, [(20, 20), (60, 30)]), scores=[0.4])
    assert overall(values(study(truth, unsure), confidence=0.5), "found") == (0, 2)
    assert overall(values(study(truth, unsure), confidence=0.4), "found") == (1, 2)


def test_numbers_are_by_video_by_class_and_by_point():
    truth = rows((0, 0, [(20, 20), (60, 30)]), (1, 1, [(20, 20), (60, 30)]))
    found = rows((0, 0, [(20, 20), (160, 30)]), (1, 1, [(20, 20), (60, 30)]))
    of = values(study(truth, found, ((0, 1), (1, 2))))
    assert {name: one.value for name, one in of["points PCK", "together"].videos.items()} == {"v0": 0.5, "v1": 1}
    assert {name: one.value for name, one in of["points PCK", "classes"].classes.items()} == {"0": 0.5, "1": 1}
    assert {name: (one.value, one.n) for name, one in of["points PCK", "points"].classes.items()} == {
        "tip": (1, 2),
        "hinge": (0, 1),
        "end": (1, 1),
    }
    assert overall(of, "PCK", "points") == (pytest.approx(2 / 3), 3)


def test_drawn_videos_count_as_often_as_they_are_drawn(references):
    case = references.drawn(np.random.default_rng(5), ties=False)
    whole = replace(references.study_of(case), names=("a", "b"), starts=np.array([0, 3, case["frames"]]))
    draw, sigmas = np.array([1, 1, 0]), np.array(case["sigmas"])
    drawn = whole.drawn(draw)
    matched = similarity.matched(whole, sigmas)
    by_draw = [one.overall for one in similarity.results(matched, {}, draw)]
    assert by_draw == [one.overall for one in similarity.results(similarity.matched(drawn, sigmas), {})]
    of = distances.measured(whole, (0.1,), "image", 0.0).results({}, draw)
    assert [one.overall for one in of] == [one.overall for one in distances.measured(drawn, (0.1,), "image", 0.0).results({})]


def test_what_has_no_box_has_no_similarity_and_no_share_of_it():
    truth = replace(rows((0, 0, [(20, 20), (60, 30)])), boxes_px=np.full((1, 4), np.nan), areas_px2=np.array([np.nan]))
    with pytest.raises(MetricsError, match="has no area"):
        similarity.matched(study(truth, truth), np.full((2, 2), 0.05))
    with pytest.raises(MetricsError, match="1 annotated instances have no box"):
        values(study(truth, truth))
    assert overall(values(study(truth, truth), (3,), "px"), "PCK") == (1, 2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scores": np.ones(3)}, "'scores' has the shape"),
        ({"places": np.array([5])}, "frames are not in 0 to 1"),
        ({"places_px": np.full((1, 2, 2), np.nan)}, "not finite"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed, said):
    truth = rows((0, 0, [(20, 20), (60, 30)]))
    with pytest.raises(MetricsError, match=said):
        values(study(replace(truth, **changed), truth))
