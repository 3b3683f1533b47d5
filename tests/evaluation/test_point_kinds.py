"""Points through the command: from files of both sides to numbers, and what points can be that are none."""

import json

import numpy as np
import pytest

from score_runs import fault, good, put, results, sides

NAMES = ["tip", "hinge"]
IMAGES = [{"id": at, "file_name": f"v_{at:06d}.jpg", "width": 400, "height": 300} for at in (1, 2, 3)]
CATEGORIES = [{"id": 1, "name": "grasper", "keypoints": NAMES, "skeleton": [[1, 2]]}, {"id": 2, "name": "hook"}]
BOX = [100, 100, 100, 50]
AREA = 5000


def annotation(number, image, points, **more):
    own = {"keypoints": points, "num_keypoints": sum(v > 0 for v in points[2::3])} if points else {}
    return {"id": number, "image_id": image, "category_id": 1, "bbox": BOX, "area": AREA, "iscrowd": 0, **own, **more}


def write(study, side, annotations, categories=None):
    put(study, **{side: {"labels.json": {"images": IMAGES, "annotations": annotations, "categories": categories or CATEGORIES}}})


@pytest.fixture
def study(tmp_path):
    """Two graspers with points, one of which is hidden; the tip of the first is found 10 px away, the second is not found."""
    truth = [annotation(1, 1, [110, 110, 2, 150, 120, 1]), annotation(2, 2, [110, 110, 2, 0, 0, 0])]
    write(tmp_path, "truth", truth)
    write(tmp_path, "found", [annotation(1, 1, [120, 110, 2, 150, 120, 2], score=0.9)])
    return tmp_path


def values(study, capsys, *variant):
    return {(one["metric"], *sorted(one["options"].items())): one for one in results(capsys, study, "points", *variant)[0]}


def found_at_half(study, capsys):
    return first(values(study, capsys), "points AP", similarity="0.5")["overall"]["value"]


def first(found, metric, **options):
    return next(one for key, one in found.items() if key[0] == metric and options.items() <= dict(key[1:]).items())


def test_similarity_is_the_mean_over_labelled_points_by_sigma_and_area(study, capsys):
    similar = (np.exp(-(10**2) / (2 * (2 * 0.05) ** 2 * AREA)) + 1) / 2
    found = values(study, capsys)
    assert similar == pytest.approx(0.6839, abs=1e-4)
    # One of two is found, at similarities up to 0.65: half of the recall, by 51 of 101 levels.
    assert first(found, "points AP", similarity="0.5")["overall"]["value"] == pytest.approx(51 / 101)
    assert first(found, "points AP", similarity="0.75")["overall"]["value"] == 0
    assert first(found, "points AR", similarity="0.5:0.95", size="all (any)")["overall"]["value"] == pytest.approx(0.5 * 4 / 10)
    assert first(found, "points AP")["classes"]["0"] == {"name": "grasper", "value": pytest.approx(0.4 * 51 / 101), "n": 2}


def test_another_sigma_by_name_gives_another_number(study, capsys):
    assert first(values(study, capsys, "sigma=tip=0.2,hinge=0.05"), "points AP", similarity="0.75")["overall"]["value"] > 0
    said = fault(capsys, *sides(study, "points", "--variant", "sigma=tip=0.2"))
    assert "give one for each of tip, hinge, such as tip=0.05" in said
    assert "sigma is 0.05 for every point" in good(capsys, *sides(study, "points")).err


def test_distances_count_every_labelled_point(study, capsys):
    found = values(study, capsys, "kind=distances", "within=0.05,0.1")
    assert first(found, "points PCK", within="0.1 of the longer side of the box")["overall"] == {"value": pytest.approx(2 / 3), "n": 3}
    assert first(found, "points PCK", within="0.05 of the longer side of the box")["overall"] == {"value": pytest.approx(1 / 3), "n": 3}
    assert first(found, "points error px")["overall"] == {"value": 5, "n": 2}
    assert first(found, "points error px", averaged="over points")["classes"]["tip"]["value"] == 10
    assert first(found, "points found")["videos"]["v"]["n"] == 3


def test_hidden_points_can_be_left_out(study, capsys):
    found = values(study, capsys, "kind=distances", "counted=visible")
    assert first(found, "points found")["overall"] == {"value": 0.5, "n": 2}


def test_distances_in_px_must_be_said(study, capsys):
    assert "within=5,10,20" in fault(capsys, *sides(study, "points", "--variant", "kind=distances", "reference=px"))
    found = values(study, capsys, "kind=distances", "reference=px", "within=9,10")
    assert first(found, "points PCK", within="10 px")["overall"]["value"] == pytest.approx(2 / 3)


def test_results_of_coco_are_read_beside_their_images(study, capsys):
    result = {"image_id": 1, "category_id": 1, "keypoints": [120, 110, 0.7, 150, 120, 0.9], "score": 0.9}
    assert found_at_half(put(study, found={"labels.json": [result]}), capsys) == pytest.approx(51 / 101)


@pytest.mark.parametrize("is_result", [True, False])
def test_a_false_prediction_whose_points_lie_on_one_line_lowers_precision(study, capsys, is_result):
    had = found_at_half(study, capsys)
    found = [annotation(1, 1, [120, 110, 2, 150, 120, 2], score=0.5)]
    found += [annotation(number, 3, [300, 250, 2, 350, 250, 2], score=0.9) for number in range(2, 6)]
    boxless = [{key: value for key, value in one.items() if key not in ("bbox", "area")} for one in found]
    write(study, "found", boxless)
    if is_result:
        put(study, found={"labels.json": boxless})
    assert found_at_half(study, capsys) == pytest.approx(had / 5)


def test_a_result_is_as_large_as_the_box_around_all_its_points_also_those_that_are_0(study, capsys):
    truth = [annotation(1, 1, [110, 110, 2, 150, 120, 1, 0, 0, 0]), annotation(2, 2, [110, 110, 2, 0, 0, 0, 0, 0, 0])]
    write(study, "truth", truth, [CATEGORIES[0] | {"keypoints": [*NAMES, "end"]}, CATEGORIES[1]])

    def of_medium(points):
        results = [{"image_id": 1, "category_id": 1, "keypoints": [120, 110, 2, 150, 120, 2, 160, 160, 2], "score": 0.5}]
        results.append({"image_id": 3, "category_id": 1, "keypoints": points, "score": 0.9})
        of_medium = values(put(study, found={"labels.json": results}), capsys)
        return first(of_medium, "points AP", size="medium (32 x 32 to 96 x 96 px)")["overall"]["value"]

    # As pycocotools has it: 90 x 80 px is of medium size, 20 x 5 px is not.
    assert of_medium([70, 75, 1, 80, 75, 1, 90, 80, 1]) == pytest.approx(0.4 * 51 / 101)
    assert of_medium([0, 0, 0, 80, 75, 1, 90, 80, 1]) == pytest.approx(0.4 * 51 / 101 / 2)


def test_points_without_names_are_taken_by_their_place(study, capsys):
    write(study, "found", [annotation(1, 1, [120, 110, 2, 150, 120, 2], score=0.9)], [{"id": 1, "name": "grasper"}, CATEGORIES[1]])
    assert "taken by their place" in good(capsys, *sides(study, "points")).err
    assert found_at_half(study, capsys) == pytest.approx(51 / 101)


def test_a_point_that_the_truth_does_not_have_is_refused(study, capsys):
    other = [CATEGORIES[0] | {"keypoints": ["tipp", "hinge"]}, CATEGORIES[1]]
    write(study, "found", [annotation(1, 1, [120, 110, 2, 150, 120, 2], score=0.9)], other)
    assert "the ground truth has no point 'tipp' of this instrument; did you mean 'tip'?" in fault(capsys, *sides(study, "points"))


def test_an_instance_without_points_need_not_be_found(study, capsys):
    before = first(values(study, capsys), "points AP")["overall"]
    write(study, "truth", [annotation(1, 1, [110, 110, 2, 150, 120, 1]), annotation(2, 2, [110, 110, 2, 0, 0, 0]), annotation(3, 3, None)])
    assert first(values(study, capsys), "points AP")["overall"] == before


def test_a_prediction_in_pixels_that_are_not_counted_is_not_false(study, capsys):
    spurious = [annotation(1, 1, [120, 110, 2, 150, 120, 2], score=0.9), annotation(2, 3, [20, 30, 2, 25, 40, 2], score=0.95)]
    write(study, "found", spurious)
    assert found_at_half(study, capsys) < 0.3
    document = json.loads((study / "truth/labels.json").read_text(encoding="utf-8"))
    document["images"][2] = IMAGES[2] | {"ignored": {"size": [300, 400], "counts": [0, 50 * 300, 350 * 300]}}
    assert found_at_half(put(study, truth={"labels.json": document}), capsys) == pytest.approx(51 / 101)


def test_files_without_points_and_swapped_sides_are_refused(study, capsys):
    write(study, "truth", [annotation(1, 1, [110, 110, 2, 150, 120, 1], score=0.5)])
    assert "swapped" in fault(capsys, *sides(study, "points"))
    write(study, "truth", [annotation(1, 1, None)])
    assert "no instance of the ground truth has points" in fault(capsys, *sides(study, "points"))


def test_a_choice_that_says_nothing_of_the_kind_is_refused(study, capsys):
    assert "belongs to kind=similarity" in fault(capsys, *sides(study, "points", "--variant", "kind=distances", "sigma=0.1"))
    assert "no published program" in fault(capsys, *sides(study, "points", "--semantics", "compat"))


def test_intervals_a_page_and_a_sheet_are_written(study, capsys):
    page, sheet = study / "s.html", study / "s.csv"
    good(capsys, *sides(study, "points", "--bootstrap", 5, "--html", page, "--out", sheet))
    assert "points AP" in page.read_text(encoding="utf-8")
    assert "points AR,paper" in sheet.read_text(encoding="utf-8")
