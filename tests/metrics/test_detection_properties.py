"""What must hold of any study: order does not matter, perfect is 1, boxes stay, and slow literal evaluations agree."""

import math

import numpy as np
import pytest
from faster_coco_eval import COCO as FasterCOCO
from faster_coco_eval import COCOeval_faster
from hypothesis import given
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import detection_cases as cases
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy, checked, compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.association import SCORES, association, counts
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range, thresholds
from scrubin.evaluate.metrics.detection.matching import hits_at, iou, ranked
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


def literal_overlap(one, other):
    """IoU of two rows by their definition."""
    width = min(one[5] + one[7], other[5] + other[7]) - max(one[5], other[5])
    height = min(one[6] + one[8], other[6] + other[8]) - max(one[6], other[6])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (one[7] * one[8] + other[7] * other[8] - width * height)


def literal_hits(frames, threshold, column):
    """Score and truth of every detection of a list of frames, class by class: of equal scores the pair of the largest IoU is first."""
    found = []
    for both in frames:
        free = list(both["gt"])
        for class_, score in sorted({(row[column], row[2]) for row in both["pd"]}, key=lambda one: -one[1]):
            equals = [row for row in both["pd"] if (row[column], row[2]) == (class_, score)]
            hits = 0
            while fits := [
                (-literal_overlap(row, one), one[5:], row[5:], row, one)
                for row in free
                for one in equals
                if row[column] == class_ and literal_overlap(row, one) >= threshold
            ]:
                *_, row, one = min(fits, key=lambda fit: fit[:3])
                free.remove(row)
                equals.remove(one)
                hits += 1
            found += [(class_, score, True)] * hits + [(class_, score, False)] * len(equals)
    return found


def literal_step(found, positives):
    """Equation 1 of detections of one class, with a point for every score that there is."""
    area, before = 0.0, 0
    for score in sorted({score for _, score, _ in found}, reverse=True):
        hits = [hit for _, other, hit in found if other >= score]
        area += (sum(hits) - before) * sum(hits) / len(hits) / positives
        before = sum(hits)
    return area


@pytest.mark.slow
@given(VIDEOS, st.randoms(use_true_random=False))
def test_the_order_of_frames_rows_and_videos_changes_nothing(videos, random):
    mixed = [[{side: random.sample(rows, len(rows)) for side, rows in both.items()} for both in video] for video in videos]
    mixed = [random.sample(video, len(video)) for video in random.sample(mixed, len(mixed))]
    np.testing.assert_allclose(everything(cases.study_of(mixed)), everything(cases.study_of(videos)), rtol=0, atol=1e-12)


@pytest.mark.slow
@given(VIDEOS, st.integers(1, 3))
def test_adding_a_constant_to_ids_or_halving_boxes_changes_nothing_but_names(videos, shift):
    moved = [
        [{side: [[row[0] + shift, *row[1:5], *(x / 2 for x in row[5:])] for row in rows] for side, rows in both.items()} for both in video]
        for video in videos
    ]
    for scope in BOX_SCOPES:
        before, after = (average_precision(cases.study_of(one), scope=scope) for one in (videos, moved))
        assert after.overall.value == pytest.approx(before.overall.value, nan_ok=True)


@given(VIDEOS)
def test_perfect_predictions_score_one_everywhere(videos):
    solid = [[[row for row in both["gt"] if row[7] > 0 and row[8] > 0] for both in video] for video in videos]
    scene = checked(cases.study_of([[{"gt": rows, "pd": rows} for rows in video] for video in solid]))
    for scope in BOX_SCOPES:
        for interpolation in INTERPOLATIONS:
            expected = 0.995 if interpolation == "101-point linear" else 1
            for got in (
                average_precision(scene, threshold=1.0, interpolation=interpolation, scope=scope),
                average_precision_range(scene, interpolation=interpolation, scope=scope),
            ):
                assert math.isnan(got.overall.value) or got.overall.value == pytest.approx(expected, abs=1e-12)
    boxes = sum(len(rows) for video in solid for rows in video)
    assert counts(scene).sum(axis=0).tolist() == [boxes, 0, 0, 0, 0, 0, 0]


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


@pytest.mark.slow
@given(VIDEOS, st.sampled_from([0.1, 0.5, 0.75, 1.0]), st.sampled_from(["ivt", "i", "v"]))
def test_matching_is_the_literal_one(videos, threshold, component):
    scene = ranked(checked(cases.study_of(videos)))
    hits = hits_at(scene, component, threshold)
    expected = literal_hits([both for video in videos for both in video], threshold, cases.COLUMNS[component])
    got = zip(scene.predictions.classes[component].tolist(), scene.predictions.scores.tolist(), hits.tolist(), strict=True)
    assert sorted(got) == sorted(expected)


@pytest.mark.slow
@given(VIDEOS)
def test_area_and_recall_are_the_literal_ones(videos):
    frames = [both for video in videos for both in video]
    got = average_precision(cases.study_of(videos), scope="global")
    for id_, value in got.classes.items():
        positives = sum(row[0] == int(id_) for both in frames for row in both["gt"])
        own = [(class_, score, hit) for class_, score, hit in literal_hits(frames, 0.5, 0) if class_ == int(id_)]
        assert value.n == positives
        assert value.value == pytest.approx(literal_step(own, positives) if positives else math.nan, abs=1e-12, nan_ok=True)


def mirrored(videos, axis):
    """The same in pictures that are turned over, on one axis of boxes as shares of them."""
    return [
        [
            {side: [[*row[: 5 + axis], 1 - row[5 + axis] - row[7 + axis], *row[6 + axis :]] for row in rows] for side, rows in both.items()}
            for both in video
        ]
        for video in videos
    ]


def average_precisions(videos):
    scene = checked(cases.study_of(videos))
    found = [average_precision_range(scene, "ivt", interpolation=name, scope=scope) for name in INTERPOLATIONS for scope in BOX_SCOPES]
    found += [at_best_confidence(scene, "i", scope=scope).f1 for scope in BOX_SCOPES]
    return [value.value for one in found for value in (one.overall, *one.classes.values())]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("seed", range(12))
def test_pictures_that_are_turned_over_change_no_average_precision(seed, axis):
    """Few confidences and boxes around the annotated ones, so that equal confidences compete for boxes."""
    rng = np.random.default_rng(seed)
    videos = []
    for _ in range(2):
        frames = []
        for _ in range(4):
            truth = [[at % 2, 0, 1.0, 0, 0, *rng.uniform(0.1, 0.3, 2), *rng.uniform(0.3, 0.4, 2)] for at in range(4)]
            found = [
                [row[0], 0, float(rng.choice([0.3, 0.9])), 0, 0, *(np.array(row[5:]) + rng.normal(0, 0.04, 4)).tolist()]
                for row in truth
                for _ in range(2)
            ]
            frames.append({"gt": truth, "pd": found})
        videos.append(frames)
    np.testing.assert_allclose(average_precisions(mirrored(videos, axis)), average_precisions(videos), rtol=0, atol=1e-12)


@pytest.mark.parametrize("found", [[[0.1, 0.1], [0.6, 0.1]], [[0.1, 0.1], [0.1, 0.1]]])
def test_equal_confidences_in_a_frame_are_one_threshold(found):
    """One true box, and one that is elsewhere or the same once more: half of what has this confidence is right."""
    frame = {"gt": [[0, 0, 1, 0, 0, 0.1, 0.1, 0.3, 0.3]], "pd": [[0, 0, 0.9, 0, 0, *at, 0.3, 0.3] for at in found]}
    for videos in ([[frame]], mirrored([[frame]], 0)):
        assert average_precision(cases.study_of(videos)).overall.value == 0.5


@pytest.mark.slow
@given(VIDEOS)
def test_everything_is_counted_once_in_the_association(videos):
    got = counts(cases.study_of(videos))
    for (lm, plm, ids, idm, mil, fp, fn), video in zip(got.tolist(), videos, strict=True):
        served = lm + plm + ids + idm + mil
        assert served + fp == sum(len(both["pd"]) for both in video)
        assert served + fn == sum(len(both["gt"]) for both in video)
    shares = association(cases.study_of(videos), scope="global")
    total = math.fsum(shares[score].overall.value for score in SCORES)
    assert math.isnan(total) if not got.sum() else total == pytest.approx(1)


@pytest.mark.slow
@given(VIDEOS)
def test_global_and_video_wise_agree_on_one_video(videos):
    scene = checked(cases.study_of(videos[:1]))
    for interpolation in INTERPOLATIONS:
        one, other = (average_precision(scene, interpolation=interpolation, scope=scope).overall for scope in BOX_SCOPES)
        assert one.value == pytest.approx(other.value, nan_ok=True)
        assert one.n == other.n


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


def coco_boxes(rng, images):
    """Annotations and detections of COCO with distinct scores and boxes in pixels."""
    truth, found = [], []
    for image in range(images):
        for _ in range(rng.integers(0, 5)):
            box = [*rng.uniform(0, 300, 2), *rng.uniform(20, 200, 2)]
            category = int(rng.integers(0, 4))
            truth.append([image, category, 1.0, *box])
            if rng.random() < 0.8:
                found.append([image, category if rng.random() < 0.8 else 3, rng.random(), *(box + rng.normal(0, 8, 4))])
        found += [[image, int(rng.integers(0, 4)), rng.random(), *rng.uniform(20, 200, 4)] for _ in range(rng.integers(0, 3))]
    return np.array(truth), np.array(found)


@pytest.mark.parametrize(("coco", "evaluator"), [(COCO, COCOeval), (FasterCOCO, COCOeval_faster)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_101_point_range_is_that_of_coco(coco, evaluator, seed, capsys):
    truth, found = coco_boxes(np.random.default_rng(seed), 40)
    ours = BoxStudy(
        ["a"],
        [40],
        {"ivt": 5},
        *(BoxRows(np.zeros(len(one)), one[:, 0], {"ivt": one[:, 1]}, one[:, 3:], one[:, 2]) for one in (truth, found)),
    )
    annotations = [
        {
            "id": at + 1,
            "image_id": int(row[0]),
            "category_id": int(row[1]),
            "bbox": row[3:].tolist(),
            "area": float(row[5] * row[6]),
            "iscrowd": 0,
        }
        for at, row in enumerate(truth)
    ]
    detections = [{"image_id": int(row[0]), "category_id": int(row[1]), "bbox": row[3:].tolist(), "score": float(row[2])} for row in found]
    theirs = coco()
    theirs.dataset = {
        "info": {},
        "images": [{"id": at, "width": 640, "height": 480} for at in range(40)],
        "categories": [{"id": id_, "name": str(id_)} for id_ in range(5)],
        "annotations": annotations,
    }
    theirs.createIndex()
    evaluation = evaluator(theirs, theirs.loadRes(detections), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    capsys.readouterr()
    precision = evaluation.eval["precision"][:, :, :, 0, 2]
    expected = np.where(precision[0, 0] > -1, precision.mean(axis=(0, 1)), np.nan)
    got = average_precision_range(ours, interpolation="101-point", scope="global")
    np.testing.assert_allclose([value.value for value in got.classes.values()], expected, rtol=0, atol=1e-9)
    at_half = average_precision(ours, interpolation="101-point", scope="global").overall.value
    assert at_half == pytest.approx(np.nanmean(np.where(precision[0, 0] > -1, precision[0].mean(axis=0), np.nan)), abs=1e-9)
    assert thresholds() == pytest.approx(evaluation.params.iouThrs)
