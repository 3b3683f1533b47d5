"""Frames called `frame_000001`: the folder names their recording, in every format that names recordings by pictures or files."""

import json

import pytest

from label_examples import faults_of, read_files
from score_runs import good
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.parse.fields import recording_and_frame
from scrubin.labels.registry import format_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A/frame_000001.jpg", ("A", 1)),
        ("study/A/Frame_000001.jpg", ("A", 1)),
        ("A/img_000001.txt", ("A", 1)),
        ("A/images/000001.png", ("A", 1)),
        ("A/labels/train/frame_000001.txt", ("A", 1)),
        ("A/000001.png", ("A", 1)),
        ("A/B_000001.png", ("B", 1)),
        ("A/frame_B_000001.png", ("frame_B", 1)),
        ("frame_000001.jpg", ("frame", 1)),
        ("images/frame_000001.jpg", ("frame", 1)),
        ("./frame_000001.jpg", ("frame", 1)),
        ("/frame_000001.jpg", ("frame", 1)),
        ("images/000001.jpg", ("images", 1)),
        ("train/000001.jpg", ("train", 1)),
        ("VID01_000025_jpg.rf.309cad68386d070c415ed7e70cad1946.jpg", ("VID01", 25)),
        ("A/frame.jpg", None),
    ],
)
def test_the_folder_names_the_recording_where_the_first_word_is_that_of_any_frame(name, expected):
    assert recording_and_frame(name) == expected


def test_the_folder_that_was_named_and_those_above_it_name_no_recording():
    assert recording_and_frame("predictions/frame_000001.txt", "predictions") == ("frame", 1)
    assert recording_and_frame("predictions/A/frame_000001.txt", "predictions") == ("A", 1)


def coco(names):
    images = [{"id": k, "file_name": name, "width": 100, "height": 100} for k, name in enumerate(names)]
    boxes = [{"id": k + 1, "image_id": k, "category_id": 1, "bbox": [10, 10, 20, 20]} for k in range(len(names))]
    return {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "stapler"}]}


LABELME = json.dumps(
    {"shapes": [{"label": "hook", "points": [[1, 1], [9, 9]], "shape_type": "rectangle"}], "imageHeight": 9, "imageWidth": 9}
)
CVAT = """<annotations><version>1.1</version>
<image id="0" name="A/frame_000001.png" width="9" height="9"><box label="hook" xtl="1" ytl="1" xbr="5" ybr="5"/></image>
<image id="1" name="B/frame_000002.png" width="9" height="9"/></annotations>"""


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("coco", {"x.json": json.dumps(coco(["A/frame_000001.jpg", "B/frame_000002.jpg"]))}),
        ("yolo", {"A/frame_000001.txt": "0 0.5 0.5 0.1 0.1", "B/labels/frame_000002.txt": "", "classes.txt": "hook"}),
        ("yolo-seg", {"A/frame_000001.txt": "0 0.1 0.1 0.5 0.1 0.5 0.5", "B/labels/frame_000002.txt": "", "classes.txt": "hook"}),
        ("labelme", {"A/frame_000001.json": LABELME, "B/images/frame_000002.json": LABELME}),
        ("cvat-images", {"x.xml": CVAT}),
    ],
)
def test_two_recordings_whose_frames_are_called_frame_stay_two(form, files):
    recordings = read_files(form, {name: text.encode() for name, text in files.items()}).recordings
    assert [(labels.recording, labels.instances.positions.tolist()[-1]) for labels in recordings] in (
        [("A", 1), ("B", 2)],
        [("A", 0), ("B", 0)],
    )


def test_pictures_without_a_folder_are_of_the_folder_of_the_file_that_names_them_where_there_are_several():
    files = {f"root/{of}/annotations/x.json": json.dumps(coco(["frame_000001.jpg"])).encode() for of in "AB"}
    recordings = reader.read_contents(files, format_of("coco"), Options(root="root")).collection.recordings
    assert [labels.recording for labels in recordings] == ["A", "B"]
    (alone,) = reader.read_contents(dict(list(files.items())[:1]), format_of("coco"), Options(root="root")).collection.recordings
    assert alone.recording == "frame"


def test_pictures_that_name_no_recording_are_named_where_no_folder_does():
    data = json.dumps(coco(["frame_000001.jpg"])).encode()
    (fault,) = reader.read_contents({"x.json": data}, format_of("coco"), Options()).faults
    assert fault.sentence.startswith("frame: names of pictures say so of a frame and name no recording")
    (fault,) = [one for one in faults_of("coco", {"x.json": data, "y.json": data}) if one.severity == "error"]
    assert fault.sentence.endswith("stands twice; put the labels of each video into a folder that is called like it")


def test_frames_of_labelme_with_the_same_name_in_two_folders_are_of_two_recordings():
    files = {f"{folder}/frame_000001.json": LABELME.encode() for folder in "AB"}
    assert [labels.recording for labels in read_files("labelme", files).recordings] == ["A", "B"]


@pytest.mark.parametrize(("form", "text", "suffix"), [("yolo", "0 0.5 0.5 0.1 0.1\n", "txt"), ("labelme", LABELME, "json")])
def test_files_in_the_folder_that_was_named_are_of_the_recording_that_they_were_of(tmp_path, monkeypatch, form, text, suffix):
    (tmp_path / "found").mkdir()
    (tmp_path / f"found/frame_000001.{suffix}").write_text(text)
    (tmp_path / "found/classes.txt").write_text("hook\n")
    for here, path in ((tmp_path, tmp_path / "found"), (tmp_path / "found", tmp_path.__class__("."))):
        monkeypatch.chdir(here)
        (labels,) = reader.read_path(path, format_of(form), Options()).collection.recordings
        assert labels.recording == "frame"


def test_average_precision_by_video_is_that_of_the_folders(tmp_path, capsys):
    names = [f"{'AB'[k > 1]}/frame_{k:06d}.jpg" for k in range(8)]
    (tmp_path / "gt.json").write_text(json.dumps(coco(names)))
    boxes = [[10, 10, 20, 20] if k < 2 else [60, 60, 20, 20] for k in range(8)]
    results = [{"image_id": k, "category_id": 1, "bbox": box, "score": 0.9} for k, box in enumerate(boxes)]
    (tmp_path / "found.json").write_text(json.dumps(results))
    out = tmp_path / "s.json"
    good(capsys, "detection", "--ground-truth", tmp_path / "gt.json", "--predictions", tmp_path / "found.json", "--out", out)
    assert json.loads(out.read_text())["results"][0]["overall"]["value"] == 0.5
