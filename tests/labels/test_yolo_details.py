"""YOLO text of outlines and poses: masks where the size of the images is said, points by their names, and refused with their place."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from pycocotools import mask as reference

from each import each
from fault_lines import sentences
from label_examples import faults_of, read_files
from scrubin import cli
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.detect import detected
from scrubin.labels.files.reader import Options, read, read_path
from scrubin.labels.formats.objects.yolo_pose import write
from scrubin.labels.points import POINTS, Point, unlabelled
from scrubin.labels.registry import Output, format_of
from verdict_cases import write_files as put

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZE = (57, 41)


def files_of(*rows):
    return {"y/v1_000004.txt": "".join(f"{row}\n" for row in rows).encode(), "y/classes.txt": b"cutter\nhook 2\n"}


def row_of(corners, class_=0, *more):
    return " ".join(map(str, [class_, *np.ravel(corners).tolist(), *more]))


def test_corners_are_the_mask_that_pycocotools_draws_in_pixels():
    rng = random.Random(2)
    drawn = [[[round(rng.random(), 4), round(rng.random(), 4)] for _ in range(rng.randint(5, 9))] for _ in range(50)]
    files = files_of(*(row_of(corners) for corners in drawn))
    (labels,) = read_files("yolo-seg", files, image_size=SIZE).recordings
    for row, corners in zip(labels.instances.rows.to_dict("records"), drawn, strict=True):
        (expected,) = reference.frPyObjects([(np.array(corners) * SIZE).ravel().tolist()], *SIZE[::-1])
        assert row["mask"] == expected["counts"].decode()
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        assert [row[side] for side in "xywh"] == pytest.approx([*low, *(high - low)])
    assert labels.frames.to_dict("records") == [{"position": 4, "width": 57, "height": 41}]


TRIANGLE = [[0.1, 0.1], [0.9, 0.1], [0.5, 0.8]]


def test_a_confidence_stands_behind_the_corners():
    (labels,) = read_files("yolo-seg", files_of(row_of(TRIANGLE, 1, 0.25), row_of(TRIANGLE)), image_size=SIZE).recordings
    assert labels.instances.rows["score"].tolist() == [0.25, 1.0]
    assert labels.instances.rows["instrument_id"].tolist() == [1, 0]
    assert labels.instances.rows["mask"].nunique() == 1


def test_without_the_size_of_the_images_only_boxes_are_read_and_that_is_told():
    files = files_of(row_of(TRIANGLE))
    (labels,) = read_files("yolo-seg", files).recordings
    assert "mask" not in labels.instances.rows
    assert sentences(faults_of("yolo-seg", files)) == (
        "y/v1_000004.txt, line 1: only the box around the corners is read; say the size of the images: --image-size",
    )


OF_FORM = {"yolo": {"vocabulary": "prostatd"}, "yolo-seg": {"image_size": SIZE}}


@each(
    "form, row, message",
    [
        ("yolo-seg", "0 .1 .1 .5 .5", "5 values, expected a class and three or more corners; rows with one id are the format yolo"),
        ("yolo-seg", "0 .1 .1 .5 .5 .2 .9 1.5", r"confidence 1.5 is not in 0\.\.1"),
        ("yolo-seg", "7 .1 .1 .5 .5 .2 .9", r"class 7 is not in 0\.\.1"),
        ("yolo-seg", "0 .1 .1 .5 .5 .2 1.9", "corners from 0.1 0.1 to 0.5 1.9: .* it leaves the image by 0.9"),
        ("yolo-seg", "0 .1 .1 .1 .5 .1 .9", "it has no area"),
        ("yolo-seg", "0 .1 .1 nan .5 .1 .9", "is not all numbers"),
        ("yolo-seg", "0 12 12 40 12 12 40", "it looks like pixels"),
        ("yolo", "20 .2 .2 .7 .7", "box 0.2 0.2 0.7 0.7 is not a centre .*; it may be a corner and a size, or two corners"),
        ("yolo", "20 1.2 .5 .2 .2", "; draw it inside the image"),
        ("yolo", "20 352 225 50 40", "; it looks like pixels"),
        ("yolo", "20 .5 .5 0 .2", "; give a width and a height above 0"),
        ("yolo", "1_0 .5 .5 .2 .2", "is not all numbers"),
        ("yolo", "20 nan .5 .2 .2", "is not all numbers"),
        ("yolo", "20 .5 .5 .2 .2 1.5", r"confidence 1.5 is not in 0\.\.1"),
        ("yolo", "1e999 .5 .5 .2 .2", r"class inf is not in 0\.\.88"),
    ],
)
def test_a_row_that_is_none_is_refused_with_its_line(form, row, message):
    files = files_of(row) if form == "yolo-seg" else {"y/v1_000004.txt": row.encode()}
    with pytest.raises(AnnotationError, match=f"v1_000004.txt, line 1: .*{message}"):
        read_files(form, files, **OF_FORM[form])


def coco_of(*sizes):
    """A COCO file with a mask of two parts, or of one pixel, in an image of each size."""
    images, annotations = [], []
    for at, (width, height) in enumerate(sizes):
        pixels = np.zeros((height, width), np.uint8, order="F")
        pixels[height // 3 : -1, 1 : width // 2] = pixels[0, -1] = 1
        counts = reference.encode(pixels)["counts"].decode()
        images.append({"id": at, "file_name": f"v{at}_000000.png", "width": width, "height": height})
        mask = {"size": [height, width], "counts": counts}
        annotations.append({"id": at + 1, "image_id": at, "category_id": 1, "bbox": [0, 0, width, height], "segmentation": mask})
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "grasper"}]})


@pytest.mark.parametrize("size", [(57, 41), pytest.param((8191, 5461), marks=pytest.mark.slow)])
def test_the_size_that_convert_says_when_it_writes_reads_the_same_pixels_back(size, tmp_path, capsys):
    (tmp_path / "labels.json").write_text(coco_of(size))
    assert cli.main(["convert", str(tmp_path / "labels.json"), "--to", "yolo-seg", "--out", str(tmp_path / "y")]) == 0
    (said,) = re.findall(r"yolo-seg: no file states the size of the images; to read masks back, say (.*)\n", capsys.readouterr().err)
    assert said == f"--image-size {size[0]}x{size[1]}"
    assert cli.main(["convert", str(tmp_path / "y"), "--to", "coco", *said.split(), "--out", str(tmp_path / "again.json")]) == 0
    first, again = (json.loads((tmp_path / name).read_text())["annotations"][0] for name in ("labels.json", "again.json"))
    assert again["segmentation"] == first["segmentation"]


def test_images_of_several_sizes_are_told_to_need_a_folder_each(tmp_path, capsys):
    (tmp_path / "labels.json").write_text(coco_of((57, 41), (64, 48), (57, 41)))
    assert cli.main(["convert", str(tmp_path / "labels.json"), "--to", "yolo-seg", "--out", str(tmp_path / "y")]) == 0
    assert (
        "yolo-seg: no file states the size of the images, and these are of 2: 57x41, 64x48; --image-size is one for all that is read, so "
        "convert images of each size into a folder of their own\n"
    ) in capsys.readouterr().err


BOX = "0.35 0.25 0.5 0.25"
ROW = f"0 {BOX} 0.25 0.2 2 0.4 0.3 1\n"
CLASSES = "names: [needle driver of a robot, needle]\n"
NAMED = f"{CLASSES}kpt_shape: [2, 3]\nkpt_names:\n  0: [tip, hinge]\n  1: [tip]\n"


def collection(row, yaml=NAMED):
    files = {"p/labels/v1_000004.txt": row.encode(), "p/data.yaml": yaml.encode()}
    return read(files, format_of("yolo-pose"), Options())


def points(row, yaml=NAMED):
    rows = collection(row, yaml).recordings[0].instances.rows
    return rows[POINTS][0] if POINTS in rows else None


def faults(row, yaml=NAMED):
    with pytest.raises(AnnotationError) as caught:
        collection(row, yaml)
    return [f"{fault.place}: {fault.rule}: {fault.what}" for fault in caught.value.faults]


def test_points_have_the_names_of_their_class():
    assert points(ROW) == (Point("tip", 0.25, 0.2, 2), Point("hinge", 0.4, 0.3, 1))
    assert points(f"1 {BOX} 0.25 0.2 2 0 0 0\n") == (Point("tip", 0.25, 0.2, 2),)


def test_points_that_nobody_named_are_numbered():
    assert [point.name for point in points(ROW, CLASSES)] == ["1", "2"]


def test_points_without_visibility_are_seen_where_they_have_a_place():
    assert points(f"0 {BOX} 0.25 0.2 0 0\n", f"{CLASSES}kpt_shape: [2, 2]\n") == (Point("1", 0.25, 0.2, 2), unlabelled("2"))


def test_a_prediction_has_confidences_and_may_leave_the_image():
    row = f"0 {BOX} 1.25 0.2 0.75 0 0 0 0.5\n"
    assert points(row) == (Point("tip", 1.25, 0.2, 2), unlabelled("hinge"))
    assert collection(row).recordings[0].instances.rows["score"].tolist() == [0.5]


def test_what_was_written_is_read_as_the_same():
    before = collection(ROW + f"1 {BOX} 0.25 0.2 2 0 0 0\n")
    out = Output()
    write(before, out)
    after = read({f"w/{name}": data for name, data in out.files.items()}, format_of("yolo-pose"), Options())
    rows = [one.recordings[0].instances.rows for one in (before, after)]
    assert rows[0][POINTS].tolist() == rows[1][POINTS].tolist()
    assert not out.losses


@pytest.mark.parametrize(
    ("row", "yaml", "said"),
    [
        (f"0 {BOX} 0.25 0.2 3 0.4 0.3 1\n", NAMED, "line 1, point tip: point-visibility: visibility 3"),
        (
            f"0 {BOX} 0.25 0.2 2 1.4 0.3 1\n",
            NAMED,
            "line 1, point hinge: point-outside: it lies outside of the image by 40.0 % of its side",
        ),
        (f"1 {BOX} 0.25 0.2 2 0.4 0.3 1\n", NAMED, "line 1, point 2: points-number: the class has 1 points"),
        (
            f"0 {BOX} 0.25 0.2 2\n",
            NAMED,
            "line 1: row-length: 8 values, expected 5 and 2 points of 3 numbers, perhaps a confidence",
        ),
        (ROW, f"{CLASSES}kpt_shape: [2]\n", ': points-form: kpt_shape is ["2"]'),
        (ROW, f"{CLASSES}kpt_names: [[tip, tip]]\n", ': points-names: kpt_names are [["tip", "tip"]]'),
        (f"0 {BOX} nan 0.2 2 0.4 0.3 1\n", NAMED, "line 1: value-type: '0 0.35 0.25 0.5 0.25 nan 0.2 2 0.4 0.3 1' is not all numbers"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(row, yaml, said):
    assert said in faults(row, yaml)


@pytest.mark.parametrize(
    ("row", "form"),
    [
        (ROW, "yolo-pose"),
        (f"0 {BOX} 0.25 0.2 2\n", "yolo-pose"),
        (f"0 {BOX}\n", "yolo"),
        (f"20 0 3 4 {BOX}\n", "yolo4"),
        ("20 0.1 0.1 0.6 0.15 0.55 0.7 0.2 0.6\n", "yolo-seg"),
        ("20 0.1 0.1 0.6 0.15 0.55 0.7 1.0 0.2 0.6 0.0\n", "yolo-seg"),
    ],
)
def test_rows_tell_poses_from_corners_and_boxes(row, form, tmp_path):
    (tmp_path / "v1_000001.txt").write_text(row, encoding="utf-8")
    assert detected(tmp_path).name == form


@pytest.mark.parametrize(
    ("row", "yaml", "form"),
    [
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 2 0.3 0.3 2 0.9", "", "yolo-pose"),
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 2 0.9", "", "yolo-pose"),
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 1 0.3 0.3 0 0.4 0.4 1 0.9", "", "yolo-pose"),
        # As programs predict: confidences instead of visibilities, which look like corners of an outline.
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 0.8 0.3 0.3 0.7 0.9", "kpt_shape: [2, 3]\n", "yolo-pose"),
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 0.3 0.3 0.9", "kpt_shape: [2, 2]\n", "yolo-pose"),
        ("93 0 1 2 0.2 0.2 0.2 0.2 0.9", "", "yolo4"),
    ],
)
def test_predicted_poses_are_told_apart_from_outlines_and_boxes(tmp_path, row, yaml, form):
    (tmp_path / "labels").mkdir()
    for frame in range(3):
        (tmp_path / f"labels/v1_{frame:06d}.txt").write_text(f"{row}\n")
    (tmp_path / "data.yaml").write_text(f"names: [hook, grasper]\n{yaml}")
    assert detected(tmp_path).name == form
    assert detected(tmp_path / "labels").name == form


def found_of(folder, rows, yaml="", name="classes.txt", below="labels"):
    """The format that texts with these rows look like, one a file; that there are two is said by both names."""
    (folder / below).mkdir(parents=True)
    for frame, row in enumerate(rows):
        (folder / below / f"v1_{frame:06d}.txt").write_text(f"{row}\n")
    (folder / name).write_text("hook\ngrasper\n" if name == "classes.txt" else f"names: [hook, grasper]\n{yaml}")
    try:
        return detected(folder).name
    except AnnotationError as error:
        return str(error).removeprefix(f"{folder}: ")


TWO_POINTS = "0 .5 .5 .2 .2 .45 .45 .55 .55"


@pytest.mark.parametrize(
    ("row", "yaml", "name", "below"),
    [
        (f"{TWO_POINTS} .5 .5", "kpt_shape: [3, 2]\n", "data.yaml", "labels/train"),
        (f"{TWO_POINTS} .5 .5", "kpt_shape: [3, 2]\n", "data.yaml", "labels/train/v1"),
        (f"{TWO_POINTS} .5 .5", "kpt_shape:\n- 3\n- 2\n", "data.yaml", "labels"),
        (f"{TWO_POINTS} .5 .5", "kpt_shape: [3, 2]\n", "tools-pose.yaml", "labels/train"),
        (f"{TWO_POINTS} .5 .5", "kpt_shape: [3, 2]\n", "tools-pose.yml", "labels"),
        (f"{TWO_POINTS} .5 .5", f"{'#' * 5000}\nkpt_shape: [3, 2]\n", "data.yaml", "labels"),
        ("0 .5 .5 .2 .2 .45 .45 1 .55 .55 1", "kpt_shape: [2, 3]\n", "data.yaml", "labels/train"),
        ("0 .5 .5 .2 .2 .45 .45 1", "kpt_shape: [1, 3]\n", "data.yaml", "labels/train"),
        ("0 .5 .5 .2 .2 .45 .45", "kpt_shape: [1, 2]\n", "data.yaml", "labels"),
        ("0 .5 .5 .2 .2 .45 .45 .98 .87 1", "kpt_shape: [1, 3]\n", "data.yaml", "labels"),
    ],
)
def test_any_yaml_that_states_the_shape_of_points_tells_them_from_corners(tmp_path, row, yaml, name, below):
    assert found_of(tmp_path / "a", [row], yaml, name, below) == "yolo-pose"


BOTH = "this could be yolo-pose or yolo-seg; name the format by --from: yolo-pose or yolo-seg"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (["0 .5 .5 .2 .2 .45 .45 .98 .55 .55 .87 .5 .5 .91 .77"], BOTH),
        (["0 .5 .5 .2 .2 .45 .45 .98 .55 .55 .87 .5 .5 .91"], BOTH),
        (["0 .5 .5 .2 .2 .45 .45 1 .55 .55 1"], BOTH),
        (["0 .5 .5 .2 .2 .45 .45 1"], BOTH),
        ([f"{TWO_POINTS} .87"], "yolo-seg"),
        # Points are as many in every row, and their box lies inside the image.
        ([f"{TWO_POINTS} .5 .5", "1 .1 .1 .3 .1 .3 .3 .1 .3 .05 .2 .06 .15"], "yolo-seg"),
        ([f"{TWO_POINTS} .5 .5", "0 .5 .5 .2 .2 .3 .3 .1 .3 .05 .2"], BOTH),
        ([f"{TWO_POINTS} .5 .5", "1 .1 .1 .3 .1 .3 .3 .1 .3 .05 .2"], "yolo-seg"),
        ([f"{TWO_POINTS} .7 .9", "0 .5 .5 .2 .2 .45 .45 2 .55 .55 2 .9"], "yolo-pose"),
    ],
)
def test_rows_that_could_be_points_or_corners_are_told_by_other_files_or_asked_for(tmp_path, rows, found):
    assert found_of(tmp_path / "a", rows) == found


def test_an_outline_that_is_traced_is_one_though_its_row_is_as_long_as_one_of_points(tmp_path):
    traced = [(0.5 + 0.2 * np.cos(at / 5), 0.5 + 0.2 * np.sin(at / 5)) for at in range(31)]
    assert (len(traced) * 2 + 1 - 5) % 3 in (0, 1)
    assert found_of(tmp_path / "a", [row_of(traced)]) == "yolo-seg"


@each("row", [f"{TWO_POINTS} .7 .5", "0 .4 .4 .6 .4 .6 .6 .4 .6", "0 .4 .4 .6 .4 .6 1.001 .4 .6", "0 .4 .4 .6 .4 .6 .6 .4 .6 .9 2"])
def test_yaml_that_names_classes_and_no_points_says_corners(row, tmp_path):
    assert found_of(tmp_path / "a", [row], name="data.yaml") == "yolo-seg"
    assert found_of(tmp_path / "b", [row], name="tools.yml", below="labels/train/v1") == "yolo-seg"


@each("row", ["0 .5 .5 .4 .4 .40 .42 .91 .61 .62 .80", "0 .5 .5 .4 .4 .40 .42 .91 .61 .62 .80 .77", "0 .5 .5 .4 .4 .40 .42 .91"])
def test_a_box_with_points_in_it_is_asked_for_though_yaml_names_classes_alone(row, tmp_path):
    assert found_of(tmp_path / "a", [row, row], name="data.yaml") == BOTH
    assert found_of(tmp_path / "b", [row, "0 .1 .1 .3 .1 .3 .3 .1 .3 .05 .2"], name="data.yaml") == "yolo-seg"


def test_a_corner_just_outside_makes_no_poses_where_other_rows_say_corners(tmp_path):
    assert found_of(tmp_path / "a", ["0 .4 .4 .6 .4 .6 1.001 .4 .6", row_of(TRIANGLE)]) == "yolo-seg"
    assert found_of(tmp_path / "b", ["0 .4 .4 .6 .4 .6 1.001 .4 .6"]) == BOTH


def test_a_triangle_on_the_edge_of_the_image_is_one_where_yaml_or_other_rows_say_corners():
    edge, five = "0 .4 .4 .6 .4 .5 1", "0 .4 .4 .6 .4 .6 .6 .4 .6 .3 .5"
    stated = {"y/v1_000004.txt": f"{edge}\n{row_of(TRIANGLE)}\n".encode(), "y/data.yaml": b"names: [cutter, hook 2]\n"}
    for files in (files_of(edge, five), stated):
        (labels,) = read_files("yolo-seg", files).recordings
        assert labels.instances.rows["h"][0] == pytest.approx(0.6)


def test_corners_are_refused_where_yaml_states_points():
    files = {"y/v1_000004.txt": b"0 .5 .5 .2 .2 .45 .45 .55 .55\n", "y/tools.yaml": b"names: [hook]\nkpt_shape:\n- 2\n- 2\n"}
    (told,) = sentences(faults_of("yolo-seg", files))
    assert told == (
        "y/tools.yaml: kpt_shape says that the rows have points behind a box, so they are no corners; "
        "read them as yolo-pose, or leave kpt_shape out"
    )


def test_boxes_of_a_tracker_have_the_id_of_their_track_and_are_no_triangles(tmp_path):
    rows = ["0 .5 .5 .2 .2 .9 1", "1 .5 .5 .2 .2 .8 2"]
    assert found_of(tmp_path / "a", rows) == "yolo"
    (labels,) = read_files("yolo", files_of(*rows)).recordings
    assert labels.instances.rows["track"].tolist() == [1, 2]
    assert labels.instances.rows["score"].tolist() == [0.9, 0.8]
    assert labels.instances.rows["w"].tolist() == pytest.approx([0.2, 0.2])
    (told,) = sentences(faults_of("yolo", files_of(f"0 .5 .5 .2 .2 .9 {'9' * 20}")))
    assert "7 values, expected 5, or 6 with confidence" in told
    (told,) = sentences(faults_of("yolo", files_of(rows[0], rows[0])))
    assert "track 1 stands twice in a frame" in told
    (told,) = sentences(faults_of("yolo-seg", files_of(rows[0], row_of(TRIANGLE), "0 .1 .1 .9 .1 .5 1.0")), "error")
    assert "line 1: the row of 7 values ends with a whole number, as trackers write ids behind confidences" in told


def test_an_id_in_the_place_of_the_confidence_is_told():
    rows = ["0 .5 .5 .2 .2 1", "0 .3 .5 .2 .2 1"]
    (told,) = sentences(faults_of("yolo", files_of(*rows)))
    assert "the last value of every row is 1, and is read as the confidence: ids of tracks would be lost" in told
    assert not faults_of("yolo", files_of(rows[0], "0 .3 .5 .2 .2 0.98"))
    (told,) = sentences(faults_of("yolo", files_of("0 .5 .5 .2 .2 2")))
    assert "confidence 2 is not in 0..1; write it before the id of a track, if this is one" in told


def test_ids_of_tracked_outlines_are_no_corners():
    tracked = row_of(TRIANGLE, 0, 0.9, 1)
    (told,) = sentences(faults_of("yolo-seg", files_of(tracked, tracked)))
    assert "every row ends with a whole number, as trackers write ids behind confidences, which would be one more corner" in told
    assert sentences(faults_of("yolo-seg", files_of(tracked, row_of(TRIANGLE))), "error") == ()


def test_tracked_poses_have_the_id_of_their_track():
    rows = collection(f"0 {BOX} 0.25 0.2 0.9 0.4 0.3 0.8 0.7 3\n").recordings[0].instances.rows
    assert (rows["track"].tolist(), rows["score"].tolist(), len(rows[POINTS][0])) == ([3], [0.7], 2)


def test_predicted_points_may_have_confidences_where_their_row_has_none():
    files = {"p/v1_000004.txt": f"0 {BOX} 0.25 0.2 0.9 0.4 0.3 0.8\n".encode(), "p/data.yaml": NAMED.encode()}
    (labels,) = read_files("yolo-pose", files, predicted=True).recordings
    assert labels.instances.rows[POINTS][0] == (Point("tip", 0.25, 0.2, 2), Point("hinge", 0.4, 0.3, 2))
    assert "point-visibility" in [fault.rule for fault in faults_of("yolo-pose", files)]


@each("row, score", [("0.25 0.2 0.4 0.3 0.9", 0.9), ("0.25 0.2 0.9 0.4 0.3 0.8", 1.0), ("0.25 0.2 0.9 0.4 0.3 0.8 0.7", 0.7)])
def test_predicted_points_have_two_numbers_as_those_of_the_ground_truth_or_confidences_as_well(row, score):
    truth = collection(f"0 {BOX} 0.25 0.2 0.4 0.3\n", f"{CLASSES}kpt_shape: [2, 2]\n")
    options = Options(classes=truth.recordings[0].vocabulary, lists=truth.lists, predicted=True)
    files = {"p/v1_000004.txt": f"0 {BOX} {row}\n".encode()}
    rows = read(files, format_of("yolo-pose"), options).recordings[0].instances.rows
    assert (rows[POINTS][0], rows["score"].tolist()) == ((Point("1", 0.25, 0.2, 2), Point("2", 0.4, 0.3, 2)), [score])


DARKNET = {
    "t/obj.names": b"grasper\nhook\n",
    "t/obj.data": b"classes = 2\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n",
    "t/train.txt": b"data/obj_train_data/frame_000000.jpg\n",
    "t/obj_train_data/frame_000000.txt": b"1 .5 .5 .2 .2\n",
}


def test_classes_of_darknet_are_those_of_the_file_that_its_data_names(tmp_path):
    (labels,) = read_path(put(tmp_path, DARKNET) / "t", None, Options()).collection.recordings
    assert labels.recording == "frame"
    assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]].lower() == "hook"
    (labels,) = read_files("yolo", {**DARKNET, "t/old.names": b"hook\ngrasper\n"}).recordings
    assert labels.recording == "t"
    assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]].lower() == "hook"


def test_a_list_that_darknet_names_and_that_is_missing_is_asked_for():
    (told,) = sentences(faults_of("yolo", {name: data for name, data in DARKNET.items() if name != "t/obj.names"}))
    assert told == "t/obj.data: the classes are named in data/obj.names, and there is no such file; put it beside this file"


ROW_OF_BOX, BOTH_NAMES = b"1 .5 .5 .2 .2\n", b"grasper\nhook\n"
SAME_NAMES = {
    "lists": {"y/v1_1.txt": ROW_OF_BOX, "y/classes.txt": BOTH_NAMES, "y/obj.names": BOTH_NAMES},
    "another list": {"y/v1_1.txt": ROW_OF_BOX, "y/data.yaml": b"names: [grasper, hook]\n", "y/coco.names": b"person\ncar\nbus\n"},
    "list elsewhere": {"y/v1_1.txt": ROW_OF_BOX, "y/data.yaml": b"names: [grasper, hook]\n", "y/obj.data": b"names = data/obj.names\n"},
    "tasks": {
        name.replace("t/", f"{task}/").replace("frame_", f"{task}_"): data for task in ("t1", "t2") for name, data in DARKNET.items()
    },
}


@each("case", SAME_NAMES)
def test_lists_of_the_same_classes_are_one(case):
    found = read_files("yolo", SAME_NAMES[case]).recordings
    assert len(found) == (2 if case == "tasks" else 1)
    for labels in found:
        assert labels.vocabulary.instruments[labels.instances.rows["instrument_id"][0]].lower() == "hook"


@each("written", [b"Grasper\nneedle driver \n", b"grasper\nneedle_driver\n", b"grasper\nNeedleDriver\n"], say=repr)
def test_lists_that_differ_in_spelling_alone_are_one(written):
    assert not faults_of("yolo", {**SAME_NAMES["lists"], "y/classes.txt": b"grasper\nneedle driver\n", "y/obj.names": written})


@each("broken", ["data.yaml", "a.yaml"])
def test_a_list_that_is_no_yaml_is_told_as_that_and_not_as_another_list(broken):
    files = {"y/v1_1.txt": ROW_OF_BOX, "y/classes.txt": BOTH_NAMES, f"y/{broken}": b"names: [grasper, hook\n"}
    told = " ".join(sentences(faults_of("yolo", files), "error"))
    assert f"y/{broken}: not YAML; export it again" in told
    assert "not as here" not in told


def test_lists_of_other_classes_are_refused():
    for case, name in (("lists", "y/obj.names"), ("tasks", "t2/obj.names")):
        (told,) = sentences(faults_of("yolo", {**SAME_NAMES[case], name: b"hook\ngrasper\n"}), "error")
        assert f"{name}: the classes are also named in" in told


def test_a_list_of_darknet_beside_yaml_in_another_order_is_refused_and_one_of_another_length_passed_over():
    files = SAME_NAMES["another list"]
    (told,) = sentences(faults_of("yolo", {**files, "y/coco.names": b"hook\ngrasper\n"}), "error")
    assert "y/data.yaml: the classes are also named in y/coco.names, and not as here" in told
    (told,) = sentences(faults_of("yolo", files))
    assert told.startswith("y/coco.names: not read: it has 3 names and the YAML beside it 2")


def test_numbers_that_nothing_names_are_no_classes_of_prostatd_elsewhere():
    files = {"y/video01_000004.txt": b"1 .5 .5 .2 .2\n"}
    assert sentences(faults_of("yolo", files)) == (
        "y/video01_000004.txt: no data.yaml or classes.txt names the classes; give their names by id, from 0, or choose the vocabulary "
        "that they number by --vocabulary",
    )
    assert read_files("yolo", files, vocabulary="prostatd").recordings[0].detail == "triplet"
    for video in ("esadv1", "PWHv1"):
        (labels,) = read_files("yolo", {f"y/{video}_000004.txt": b"1 .5 .5 .2 .2\n"}).recordings
        assert (labels.vocabulary.name, labels.detail) == ("prostatd", "triplet")
