"""YOLO text of poses: points by their names, written back, and refused with their place."""

import pytest

from scrubin.base.errors import AnnotationError
from scrubin.labels.files.detect import detected
from scrubin.labels.files.reader import Options, read
from scrubin.labels.formats.objects.yolo_pose import write
from scrubin.labels.points import POINTS, Point, unlabelled
from scrubin.labels.registry import Output, format_of

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
        ("0 0.2 0.2 0.2 0.2 0.1 0.1 0.3 0.3 0.3 0.7 0.9", "", "yolo-seg"),
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
