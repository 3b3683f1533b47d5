"""Tracks through the command: which ids are scored, and what ids can be that are none."""

import numpy as np
import pytest

from score_runs import fault, good, put, results, sides

BOX, OTHER = [0.1, 0.1, 0.2, 0.2], [0.6, 0.6, 0.2, 0.2]
KINDS = ("visibility_track", "intracorporeal_track", "intraoperative_track")
VIDEO = "VID01.json"


def tool(ids, box=BOX, instrument=0):
    tracks = dict(zip(KINDS, ids, strict=True)) if isinstance(ids, tuple) else dict.fromkeys(KINDS, ids)
    return {"instrument": instrument, "verb": -1, "target": -1, "triplet": -1, "phase": 0, "tool_bbox": box, "score": 1.0, **tracks}


def write(study, side, frames):
    document = {"video": {"name": "VID01", "width": 854, "height": 480}, "annotations": {str(at): tools for at, tools in frames.items()}}
    put(study, **{side: {VIDEO: document}})


@pytest.fixture
def study(tmp_path):
    """A grasper leaves the view for a frame: a new track of visibility, the same one of the operation. The tracker takes it for new."""
    write(tmp_path, "truth", {1: [tool((1, 1, 1))], 26: [], 51: [tool((2, 1, 1))], 76: [tool((2, 1, 1))]})
    write(tmp_path, "found", {1: [tool(8)], 26: [], 51: [tool(9)], 76: [tool(9)]})
    return tmp_path


def values(study, capsys, *variant, more=()):
    found, said = results(capsys, study, "tracks", "classes=one", *variant, more=more)
    return {one["metric"].removeprefix("tracks "): one["overall"]["value"] for one in found}, said


def test_a_new_id_after_the_view_is_right_for_visibility_and_a_switch_in_the_operation(study, capsys):
    seen, operation = values(study, capsys, "kind=visibility")[0], values(study, capsys)[0]
    assert (seen["HOTA"], seen["IDF1"], seen["IDSW"]) == (1, 1, 0)
    assert (operation["DetA"], operation["IDSW"]) == (1, 1)
    assert operation["AssA"] == pytest.approx((1 / 3 + 2 * 2 / 3) / 3)
    assert operation["IDF1"] == pytest.approx(2 / 3)


def test_classes_have_names_and_hota_its_thresholds(study, capsys):
    found, _ = results(capsys, study, "tracks")
    averaged = next(one for one in found if one["metric"] == "tracks MOTA" and one["options"]["classes"] == "averaged")
    assert averaged["classes"]["0"] == {"name": "grasper", "value": pytest.approx(2 / 3), "n": 3}
    assert averaged["classes"]["1"]["value"] is None
    assert averaged["videos"]["VID01"] == {"value": pytest.approx(2 / 3), "n": 1}
    curve = next(one["curves"]["all"] for one in found if "curves" in one)
    assert curve["threshold"][::9] == [0.05, 0.5, 0.95]
    assert len(curve["HOTA"]) == 19


def test_intervals_a_page_and_a_sheet_are_written(study, capsys):
    page, sheet = study / "s.html", study / "s.csv"
    good(capsys, *sides(study, "tracks", "--bootstrap", 5, "--html", page, "--out", sheet))
    assert "tracks HOTA" in page.read_text()
    assert "tracks IDF1,paper,classes=pooled" in sheet.read_text()


def test_an_id_that_stands_twice_in_a_frame_is_refused_by_every_command(study, capsys):
    write(study, "found", {1: [tool(8), tool(8, OTHER)], 51: [tool(9)], 76: [tool(9)]})
    for command in (sides(study, "tracks"), sides(study, "detection")):
        said = fault(capsys, *command)
        assert "VID01.json, frame 1: intraoperative_track 8 stands twice in a frame; a track has one box in a frame" in said


@pytest.mark.parametrize("missing", [None, -1])
@pytest.mark.parametrize("side", ["truth", "found"])
def test_a_box_without_an_id_is_refused(study, capsys, missing, side):
    write(study, side, {1: [tool((4, missing, 4))], 51: [tool(9)], 76: [tool(9)]})
    assert "VID01, frame 1: boxes have no id in intracorporeal_track; give every box the id of its track" in fault(
        capsys, *sides(study, "tracks", "--variant", "kind=intracorporeal")
    )
    good(capsys, *sides(study, "tracks", "--variant", "kind=visibility"))


def test_an_id_that_jumps_to_another_instrument_is_shown_and_scored(study, capsys):
    write(study, "found", {1: [tool(8)], 51: [tool(8, instrument=2)], 76: [tool(8)]})
    said = good(capsys, *sides(study, "tracks")).err
    assert "found/VID01.json: ids in intraoperative_track have several instruments: 8 (grasper and hook)" in said


def test_a_frame_that_is_not_in_the_truth_does_not_count(study, capsys):
    before, _ = values(study, capsys)
    write(study, "found", {1: [tool(8)], 26: [], 30: [tool(5)], 51: [tool(9)], 76: [tool(9)]})
    after, said = values(study, capsys)
    assert after == before
    assert "frame 30: not labelled, so not counted" in said


def test_boxes_without_any_tracks_are_refused(study, capsys):
    write(study, "found", {1: [{key: value for key, value in tool(1).items() if key not in KINDS}]})
    said = fault(capsys, *sides(study, "tracks"))
    assert "the boxes of the predictions have no ids of the kind 'intraoperative'; give intraoperative_track or track" in said
    write(study, "found", {1: [{key: value for key, value in tool(1).items() if key != KINDS[2]}]})
    assert "only intracorporeal_track, visibility_track; give" in fault(capsys, *sides(study, "tracks"))


@pytest.mark.parametrize("wrong", ["0", "1.5", "half"])
def test_a_threshold_that_is_none_is_refused(study, capsys, wrong):
    assert "give a number above 0, up to 1, such as 0.5" in fault(capsys, *sides(study, "tracks", "--variant", f"iou={wrong}"))


def lines(study, rows, name="VID01.txt"):
    (study / "found" / VIDEO).unlink(missing_ok=True)
    (study / "found" / name).write_text("".join(f"{row}\n" for row in rows))


def test_text_of_the_benchmark_is_scored_as_the_json_it_belongs_to(study, capsys):
    before, _ = values(study, capsys)
    lines(study, [f"{at},{id_},85.4,48,170.8,96,0.9,0,-1,-1" for at, id_ in ((1, 8), (51, 9), (76, 9))])
    after, said = values(study, capsys)
    assert after == pytest.approx(before)
    assert "found: read as cholectrack20-txt" in said


def test_text_of_a_tracker_counts_from_1_and_may_have_no_classes(study, capsys):
    write(study, "truth", {0: [tool(1)], 1: [tool(1)], 2: [tool(1)]})
    lines(study, [f"{at},8,85.4,48,170.8,96,0.9,-1,-1,-1" for at in (1, 2, 3)])
    assert values(study, capsys)[0]["HOTA"] == 1
    said = fault(capsys, *sides(study, "tracks"))
    assert "boxes have no instrument (3 frames); name it, or score all instruments as one: --variant classes=one" in said


TEXT = "1,1,100,100,80,60,{},2,1\n1,2,300,100,80,60,{},2,1\n2,1,104,101,80,60,1,2,1\n2,2,304,100,80,60,{},2,1\n"


OF_TEXT = ("--image-size", "854x480")
SEQINFO = "[Sequence]\nimWidth=854\nimHeight=480\nframeRate={}\n"


def texts(study, truth, found):
    return put(study, truth={"v.txt": truth}, found={"v.txt": found})


def test_results_without_a_seqinfo_are_numbered_as_the_sequence_whose_labels_have_one(tmp_path, capsys):
    put(
        tmp_path,
        truth={"v/gt/gt.txt": TEXT.format(1, 1, 1), "v/seqinfo.ini": SEQINFO.format(25)},
        found={"v.txt": TEXT.format(0.9, 0.8, 0.7)},
    )
    assert (values(tmp_path, capsys)[0]["MOTA"], values(tmp_path, capsys, more=("--predictions-fps", "25"))[0]["MOTA"]) == (1, 1)


def timed(study, truth, found):
    """Make both sides the same boxes, which lie anywhere in each frame; only the rates that they state differ."""
    left_px = np.random.default_rng(1).integers(0, 760, 600)
    rows = "".join(f"{frame},1,{left},100,80,60,1,2,1\n" for frame, left in enumerate(left_px, start=1))
    rates = {"truth": truth, "found": found}
    return put(study, **{side: {"v/gt/gt.txt": rows, "v/seqinfo.ini": SEQINFO.format(rate)} for side, rate in rates.items()})


@pytest.mark.parametrize(
    ("truth", "found", "more"),
    [
        ("29.916666667", "29.916667", ()),
        ("29.97", "30", ()),
        ("30", "29.97", ()),
        ("25", "24.99", ()),
        ("0", "29.97", ("--fps", "30")),
        ("30", "0", ("--predictions-fps", "29.97")),
    ],
)
def test_rates_of_both_sides_may_be_written_with_more_and_fewer_digits(tmp_path, capsys, truth, found, more):
    assert values(timed(tmp_path, truth, found), capsys, more=more)[0]["MOTA"] == 1


@pytest.mark.parametrize(("truth", "found"), [(25, 30), (24, 25), (30, 1), (1, 30)])
def test_the_same_frame_numbers_at_two_rates_are_refused_and_how_to_go_on_is_told(tmp_path, capsys, truth, found):
    said = fault(capsys, *sides(timed(tmp_path, truth, found), "tracks", "--variant", "classes=one"))
    assert f"labels have {truth} frames per second and predictions {found}, but both end as if they had one rate" in said
    assert "correct the wrong one, in the file that states it or by --fps or --predictions-fps" in said


@pytest.mark.parametrize(("labels_fps", "predictions_fps", "seconds"), [("25", "12.5", 40), ("25", "24.5", 60), ("30", "29.97", 400)])
def test_one_film_taken_at_two_rates_is_joined_by_its_time(tmp_path, capsys, labels_fps, predictions_fps, seconds):
    for side, rate in (("truth", labels_fps), ("found", predictions_fps)):
        time_s = np.arange(round(seconds * float(rate))) / float(rate)
        left_px = 100 + 300 * (1 + np.sin(time_s / 2))  # at most 6 px from one frame to the next one of the other side
        rows = "".join(f"{frame},1,{left:.2f},100,80,60,1,2,1\n" for frame, left in enumerate(left_px, start=1))
        put(tmp_path, **{side: {"v/gt/gt.txt": rows, "v/seqinfo.ini": SEQINFO.format(rate)}})
    assert values(tmp_path, capsys)[0]["MOTA"] > 0.99


def test_boxes_that_motchallenge_marks_as_not_considered_are_left_out_and_counted(tmp_path, capsys):
    truth = TEXT.format(1, 0, 0)
    found, said = values(texts(tmp_path, truth, TEXT.format(0.9, 0.8, 0.7)), capsys, more=OF_TEXT)
    told = "boxes with the confidence 0 are marked as not considered, and left out as by TrackEval: 2"
    assert f"truth/v.txt: {told}" in said
    # Two boxes are found, and two predictions are where nothing is considered: as without these rows.
    assert (found["MOTA"], found["IDF1"]) == (0, pytest.approx(2 / 3))
    put(tmp_path, truth={"v.txt": "".join(line for line in truth.splitlines(keepends=True) if ",60,0," not in line)})
    again, said = values(tmp_path, capsys, more=OF_TEXT)
    assert (again, "not considered" in said) == (found, False)
    good(capsys, *sides(tmp_path, "detection", *OF_TEXT))


@pytest.mark.parametrize(
    ("truth", "told"),
    [
        (
            TEXT.replace(",1,2,1", ",0,2,1").format(0, 0, 0),
            "every box of the ground truth has the confidence 0, which marks it as not considered; write 1 where a box counts",
        ),
        (TEXT.format(1, 0, 0.5), "an annotated box has the confidence 0.0; are ground truth and predictions swapped?"),
    ],
)
def test_confidences_of_labels_that_consider_nothing_or_are_not_all_0_or_1_are_refused(tmp_path, capsys, truth, told):
    assert told in fault(capsys, *sides(texts(tmp_path, truth, TEXT.format(1, 1, 1)), "tracks", *OF_TEXT, "--variant", "classes=one"))


def test_a_prediction_may_have_the_confidence_0(tmp_path, capsys):
    found, said = values(texts(tmp_path, TEXT.format(1, 1, 1), TEXT.format(1, 0, 0)), capsys, more=OF_TEXT)
    assert (found["MOTA"], "not considered" in said) == (1, False)


def test_boxes_of_whole_px_that_overlap_by_just_the_threshold_are_found_as_by_trackeval(tmp_path, capsys):
    # In shares of 854 px the overlap of one half is rounded to 0.4999999999999995.
    found, _ = values(texts(tmp_path, "1,1,59,50,30,30,1,2,1\n", "1,1,69,50,30,30,1,2,1\n"), capsys, more=OF_TEXT)
    assert (found["MOTA"], found["HOTA"]) == (1, pytest.approx(10 / 19))


def test_a_tracker_may_write_all_digits_of_its_numbers(tmp_path, capsys):
    row = "1,1,0.0012345678901234567,50,30,30,1,2,1\n"
    assert values(texts(tmp_path, row, row), capsys, more=OF_TEXT)[0]["HOTA"] == 1


def test_an_instrument_that_is_in_no_triplet_has_its_name_in_the_scores(study, capsys):
    for side in ("truth", "found"):
        write(study, side, {at: [tool(1, instrument=6)] for at in (1, 26)})
    (first, *_), _ = results(capsys, study, "tracks", "classes=averaged")
    assert first["classes"]["6"] == {"name": "specimen-bag", "value": 1, "n": 4}


MOT = "".join(f"{frame},1,100,100,80,60,1,2,1\n" for frame in (1, 2, 3))


def test_a_tracker_that_finds_nothing_needs_no_format(tmp_path, capsys):
    put(
        tmp_path,
        truth={"a.txt": MOT, "b.txt": MOT},
        found={"a.txt": "", "b.txt": "", "readme.md": "epoch 12", "seen/a.jpg": "x", "a.mp4": "x"},
    )
    size = ("--image-size", "854x480")
    found, said = values(tmp_path, capsys, more=size)
    assert (found["HOTA"], found["MOTA"], found["IDF1"]) == (0, 0, 0)
    assert f"{tmp_path / 'found'}: nothing is predicted in any video; look whether" in said
    named, said = values(tmp_path, capsys, more=(*size, "--predictions-from", "mot"))
    assert (repr(named), "nothing is predicted" in said) == (repr(found), True)


@pytest.mark.parametrize("list_", [{"classes.txt": "grasper\nhook\n"}, {"data.yaml": "names: [grasper, hook]\n"}])
def test_a_list_of_classes_beside_files_that_are_all_empty_tells_no_format(tmp_path, capsys, list_):
    put(tmp_path, truth={"a.txt": MOT}, found={"a.txt": "", **list_})
    found, said = values(tmp_path, capsys, more=("--image-size", "854x480"))
    assert (found["HOTA"], "found: read as mot" in said, "nothing is predicted in any video" in said) == (0, True, True)


@pytest.mark.parametrize(
    "other", [{"b.txt": "nothing found"}, {"b.csv": "x"}, {"b.json": '{"epochs": 12}'}, {"b.zip": "PK"}, {"c/b.png": "x"}]
)
def test_empty_files_beside_others_are_of_no_known_format(tmp_path, capsys, other):
    put(tmp_path, truth={"a.txt": MOT, "b.txt": MOT}, found={"a.txt": "", **other})
    said = fault(capsys, *sides(tmp_path, "tracks", "--image-size", "854x480"))
    assert "this looks like no format" in said
