"""Average precision by COCO's sizes: against pycocotools on random boxes of all sizes, with crowds and areas of masks."""

import contextlib
import io
import json
import math

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from score_runs import good
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy, checked, sizes

WIDTH, HEIGHT, CLASSES = 640, 480, 3


def drawn(rng, frames=12):
    """Rows [frame, class, score, left, top, width, height, crowd, area] in px: true ones around the limits, others near or anywhere.

    One true box in four is a crowd, and of one in four the area is that of a mask.
    """
    truth, found = [], []
    for frame in range(frames):
        for _ in range(int(rng.integers(0, 5))):
            side = float(rng.choice([16, 31, 32, 33, 60, 95, 96, 97, 150]))
            box = [*rng.integers(0, 300, 2).tolist(), side, float(rng.choice([side, side + 3]))]
            class_ = int(rng.integers(0, CLASSES))
            area = box[2] * box[3] * (rng.uniform(0.3, 1) if rng.random() < 0.25 else 1)
            truth.append([frame, class_, 1.0, *box, rng.random() < 0.25, area])
            for _ in range(int(rng.integers(0, 3))):
                moved = (np.array(box) + rng.integers(-6, 7, 4)).clip(1, None).tolist()
                found.append([frame, class_ if rng.random() < 0.8 else int(rng.integers(0, CLASSES)), rng.random(), *moved])
        for _ in range(int(rng.integers(0, 3))):
            found.append([frame, int(rng.integers(0, CLASSES)), rng.random(), *rng.integers(1, 160, 4).tolist()])
    return np.array(truth, float).reshape(-1, 9), np.array(found).reshape(-1, 7)


def whole(rows):
    """Rows with no crowd, and the area of the box, where they say none."""
    return rows if rows.shape[1] == 9 else np.column_stack([rows, np.zeros(len(rows)), rows[:, 5] * rows[:, 6]])


def ours(truth, found, frames=12):
    image = np.array([WIDTH, HEIGHT, WIDTH, HEIGHT])
    sides = [
        BoxRows(
            np.zeros(len(rows), int),
            rows[:, 0].astype(int),
            {"i": rows[:, 1].astype(int)},
            rows[:, 3:7] / image,
            rows[:, 2],
            crowds=rows[:, 7] == 1,
            areas=rows[:, 8],
        )
        for rows in map(whole, (truth, found))
    ]
    scene = checked(BoxStudy(["v"], [frames], {"i": CLASSES}, *sides))
    return sizes.sized(scene, "i", np.tile([float(WIDTH), float(HEIGHT)], (frames, 1))).results()


def coco_files(truth, found, frames=12):
    """The annotations and the results, as COCO has them."""
    ids = [{"id": number, "name": name} for number, name in enumerate(("grasper", "bipolar", "hook"))]
    images = [{"id": frame, "file_name": f"v_{frame:06d}.jpg", "width": WIDTH, "height": HEIGHT} for frame in range(frames)]
    rows = [{"image_id": int(row[0]), "category_id": int(row[1]), "bbox": row[3:7].tolist()} for row in truth]
    more = [{"id": at + 1, "area": row[8], "iscrowd": int(row[7])} for at, row in enumerate(whole(truth))]
    annotations = [{**one, **other} for one, other in zip(rows, more, strict=True)]
    results = [{"image_id": int(row[0]), "category_id": int(row[1]), "bbox": row[3:7].tolist(), "score": row[2]} for row in found]
    return {"images": images, "categories": ids, "annotations": annotations}, results


def published(truth, found, frames=12):
    """AP by size and class, -1 where it is undefined."""
    data = COCO()
    data.dataset, results = coco_files(truth, found, frames)
    with contextlib.redirect_stdout(io.StringIO()):
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(results), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
    # IoUs, recalls, classes, sizes, numbers of detections.
    return evaluation.eval["precision"][..., 2].mean(axis=(0, 1)).T


def largest_difference(cases, seed):
    rng, apart, compared = np.random.default_rng(seed), [0.0], 0
    while compared < cases:
        truth, found = drawn(rng)
        if not len(truth) or not len(found):
            continue
        compared += 1
        expected = published(truth, found)
        for result, of_size in zip(ours(truth, found), expected, strict=True):
            values = np.array([one.value for one in result.classes.values()])
            assert (np.isnan(values) == (of_size < 0)).all()
            apart += np.abs(values - of_size)[of_size >= 0].tolist()
            defined = of_size[of_size >= 0]
            if len(defined):
                apart.append(abs(result.overall.value - defined.mean()))
    return max(apart)


@pytest.mark.parametrize(("cases", "seed"), [(6, 1), pytest.param(200, 2, marks=pytest.mark.slow)])
def test_average_precision_by_size_is_that_of_pycocotools(cases, seed):
    assert largest_difference(cases, seed) < 1e-12


def test_equal_confidences_of_a_frame_take_turns_in_the_order_of_the_file_as_by_pycocotools():
    rng, compared = np.random.default_rng(5), 0
    while compared < 30:
        truth, found = drawn(rng, frames=1)
        if len(truth) and len(found) > 1:
            compared += 1
            found[:, 2] = np.round(found[:, 2])
            truth[:, 1] = found[:, 1] = 0
            values = [result.classes["0"].value for result in ours(truth, found, frames=1)]
            expected = published(truth, found, frames=1)[:, 0]
            assert values == pytest.approx([value if value >= 0 else math.nan for value in expected], abs=1e-12, nan_ok=True)


def test_crowds_and_areas_of_a_coco_file_are_scored_as_pycocotools_does(tmp_path, capsys):
    truth, found = drawn(np.random.default_rng(4))
    for name, document in zip(("truth", "found"), coco_files(truth, found), strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    out = tmp_path / "s.json"
    sides = ("--ground-truth", tmp_path / "truth.json", "--predictions", tmp_path / "found.json")
    said = good(capsys, "detection", *sides, "--out", out, "--variant", "kind=sizes", "component=i").err
    assert "'iscrowd' of annotations, which are single instances to all but kind=sizes, kind=masks and points of scores" in said
    for result, of_size in zip(json.loads(out.read_text())["results"], published(truth, found), strict=True):
        values = [result["classes"][str(class_)]["value"] for class_ in range(CLASSES)]
        assert values == [None if value < 0 else pytest.approx(value, abs=1e-12) for value in of_size]


def test_limits_belong_to_both_sides_and_others_are_ignored():
    truth = np.array([[0, 0, 1, 10, 10, 32, 32], [0, 1, 1, 100, 100, 200, 200]], float)
    found = np.array([[0, 0, 0.9, 10, 10, 32, 32], [0, 1, 0.9, 100, 100, 200, 200], [0, 0, 0.95, 300, 300, 200, 150]], float)
    by_size = {result.variant.options["size"].split()[0]: result for result in ours(truth, found)}
    # The large false one does not count among small ones, and does among all.
    assert {name: one.classes["0"].value for name, one in by_size.items() if one.classes["0"].n} == {
        "all": pytest.approx(0.5),
        "small": pytest.approx(1),
        "medium": pytest.approx(1),
    }
    assert math.isnan(by_size["large"].classes["0"].value)
    assert (by_size["large"].overall.value, by_size["large"].overall.n) == (pytest.approx(1), 1)


def test_draws_repeat_videos():
    rng = np.random.default_rng(3)
    parts = [drawn(rng) for _ in range(2)]
    image = np.array([WIDTH, HEIGHT, WIDTH, HEIGHT])

    def study(order):
        rows = [
            np.concatenate([np.column_stack([np.full(len(parts[at][side]), number), parts[at][side]]) for number, at in enumerate(order)])
            for side in (0, 1)
        ]
        sides = [
            BoxRows(of[:, 0].astype(int), of[:, 1].astype(int), {"i": of[:, 2].astype(int)}, of[:, 4:8] / image, of[:, 3]) for of in rows
        ]
        scene = checked(BoxStudy([f"v{number}" for number in range(len(order))], [12] * len(order), {"i": CLASSES}, *sides))
        return sizes.sized(scene, "i", np.tile([float(WIDTH), float(HEIGHT)], (12 * len(order), 1)))

    drawn_results, of_both = study([0, 1]).results(np.array([1, 1])), study([1, 1]).results()
    assert [one.overall.value for one in drawn_results] == pytest.approx([one.overall.value for one in of_both], abs=1e-12, nan_ok=True)


def test_detections_are_ordered_once_for_all_draws(monkeypatch):
    n = 40
    rng = np.random.default_rng(6)
    numbers = [rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 4, n) / 3, rng.integers(0, 2, n), rng.integers(0, 2, n)]
    decided = [rng.random((n, 4, 10)) < 0.5, rng.random((n, 4, 10)) < 0.2, rng.integers(1, 5, (3, 2, 4))]
    ordered, lexsort = [], np.lexsort
    one = sizes.SizedDetections(*numbers, *decided, "i")
    monkeypatch.setattr(np, "lexsort", lambda keys: ordered.append(keys) or lexsort(keys))
    for draw in ([0, 0, 2], [1, 1, 1], [0, 1, 2]):
        rows, _ = one.drawn(np.array(draw))
        for class_, of_class in enumerate(rows):
            for video in range(3):
                own = (numbers[0] == video) & (numbers[1] == class_)
                assert np.count_nonzero(numbers[0][of_class] == video) == np.count_nonzero(own) * draw.count(video)
    assert len(ordered) == 1


def test_sizes_of_images_must_be_known():
    scene = checked(BoxStudy(["v"], [1], {"i": 1}, *[BoxRows([0], [0], {"i": [0]}, [[0, 0, 1, 1]], [1.0])] * 2))
    with pytest.raises(MetricsError, match="give width and height above 0 for each"):
        sizes.sized(scene, "i", np.zeros((1, 2)))


def test_a_box_of_another_size_is_only_taken_where_no_other_is_left():
    truth = np.array([[0, 0, 1, 0, 0, 30, 30], [0, 0, 1, 0, 0, 36, 36]], float)
    found = np.array([[0, 0, 0.9, 0, 0, 34, 34]], float)
    values = {one.variant.options["size"].split()[0]: one.classes["0"].value for one in ours(truth, found)}
    # IoU 0.78 with the small one: right at six of ten; 0.89 with the medium one: right at eight.
    assert values["small"] == pytest.approx(0.6)
    assert values["medium"] == pytest.approx(0.8)
    assert [values[name] for name in ("all", "small", "medium")] == pytest.approx(published(truth, found)[:3, 0].tolist())
