"""CVAT for video: frames of the source, tracks, key frames and what lies between them, and what cannot be read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.files.detect import detected
from scrubin.labels.masks import rle

SIZE = "<original_size><width>200</width><height>100</height></original_size>"
LATE = "<start_frame>0</start_frame><stop_frame>99999999999</stop_frame>"
BOX = '<box frame="{}" outside="{}" keyframe="{}" occluded="0" xtl="{}" ytl="10" xbr="{}" ybr="50"/>'


def document(shapes, task="", label="grasper", id_=0):
    track = f'<track id="{id_}" label="{label}">{shapes}</track>'
    return f"<annotations>\n<version>1.1</version><meta><task>{task}{SIZE}</task></meta>\n{track}</annotations>".encode()


def boxes(*of):
    """Return boxes from 10 px on: frame, outside, key frame, right edge in px."""
    return "".join(BOX.format(frame, outside, key, 10, right) for frame, outside, key, right in of)


def one(data, **options):
    (labels,) = read_files("cvat-video", {"a/op1.xml": data}, **options).recordings
    return labels


def said(data, **options):
    return [fault.sentence for fault in faults_of("cvat-video", {"a/op1.xml": data}, **options)]


def test_frames_are_those_of_the_source_and_all_of_the_task_are_labelled():
    task = "<start_frame>100</start_frame><stop_frame>200</stop_frame><frame_filter>step=25</frame_filter>"
    labels = one(document(boxes((125, 0, 1, 50), (150, 1, 1, 50)), task))
    assert labels.clock.period_s is None
    assert labels.instances.positions.tolist() == [100, 125, 150, 175, 200]
    assert labels.instances.rows["position"].tolist() == [125]
    assert labels.instances.rows.loc[0, ["x", "y", "w", "h"]].tolist() == pytest.approx([0.05, 0.1, 0.2, 0.4])


def test_what_is_outside_is_not_there():
    labels = one(document(boxes((0, 0, 1, 50), (1, 1, 1, 50), (4, 0, 1, 60), (5, 1, 1, 60))))
    assert labels.instances.rows["position"].tolist() == [0, 4]


def test_boxes_between_key_frames_that_the_file_lacks_are_interpolated_and_it_is_said():
    data = document(boxes((0, 0, 1, 50), (4, 0, 1, 90), (5, 1, 1, 90)))
    rows = one(data).instances.rows
    assert (rows["x"] + rows["w"]).tolist() == pytest.approx([0.25, 0.3, 0.35, 0.4, 0.45])
    assert rows["interpolated"].fillna(0).tolist() == [0, 1, 1, 1, 0]
    assert said(data) == ["a/op1.xml: 3 boxes of 1 tracks stand between key frames and not in the file: interpolated, as CVAT does"]


def test_boxes_that_the_file_has_stay_as_they_are():
    data = document(boxes((0, 0, 1, 50), (1, 0, 0, 77), (2, 0, 1, 90), (3, 1, 1, 90)))
    rows = one(data).instances.rows
    assert (rows["x"] + rows["w"]).tolist() == pytest.approx([0.25, 0.385, 0.45])
    assert said(data) == []


def test_outlines_between_key_frames_are_not_made_up():
    outline = '<polygon frame="{}" outside="{}" keyframe="1" points="10,10;20,10;20,20;10,20"/>'
    data = document(outline.format(0, 0) + outline.format(3, 0) + outline.format(4, 1))
    assert one(data).instances.rows["position"].tolist() == [0, 3]
    assert said(data)[0].startswith("a/op1.xml: 2 outlines, masks, points or turned boxes between key frames stand not in the file")


def test_a_track_that_does_not_end_is_named():
    task = "<start_frame>0</start_frame><stop_frame>9</stop_frame>"
    (sentence,) = said(document(boxes((0, 0, 1, 50)), task, id_=7))
    assert sentence.startswith("a/op1.xml: tracks do not say that they end (7): CVAT would hold their last shape")
    assert said(document(boxes((9, 0, 1, 50)), task)) == []


def test_shapes_beyond_the_frames_of_the_task_are_read_and_named():
    data = document(boxes((12, 0, 1, 50), (13, 1, 1, 50)), "<start_frame>0</start_frame><stop_frame>9</stop_frame>")
    assert one(data).instances.positions.tolist() == [*range(10), 12]
    assert any("frame 12: they have shapes, and are none of the frames 0 to 9" in sentence for sentence in said(data))


def test_verb_and_target_are_attributes_in_any_case():
    said_of_it = {"Action": "retract", "TARGET": "gallbladder", "side": "left"}
    attributes = "".join(f'<attribute name="{name}">{value}</attribute>' for name, value in said_of_it.items())
    data = document(BOX.format(0, 0, 1, 10, 50).replace("/>", f">{attributes}</box>"))
    labels = one(data)
    assert (labels.vocabulary.name, labels.detail) == ("cholect50", "triplet")
    assert labels.vocabulary.triplet_name(labels.instances.rows["triplet_id"][0]) == "grasper,retract,gallbladder"
    assert "a/op1.xml: not kept: attribute 'side' (1)" in said(data)


def test_a_mask_has_run_lengths_row_by_row_of_its_part_of_the_picture():
    mask = '<mask frame="0" outside="0" keyframe="1" rle="1, 2, 3" left="4" top="5" width="3" height="2"/>'
    text = one(document(mask)).instances.rows["mask"][0]
    picture = rle.picture(rle.runs_of_text(text, 100, 200), 100, 200)
    assert np.argwhere(picture).tolist() == [[5, 5], [5, 6]]


def test_points_are_numbered_and_those_of_a_skeleton_have_names():
    points = '<points frame="0" outside="0" occluded="1" keyframe="1" points="20,10;40,50"/>'
    parts = '<points label="tip" outside="0" occluded="0" points="100,50"/><points label="end" outside="1" occluded="0" points="1,1"/>'
    skeleton = f'<skeleton frame="1" keyframe="1">{parts}</skeleton>'
    rows = one(document(points + skeleton)).instances.rows
    assert [tuple(point) for point in rows["points"][0]] == [("1", 0.1, 0.1, 1), ("2", 0.2, 0.5, 1)]
    assert [tuple(point) for point in rows["points"][1]] == [("tip", 0.5, 0.5, 2), ("end", 0.0, 0.0, 0)]
    assert rows["x"].isna().all()


def test_a_turned_box_is_the_one_around_it():
    data = document('<box frame="0" keyframe="1" xtl="40" ytl="40" xbr="60" ybr="50" rotation="90"/>')
    assert one(data).instances.rows.loc[0, ["x", "y", "w", "h"]].tolist() == pytest.approx([0.225, 0.35, 0.05, 0.2])
    assert "a/op1.xml: 1 boxes are turned, and read as the boxes around them" in said(data)


@pytest.mark.parametrize("rotation", ["0.00", "0", "-0.0", "360"])
def test_a_box_that_is_turned_by_nothing_is_interpolated_as_any_other(rotation):
    data = document(boxes((0, 0, 1, 50), (4, 1, 1, 50)).replace("/>", f' rotation="{rotation}"/>'))
    assert one(data).instances.rows["position"].tolist() == [0, 1, 2, 3]
    assert not any("turned" in sentence for sentence in said(data))


def test_turned_boxes_are_not_interpolated():
    data = document(boxes((0, 0, 1, 50), (4, 1, 1, 50)).replace("/>", ' rotation="10.00"/>'))
    assert one(data).instances.rows["position"].tolist() == [0]


def test_a_skeleton_whose_points_are_tracks_beside_it_is_not_kept_and_it_is_said():
    skeleton = '<skeleton frame="{}" outside="0" keyframe="1" points="48.8,11.7;48.8,15.2"/>'
    nested = '<track id="0" label="1"><points frame="0" outside="0" keyframe="1" points="48.8,11.7"/></track>'
    data = document(skeleton.format(0) + skeleton.format(1) + nested)
    assert one(data).instances.rows.empty
    assert "a/op1.xml: not kept: skeletons without points inside of them (2)" in said(data)


def test_what_is_not_there_is_not_listed_as_not_kept():
    line = '<polyline frame="0" outside="0" keyframe="1" points="1,1;2,2"/>'
    assert said(document(boxes((0, 1, 1, 50)) + line)) == ["a/op1.xml: not kept: polyline shapes (1)"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "c">]><annotations>&b;</annotations>', "line 1: it declares a document type"),
        (b"<annotation/>", "line 1: the outermost element is <annotation>, expected <annotations>"),
        (document(boxes((0, 0, 1, 50)))[:-20], "line 3: not XML: .*the file may be cut off"),
        (document(boxes((0, 0, 1, 300))), "line 3: the box from 10,10 to 300,50 in a picture of 200x100 px leaves it; draw it inside"),
        (document(boxes((0, 0, 1, 5))), "line 3: the box from 10,10 to 5,50 in a picture of 200x100 px has no area"),
        (document(boxes((0, 0, 1, "x"))), 'xtl, ytl, xbr, ybr are \\["10", "10", "x", "50"\\]; give four numbers'),
        (document(boxes((0, 0, 1, 50), (0, 0, 1, 50))), "the track 0 stands twice in frame 0; a track has one box"),
        (document(boxes(("-1", 0, 1, 50))), 'line 3: frame is "-1"; it is a whole number from 0'),
        (document(boxes((0, 0, 1, 50)), "<frame_filter>every 5</frame_filter>"), "frame_filter is .*; it is step=N, or nothing"),
        (document(boxes((0, 0, 1, 50)), LATE), "start_frame and stop_frame are"),
        (document(boxes((0, 0, 1, 50), (900000000, 0, 1, 50))), "more than 5000000 boxes would have to be interpolated"),
        (document(boxes((0, 0, 1, 50)), id_="x"), 'line 3: label is "grasper", id "x"'),
        (document(boxes((0, 0, 1, 50))).replace(SIZE.encode(), b""), "nothing says the size of the pictures; give --image-size"),
        (document('<mask frame="0" rle="1,2" left="0" top="0" width="2" height="2"/>'), "the runs of a mask cover 3 px, its part .* has 4"),
        (document('<mask frame="0" rle="0,4" left="199" top="0" width="2" height="2"/>'), "a mask of 2x2 px at 199,0 is not inside"),
        (document('<polygon frame="0" points="1,1;2,2"/>'), "points are .*; give x,y of three corners or more in px"),
        (document('<points frame="0" points="1,1;900,2"/>'), "it lies outside of the image by 350.0 % of its side"),
        (document(boxes((0, 0, 1, 50))).replace(b"<track", b'<track task_id="1"/><track task_id="2"'), "of several tasks of a"),
        (document(boxes((0, 0, 1, 50))).replace(b"<task>", b"<project><tasks><task/><task/></tasks></project><task>"), "of several tasks"),
        (document(boxes((0, 0, 1, 50))).replace(b"<track", b'<image id="0"/><track'), "read it as CVAT for images: --from cvat-images"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_with_its_line(data, message):
    with pytest.raises(AnnotationError, match=message):
        read_files("cvat-video", {"a/op1.xml": data})


def test_lines_ellipses_and_cuboids_are_counted():
    line = '<polyline frame="0" points="1,1;2,2"/><ellipse frame="0" cx="5" cy="5" rx="2" ry="2"/>'
    assert "a/op1.xml: not kept: ellipse shapes (1), polyline shapes (1)" in said(document(boxes((0, 0, 1, 50), (1, 1, 1, 50)) + line))


def test_a_recording_is_called_like_its_file_or_the_folder_of_an_unpacked_export(tmp_path):
    data = document(boxes((0, 0, 1, 50)))
    for files, name in (({"b/op7.xml": data}, "op7"), ({"b/op7/annotations.xml": data}, "op7"), ({"annotations.xml": data}, "annotations")):
        assert [labels.recording for labels in read_files("cvat-video", files).recordings] == [name]
    (tmp_path / "annotations.xml").write_bytes(data)
    assert detected(tmp_path).name == "cvat-video"


def test_after_its_last_frame_a_written_track_is_outside():
    out = write_files("cvat-video", read_files("cvat-video", EXAMPLES["cvat-video"]))
    text = out.files["VID08.xml"].decode()
    assert text.count('outside="1"') == 2
    assert '<box frame="50" keyframe="0"' in text


EDGES = st.integers(min_value=0, max_value=19_998)


@st.composite
def tracks(draw):
    """Boxes with corners in hundredths of a pixel, in some frames of a task of every third frame."""
    frames = draw(st.lists(st.integers(0, 9), unique=True, max_size=8))
    shapes = []
    for frame in sorted(frames):
        left, top = draw(EDGES), draw(st.integers(0, 9_998))
        right, bottom = draw(st.integers(left + 1, 20_000)), draw(st.integers(top + 1, 10_000))
        places = [f"{side / 100:.2f}" for side in (left, top, right, bottom)]
        shapes.append((3 * frame, draw(st.sampled_from([0, 1])), places))
    return shapes


@settings(max_examples=10)
@given(st.lists(tracks(), min_size=1, max_size=4))
def test_what_is_written_is_read_back_to_the_digit(drawn):
    lines = []
    for id_, shapes in enumerate(drawn):
        inside = ""
        for frame, key, (left, top, right, bottom) in shapes:
            inside += f'<box frame="{frame}" outside="0" keyframe="{key}" xtl="{left}" ytl="{top}" xbr="{right}" ybr="{bottom}"/>'
            if frame + 3 not in [other for other, _, _ in shapes]:
                inside += f'<box frame="{frame + 3}" outside="1" keyframe="1" xtl="{left}" ytl="{top}" xbr="{right}" ybr="{bottom}"/>'
        lines.append(f'<track id="{id_}" label="hook">{inside}</track>')
    task = f"<start_frame>0</start_frame><stop_frame>27</stop_frame><frame_filter>step=3</frame_filter>{SIZE}"
    data = f"<annotations><meta><task>{task}<label><name>hook</name></label></task></meta>{''.join(lines)}</annotations>".encode()
    first = read_files("cvat-video", {"a/op1.xml": data})
    out = write_files("cvat-video", first)
    again = read_files("cvat-video", {f"o/{name}": content for name, content in out.files.items()})
    (a,), (b,) = first.recordings, again.recordings
    assert not out.losses
    assert a.instances.positions.tolist() == b.instances.positions.tolist()
    columns = ["position", "instrument_id", "x", "y", "w", "h", *(["track"] if "track" in a.instances.rows else [])]
    assert a.instances.rows[columns].equals(b.instances.rows[columns])
