"""Boxes by size, and curves as numbers, through the command."""

import json

import pytest

from score_runs import fault, good, sides

LARGE, SMALL = [0.1, 0.1, 0.5, 0.5], [0.7, 0.7, 0.02, 0.02]
TRIPLET = 17


@pytest.fixture
def study(tmp_path):
    """The large box is found in every frame, the small one in every second."""
    for side, scores in (("truth", (1.0, 1.0)), ("found", (0.9, 0.5))):
        (tmp_path / side).mkdir()
        rows = [[TRIPLET, 0, scores[0], *LARGE], [TRIPLET, 0, scores[1], *SMALL]]
        lists = [rows if side == "truth" or frame % 2 else rows[:1] for frame in range(4)]
        (tmp_path / side / "VID01.json").write_text(json.dumps({"frame": list(range(4)), "list": lists}))
    return tmp_path


def results(study, capsys, *variant):
    out = study / "s.json"
    good(capsys, *sides(study, "detection", "--out", out, "--variant", *variant))
    return json.loads(out.read_text())["results"]


def test_boxes_have_an_average_precision_by_size(study, capsys):
    found = results(study, capsys, "kind=sizes", "component=i", "image=854x480")
    by_size = {one["options"]["size"].split()[0]: one["overall"] for one in found}
    assert by_size["large"] == {"value": pytest.approx(1), "n": 1}
    # Half of the boxes at precision 1: 51 of 101 levels of recall.
    assert by_size["small"] == {"value": pytest.approx(51 / 101), "n": 1}
    assert by_size["medium"] == {"value": None, "n": 0}
    assert found[1]["classes"]["0"]["name"] == "grasper"
    # The same boxes are large in a larger image.
    found = results(study, capsys, "kind=sizes", "component=i", "image=8540x4800")
    assert {one["options"]["size"].split()[0]: one["overall"]["n"] for one in found} == {"all": 1, "small": 0, "medium": 0, "large": 1}


def test_sizes_ask_for_the_size_of_images(study, capsys):
    said = fault(capsys, *sides(study, "detection", "--variant", "kind=sizes"))
    assert "no file of the ground truth states the size of the images of VID01; say it by --variant image=854x480" in said
    for wrong in ("854", "0x5", "wide"):
        assert "give width and height in px" in fault(capsys, *sides(study, "detection", "--variant", "kind=sizes", f"image={wrong}"))
    assert "image=5x5 says nothing of kind=boxes" in fault(capsys, *sides(study, "detection", "--variant", "image=5x5"))


def test_curves_are_numbers_whose_area_is_the_average_precision(study, capsys):
    (one,) = results(study, capsys, "kind=curves", "component=ivt")
    curve = one["curves"][str(TRIPLET)]
    assert curve["name"] == "grasper,retract,gallbladder"
    assert curve["score"] == [0.9, 0.5]
    assert curve["recall"] == [0.5, 0.75]
    assert curve["precision"] == [1.0, 1.0]
    assert one["overall"]["value"] == 0.75


def test_one_box_that_could_be_two_corners_is_scored_with_the_others(study, capsys):
    drawn = [0.5, 0.5, 0.515, 0.53]
    lists = [[[TRIPLET, 0, 0.9, *drawn], [TRIPLET, 0, 0.5, *SMALL]]] * 4
    path = study / "found/VID01.json"
    path.write_text(json.dumps({"frame": list(range(4)), "list": lists}))
    good(capsys, *sides(study, "detection"))
    path.write_text(json.dumps({"frame": list(range(4)), "list": [rows[:1] for rows in lists]}))
    assert "look like two corners" in fault(capsys, *sides(study, "detection"))
