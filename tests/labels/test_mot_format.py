"""Tracks as text: MOTChallenge's layout and that of CholecTrack20's benchmark, told apart and read as what they are."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

from label_examples import EXAMPLES, dumps, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.cli import main
from scrubin.labels import registry
from scrubin.labels.files import reader
from scrubin.labels.files.detect import detected
from scrubin.labels.files.loss import Fit, fitted
from scrubin.labels.files.output import writer_of
from scrubin.labels.files.reader import Options
from scrubin.labels.registry import Output
from verdict_cases import write_files as put

SIZE = {"image_size": (854, 480)}
ROW = "1,4,85.4,48,170.8,96,0.98,0,1\n"


def one(text, form="mot", name="VID02.txt", **options):
    (labels,) = read_files(form, {f"a/{name}": text.encode()}, **(SIZE if form == "mot" else {}), **options).recordings
    return labels


def said(text, **options):
    return [fault.sentence for fault in faults_of("mot", {"a/VID02.txt": text.encode()}, **{**SIZE, **options})]


def test_frames_count_from_1_and_boxes_are_shares_of_the_image():
    labels = one(ROW + "3,9,500,200,100.5,80.25,0.5,6,-1\n")
    rows = labels.instances.rows
    assert rows["position"].tolist() == labels.instances.positions.tolist() == [0, 2]
    assert rows.loc[0, ["x", "y", "w", "h"]].tolist() == pytest.approx([0.1, 0.1, 0.2, 0.2])
    assert (rows["track"].tolist(), rows["instrument_id"].tolist(), rows["score"].tolist()) == ([4, 9], [0, 6], [0.98, 0.5])


def test_frames_of_cholectrack20_are_those_of_its_json():
    labels = one(
        "1, 1, 594.27, 247.59, 71.24, 174.88, 0.98, 0, -1, -1\n26, 3, 115.49, 39.98, 95.33, 233.93, 0.46, 4, -1, -1\n", "cholectrack20-txt"
    )
    assert labels.instances.positions.tolist() == [1, 26]
    assert labels.instances.rows["x"].tolist() == pytest.approx([594.27 / 854, 115.49 / 854])
    assert labels.clock.period_s is None


@pytest.mark.parametrize(
    ("row", "form"),
    [
        (ROW, "mot"),
        ("1,3,113.84,274.5,57.307,130.05,-1,-1,-1,-1\n", "mot"),
        ("1,1,399,182,121,229,1,4.4852,6.9,0\n", "mot"),
        ("1, 1, 594.27, 247.59, 71.24, 174.88, 0.98, 0, -1, -1\n", "cholectrack20-txt"),
        ("frame,id,bb_left,bb_top,bb_width,bb_height,conf,class,vis\n" + ROW, "mot"),
        ("Frame, Track ID, x, y, w, h, score\n1,4,85.4,48,170.8,96,0.98\n", "mot"),
        ("frame,id,bb_left,bb_top,bb_width,bb_height,conf,x,y,z\n1,1,399,182,121,229,1,4.4852,6.9,0\n", "mot"),
        ("frame,id,phase_confidence\n1,4,0.98\n", "phase-tables"),
    ],
)
def test_the_layouts_are_told_apart_by_their_columns(tmp_path, row, form):
    (tmp_path / "VID02.txt").write_text(row)
    assert detected(tmp_path).name == form


def test_a_first_line_may_name_the_columns_as_they_are_read():
    named = one("frame,id,bb_left,bb_top,bb_width,bb_height,conf,class,vis\n" + ROW).instances.rows
    pd.testing.assert_frame_equal(named, one(ROW).instances.rows)


def test_a_first_line_that_names_corners_or_another_order_is_refused(tmp_path):
    (fault,) = said("frame,id,x1,y1,x2,y2,conf\n1,4,85.4,48,170.8,96,0.98\n")
    assert fault.startswith(
        'a/VID02.txt: the first line has neither numbers nor the names of these columns between commas: "x2, y2"; write frame'
    )
    # Nor are tracks with such a first line phases, whose ids those of the tracks would be.
    (tmp_path / "VID02.txt").write_text("frame,id,x1,y1,x2,y2,conf\n1,4,85.4,48,170.8,96,0.98\n")
    with pytest.raises(AnnotationError, match="this looks like no format of labels"):
        detected(tmp_path)


def test_a_sequence_says_its_size_its_empty_frames_and_its_name():
    info = b"[Sequence]\nname=VID02\nimWidth = 1708\nimHeight=960\nseqLength=5\n"
    (labels,) = read_files("mot", {"a/VID02/gt/gt.txt": ROW.encode(), "a/VID02/seqinfo.ini": info}, **SIZE).recordings
    assert labels.recording == "VID02"
    assert labels.instances.positions.tolist() == [0, 1, 2, 3, 4]
    assert labels.instances.rows["w"].tolist() == pytest.approx([0.1])
    with pytest.raises(AnnotationError, match=r"frame 6 is beyond the 5 of seqinfo.ini; correct one of them"):
        read_files("mot", {"a/VID02.txt": b"6" + ROW[1:].encode(), "a/VID02/seqinfo.ini": info})


@pytest.mark.parametrize(("stated", "fps"), [("25", Fraction(25)), ("29.97", Fraction(30000, 1001)), ("0", None)])
def test_the_rate_that_a_sequence_states_is_that_of_its_frames(tmp_path, stated, fps):
    (labels,) = reader.read_path(timed(tmp_path, stated), None, Options()).collection.recordings
    assert (labels.counts_time, labels.clock.period_s) == (fps is not None, 1 / (fps or 1))


def test_nobody_is_told_that_no_file_states_the_rate_which_a_sequence_does_and_another_one_is_refused(tmp_path, capsys):
    arguments = ["convert", str(timed(tmp_path, "25")), "--to", "coco", "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    assert "states the rate" not in capsys.readouterr().err
    assert main([*arguments, "--fps", "24"]) == 1
    assert "--fps 24: the file of VID02 states 25 frames per second; leave --fps out" in capsys.readouterr().err


def test_a_whole_rate_of_a_sequence_is_the_rounding_of_the_one_that_is_said(tmp_path, capsys):
    arguments = ["convert", str(timed(tmp_path, "30")), "--to", "mot", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--fps", "30000/1001"]) == 0
    assert main([*arguments, "--fps", "25"]) == 1
    assert "states 30 frames per second; leave --fps out" in capsys.readouterr().err


def test_rates_of_several_recordings_are_written_each_and_read_again(tmp_path, capsys):
    folder = timed(tmp_path, "29.97")
    (folder / "VID03.txt").write_text(ROW)
    out = tmp_path / "out"
    assert main(["convert", str(folder), "--to", "mot", "--fps", "25", "--image-size", "1708x960", "--out", str(out)]) == 0
    assert "which no file of it states" not in capsys.readouterr().err
    read = reader.read_path(out, None, Options()).collection.recordings
    assert {one.recording: 1 / one.clock.period_s for one in read} == {"VID02": Fraction(30000, 1001), "VID03": 25}


def timed(folder, rate):
    files = {"gt/gt.txt": ROW.encode(), "seqinfo.ini": f"[Sequence]\nimWidth=1708\nimHeight=960\nframeRate={rate}\n".encode()}
    return put(folder / "in" / "VID02", files).parent


def test_a_first_box_in_frame_2_is_no_hint():
    assert not said("".join(f"{frame}{ROW[1:]}" for frame in range(2, 14)))


@pytest.mark.parametrize("name", ["autolaparo", "egosurgery", "endovis-pose", "label-studio", "mot"])
def test_every_format_that_takes_off_its_first_number_says_so(name):
    assert registry.format_of(name).by_hand.first == 1
    files = EXAMPLES[name]
    with pytest.raises(AnnotationError, match=f"--first-frame 1: {name} numbers frames from 1"):
        read_files(name, files, first=1)


def test_classes_are_those_that_a_sequence_lists():
    files = {"a/VID02.txt": ROW.encode(), "a/VID02/seqinfo.ini": b"classes = hook, grasper\n"}
    (labels,) = read_files("mot", files, **SIZE).recordings
    assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]].lower() == "hook"


FIRST = ROW.replace(",0,1\n", ",1,1\n")


def sequence(row=FIRST, names="hook\ngrasper\n", info="imWidth=854\nimHeight=480\n"):
    return {"a/VID02/gt/gt.txt": row.encode(), "a/VID02/gt/labels.txt": names.encode(), "a/VID02/seqinfo.ini": info.encode()}


def test_classes_are_those_of_labels_txt_beside_from_1_on(tmp_path):
    (labels,) = read_files("mot", sequence()).recordings
    assert labels.recording == "VID02"
    assert [labels.vocabulary.instruments[id_].lower() for id_ in labels.instances.rows["instrument_id"]] == ["hook"]
    (labels,) = read_files("mot", sequence(ROW.replace(",0,1\n", ",10,1\n"), "".join(f"label_{at}\n" for at in range(10)))).recordings
    assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]] == "label_9"
    assert detected(put(tmp_path, sequence())).name == "mot"


def test_a_sequence_that_lists_classes_itself_counts_them_from_0_whatever_labels_txt_says():
    (labels,) = read_files("mot", sequence(ROW, info="imWidth=854\nimHeight=480\nclasses=grasper,hook\n")).recordings
    assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]].lower() == "grasper"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"row": ROW}, "a/VID02/gt/gt.txt, line 1: 'class' is 0, expected a whole number in 1..2"),
        (
            {"names": "hook\n\ngrasper\n"},
            'a/VID02/gt/labels.txt, line 2: "" is no name of a class; give one name per line, the first is class 1',
        ),
        ({"names": "hook, grasper\n"}, 'a/VID02/gt/labels.txt, line 1: "hook, grasper" is no name of a class; give one name per line'),
    ],
)
def test_what_is_wrong_with_labels_txt_is_named(change, told):
    assert told in " ".join(fault.sentence for fault in faults_of("mot", sequence(**change)))


def test_boxes_without_id_class_or_confidence_are_kept_without():
    assert said("1,-1,10,20,30,40,-1,-1,-1,-1\n") == ["a/VID02.txt, frame 1: boxes have no id, as detections do"]
    row = one("1,-1,10,20,30,40,-1,-1,-1,-1\n").instances.rows
    assert "track" not in row
    assert row[["instrument_id", "score"]].isna().all(axis=None)


def test_a_place_in_the_world_is_no_class():
    assert said("1,1,399,182,121,229,1,4.4852,6.9,0\n") == ["a/VID02.txt: not kept: places in the world"]


def test_an_id_that_stands_twice_in_a_frame_is_an_error_and_one_of_several_instruments_is_shown():
    assert said(ROW + ROW) == [
        "a/VID02.txt, frame 1: track 4 stands twice in a frame; a track has one box in a frame; correct the id, or remove a box"
    ]
    jumps = "a/VID02.txt: ids in track have several instruments: 4 (grasper and hook); give another instrument another id"
    assert said(ROW + ROW.replace("1,4", "2,4").replace(",0,1", ",2,1")) == [jumps]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("0" + ROW[1:], "line 1: 'frame' is 0, expected a whole number from 1"),
        ("1.5" + ROW[1:], "line 1: 'frame' is 1.5, expected a whole number"),
        ("1,4,85.4,48,170.8,0,0.98,0,1\n", "give a width and a height above 0"),
        ("1,4,85.4,48,170.8,96,7,0,1\n", "line 1: confidence 7 is not in 0..1; write -1 where there is none"),
        (
            "1,4,85.4,48,170.8,96,0.98,7,1\n",
            "'class' is 7, expected a whole number in 0..6; ids are numbered from 0; these look numbered from 1",
        ),
        ("1,4,0.1,0.1,0.2,0.2,0.98,0,1\n", "it looks like shares of the image; multiply by its size"),
        ("1,4,85.4\n", "line 1: 3 values, expected 7 to 10; write frame, id, left, top"),
        ("1,x,85.4,48,170.8,96,0.98,0,1\n", "is not all numbers"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_the_mend(row, fault):
    assert fault in " ".join(said(row))


NOT_CONSIDERED = "1,4,85.4,48,170.8,96,1,0,1\n2,5,85.4,48,170.8,96,0,1,1\n"


def test_boxes_that_are_not_considered_are_left_out_of_labels_and_counted(tmp_path, capsys):
    rows = one(NOT_CONSIDERED).instances
    assert (rows.rows["position"].tolist(), rows.positions.tolist()) == ([0], [0, 1])
    told = "boxes with the confidence 0 are marked as not considered, and left out as by TrackEval: 1"
    assert said(NOT_CONSIDERED) == [f"a/VID02.txt: {told}"]
    (tmp_path / "VID02.txt").write_text(NOT_CONSIDERED)
    assert main(["convert", str(tmp_path), "--image-size", "854x480", "--to", "tables-csv", "--out", str(tmp_path / "out")]) == 0
    assert told in capsys.readouterr().err
    assert len((tmp_path / "out/triplets.csv").read_text().splitlines()) == 1 + 1


def test_confidences_of_predictions_and_such_as_are_not_0_and_1_alone_are_kept():
    assert one(NOT_CONSIDERED, predicted=True).instances.rows["score"].tolist() == [1, 0]
    assert one(NOT_CONSIDERED.replace(",96,1,0", ",96,0.5,0")).instances.rows["score"].tolist() == [0.5, 0]
    assert said(NOT_CONSIDERED.replace(",96,1,0", ",96,0,0")) == [
        "a/VID02.txt: every box of the ground truth has the confidence 0, which marks it as not considered; write 1 where a box counts"
    ]


def test_a_size_that_nothing_states_is_asked_for():
    (sentence,) = said(ROW, image_size=None)
    assert "nothing says the size of the images; give --image-size WIDTHxHEIGHT, or seqinfo.ini with imWidth and imHeight" in sentence


def test_what_is_written_of_cholectrack20_is_the_track_of_the_operation():
    out = write_files("mot", read_files("cholectrack20", EXAMPLES["cholectrack20"]))
    assert out.files["VID02.txt"].decode().splitlines()[0].split(",")[:2] == ["26", "4"]
    assert out.losses["'visibility_track' of instances"] == 3
    assert b"seqLength" not in out.files["VID02/seqinfo.ini"]
    assert out.losses["frames labelled as empty"] == 1


def cholectrack20_of(frames):
    tool = {"instrument": 0, "tool_bbox": [0.1, 0.1, 0.2, 0.2], "intraoperative_track": 1}
    return {"c/VID02.json": dumps({"annotations": {str(frame): [tool] for frame in frames}})}


def test_frames_of_a_video_that_look_as_if_they_were_numbered_from_one_are_told_and_can_be_said_to_be_so():
    # The authors' own example shows frame 11851.
    files = cholectrack20_of(range(11851, 11851 + 25 * 12, 25))
    (told,) = [fault for fault in faults_of("cholectrack20", files) if fault.rule == "frames-from-one"]
    assert told.what == "every frame is 1, or 1 and a multiple of 25, as where pictures of a video are numbered from 1"
    assert told.fix == "if frame 1 is the first one of the video, give --first-frame 1"
    assert not faults_of("cholectrack20", files, first=1)
    # At one per second it makes no difference: each second has one of them.
    once_a_second = Fit("cholectrack20", Fraction(25), to_fps=Fraction(1), image_size=(9, 9))
    for first in (0, 1):
        kept, losses = fitted(read_files("cholectrack20", files, first=first), writer_of("labelme"), replace(once_a_second, first=first))
        assert losses == {"'intraoperative_track' of instances": 12}
        assert kept.recordings[0].instances.positions.tolist() == list(range(474, 486))
    assert not faults_of("cholectrack20", cholectrack20_of(range(0, 300, 25)))


def test_a_track_of_no_kind_has_no_place_in_cholectrack20s_json_and_is_counted():
    out = Output()
    writer = writer_of("cholectrack20")
    labels = read_files("mot", {"a/VID02.txt": (ROW + "3,9,500,200,100.5,80.25,0.5,6,-1\n").encode()}, **SIZE)
    writer.write(fitted(labels, writer, Fit("mot"))[0], out)
    assert out.losses == {"'track' of instances": 2}
