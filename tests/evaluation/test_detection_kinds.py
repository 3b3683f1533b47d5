"""Boxes by size, and curves as numbers, through the command."""

import pytest

from score_runs import fault, good, put, results, sides

LARGE, SMALL = [0.1, 0.1, 0.5, 0.5], [0.7, 0.7, 0.02, 0.02]
TRIPLET = 17


@pytest.fixture
def study(tmp_path):
    """The large box is found in every frame, the small one in every second."""
    for side, scores in (("truth", (1.0, 1.0)), ("found", (0.9, 0.5))):
        rows = [[TRIPLET, 0, scores[0], *LARGE], [TRIPLET, 0, scores[1], *SMALL]]
        put(tmp_path, **{side: {"VID01.json": lists([rows if side == "truth" or frame % 2 else rows[:1] for frame in range(4)])}})
    return tmp_path


def lists(rows):
    return {"frame": list(range(len(rows))), "list": rows}


def test_boxes_have_an_average_precision_by_size(study, capsys):
    def of_size(image):
        found, _ = results(capsys, study, "detection", "kind=sizes", "component=i", f"image={image}")
        assert found[1]["classes"]["0"]["name"] == "grasper"
        return {one["options"]["size"].split()[0]: one["overall"] for one in found}

    by_size = of_size("854x480")
    assert by_size["large"] == {"value": pytest.approx(1), "n": 1}
    # Half of the boxes at precision 1: 51 of 101 levels of recall.
    assert by_size["small"] == {"value": pytest.approx(51 / 101), "n": 1}
    assert by_size["medium"] == {"value": None, "n": 0}
    # The same boxes are large in a larger image.
    assert {size: one["n"] for size, one in of_size("8540x4800").items()} == {"all": 1, "small": 0, "medium": 0, "large": 1}


def test_sizes_ask_for_the_size_of_images(study, capsys):
    said = fault(capsys, *sides(study, "detection", "--variant", "kind=sizes"))
    assert "no file of the ground truth states the size of the images of VID01; say it by --variant image=854x480" in said
    for wrong in ("854", "0x5", "wide"):
        assert "give width and height in px" in fault(capsys, *sides(study, "detection", "--variant", "kind=sizes", f"image={wrong}"))
    assert "image=5x5 says nothing of kind=boxes" in fault(capsys, *sides(study, "detection", "--variant", "image=5x5"))


def test_curves_are_numbers_whose_area_is_the_average_precision(study, capsys):
    ((one,), _) = results(capsys, study, "detection", "kind=curves", "component=ivt")
    curve = one["curves"][str(TRIPLET)]
    assert curve["name"] == "grasper,retract,gallbladder"
    assert curve["score"] == [0.9, 0.5]
    assert curve["recall"] == [0.5, 0.75]
    assert curve["precision"] == [1.0, 1.0]
    assert one["overall"]["value"] == 0.75


def test_one_box_that_could_be_two_corners_is_scored_with_the_others(study, capsys):
    rows = [[TRIPLET, 0, 0.9, 0.5, 0.5, 0.515, 0.53], [TRIPLET, 0, 0.5, *SMALL]]
    good(capsys, *sides(put(study, found={"VID01.json": lists([rows] * 4)}), "detection"))
    said = fault(capsys, *sides(put(study, found={"VID01.json": lists([rows[:1]] * 4)}), "detection"))
    assert "look like two corners" in said
