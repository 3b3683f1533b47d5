from __future__ import annotations

import pytest

from scrubin.base.errors import ManifestError, RecordingError
from scrubin.stages.review.redaction_sheet import COLUMNS, parse

CAMERAS = {"r": ("left", "right"), "c": ("mono",)}
HEADER = ",".join(COLUMNS)


def listed(*rows: str):
    return parse("\n".join([HEADER, *rows]).encode(), CAMERAS)


def test_an_empty_camera_means_all_cameras_and_an_empty_rectangle_the_whole_frame():
    rows = listed("r,,out_of_body,1,2,,,,,add").rows
    assert [(row.camera, row.box_xywh) for row in rows] == [("left", None), ("right", None)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c,left,text,,,1,2,30,4,add", r"camera is 'left'; use one of \(empty\), mono"),
        ("c,mono,face,,,1,2,30,4,add", "kind is 'face'"),
        ("c,mono,text,,,1,2,30,4,yes", "decision is 'yes'; use one of add, accept, reject"),
        ("c,mono,text,,,1,2,30,,add", "the rectangle is 1,2,30,; give x,y,w,h in whole pixels"),
        ("c,mono,text,,,1,2,0,4,add", "the rectangle is 1,2,0,4"),
        ("c,mono,text,,,1,2,00,4,add", "the rectangle is 1,2,00,4"),
        ("c,mono,text,,,1,2,9999999,4,add", "the rectangle is 1,2,9999999,4"),
        ("c,mono,other,2,1,,,,,add", "start_s 2 is not before end_s 1"),
        ("c,mono,other,x,1,,,,,add", "start_s is 'x'"),
        ("c,mono,other,,,,,,,add", "it would hide the whole recording"),
        ("c,mono,text,1,2,,,,,accept", "it accepts text without a rectangle; give its x,y,w,h"),
        ("c,mono,black,0,10,1,1,20,8,reject", "'black' is found in whole frames, so no rectangle of it can be rejected"),
    ],
)
def test_a_wrong_row_quarantines_its_recording_and_is_never_passed_over(row, message):
    found = listed(row, "r,left,other,1,2,,,,,add")
    with pytest.raises(RecordingError, match=message):
        raise found.errors["c"]
    assert [item.recording for item in found.rows] == ["r"]


def test_a_proposed_rectangle_of_something_else_than_text_can_be_rejected():
    found = listed("c,mono,other,0,10,1,1,20,8,reject")
    assert [(row.kind, row.box_xywh, row.decision) for row in found.rows] == [("other", (1, 1, 20, 8), "reject")]


def test_a_recording_that_is_listed_and_was_not_read_yet_is_told_to_need_a_run():
    with pytest.raises(ManifestError, match=r"line 2: 'new' stands in recordings.csv, but no run has read it since; run: make repro"):
        parse(f"{HEADER}\nnew,,other,1,2,,,,,add".encode(), CAMERAS, listed={"new", "r"})


def test_an_unknown_recording_stops_the_stage_with_the_near_miss():
    with pytest.raises(ManifestError, match=r"line 2: 'rr' is no recording of recordings.csv; did you mean 'r'\?"):
        listed("rr,left,other,1,2,,,,,add")


@pytest.mark.parametrize("data", [b"", b"recording;camera", HEADER.encode() + b"\na,b\n", HEADER.encode() + b'\n"a'])
def test_a_file_that_is_no_such_list_is_refused(data):
    with pytest.raises(ManifestError, match=r"redactions.csv"):
        parse(data, CAMERAS)


def test_every_unknown_recording_of_the_list_is_named_at_once():
    with pytest.raises(ManifestError) as refused:
        listed("x,left,other,1,2,,,,,add", "r,left,other,1,2,,,,,add", "y,left,other,1,2,,,,,add")
    assert [(fault.rule, fault.place) for fault in refused.value.faults] == [
        ("recording-unknown", "line 2"),
        ("recording-unknown", "line 4"),
    ]


def test_a_row_of_a_recording_that_ingest_set_aside_stops_nobody():
    data = "\n".join([HEADER, "bad,left,other,1,2,,,,,add", "r,left,other,1,2,,,,,add"]).encode()
    assert [row.recording for row in parse(data, CAMERAS, {"bad"}).rows] == ["r"]


def test_all_faults_of_the_list_are_said_at_once_also_beside_a_misspelled_column():
    rows = ["x,,other,1,2,,,,,add", "c,mono,other,2,1,,,,,add", "c,mono,text,,,1,2,0,4,add", "r,,other,1"]
    with pytest.raises(ManifestError) as refused:
        parse("\n".join([HEADER.replace("kind", "knd"), *rows]).encode(), CAMERAS)
    said = str(refused.value)
    for fault in ("did you mean 'knd'", "'x' is no recording", "start_s 2 is not before", "the rectangle is 1,2,0,4", "expected 10 cells"):
        assert fault in said, fault


def test_all_faults_of_one_row_and_of_all_rows_of_a_recording_are_said_and_the_first_keeps_it_out():
    found = listed("c,left,face,x,1,1,2,0,4,yes", "c,mono,other,2,1,,,,,add", "r,left,other,1,2,,,,,add")
    assert [(fault.place, fault.what) for fault in found.faults] == [
        ("line 2", "kind is 'face'"),
        ("line 2", "decision is 'yes'"),
        ("line 2", "camera is 'left'"),
        ("line 2", "start_s is 'x'"),
        ("line 2", "the rectangle is 1,2,0,4"),
        ("line 3", "start_s 2 is not before end_s 1"),
    ]
    assert found.errors["c"].reason == "kind is 'face'"
    assert [row.recording for row in found.rows] == ["r"]


def test_times_with_decimal_commas_are_read_and_unclear_ones_are_errors():
    rows = ["r;;other;1,5;2,25;;;;;add", "c;;other;0;1.500;;;;;add"]
    found = parse("\n".join([HEADER.replace(",", ";"), *rows]).encode(), CAMERAS)
    assert {(row.start_s, row.end_s) for row in found.rows} == {(1.5, 2.25)}
    assert "line 3: end_s is '1.500': a decimal separator, or one of thousands?" in str(found.errors["c"])
