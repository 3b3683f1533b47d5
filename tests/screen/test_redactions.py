from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from screen_params import SCREEN
from scrubin.errors import ManifestError, RecordingError
from scrubin.screen.decisions import COLUMNS, Decision, parse
from scrubin.screen.detect import Span
from scrubin.screen.redactions import redactions
from scrubin.screen.screening import distinct, in_step
from scrubin.tables import io
from scrubin.tables.redactions import REDACTIONS

CAMERAS = {"r": ("left", "right"), "c": ("mono",)}
HEADER = ",".join(COLUMNS)
ROW = Decision(2, "r", "left", "other", 1.0, 2.0, None, "add")
BOUNDARIES_S = np.arange(101) / 20


def listed(*rows: str):
    return parse("\n".join([HEADER, *rows]).encode(), CAMERAS)


def hidden(spans, decided):
    rows = redactions("r", "left", spans, decided, (96, 64), BOUNDARIES_S, SCREEN)
    io.conform(REDACTIONS, io.frame_of(REDACTIONS, distinct(rows)))
    return [(row["start_s"], row["end_s"], row["source"], row["accepted"]) for row in rows]


def test_an_empty_camera_means_all_cameras_and_an_empty_rectangle_the_whole_frame():
    rows = listed("r,,out_of_body,1,2,,,,,add").rows
    assert [(row.camera, row.box_xywh) for row in rows] == [("left", None), ("right", None)]


def test_a_rectangle_without_interval_holds_for_the_whole_recording():
    (row,) = listed("c,mono,text,,,1,2,30,4,add").rows
    assert (row.start_s, row.end_s, row.box_xywh) == (None, None, (1, 2, 30, 4))
    assert hidden([], [replace(row, camera="left")]) == [(0.0, 5.0, "curator", True)]


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
    ],
)
def test_a_wrong_row_quarantines_its_recording_and_is_never_passed_over(row, message):
    found = listed(row, "r,left,other,1,2,,,,,add")
    with pytest.raises(RecordingError, match=message):
        raise found.errors["c"]
    assert [item.recording for item in found.rows] == ["r"]


def test_an_unknown_recording_stops_the_stage_with_the_near_miss():
    with pytest.raises(ManifestError, match=r"line 2: 'rr' is no recording of recordings.csv; did you mean 'r'\?"):
        listed("rr,left,other,1,2,,,,,add")


@pytest.mark.parametrize("data", [b"", b"recording;camera", HEADER.encode() + b"\na,b\n", HEADER.encode() + b'\n"a'])
def test_a_file_that_is_no_such_list_is_refused(data):
    with pytest.raises(ManifestError, match=r"redactions.csv"):
        parse(data, CAMERAS)


def test_a_sure_span_is_hidden_and_an_unsure_one_only_proposed():
    spans = [Span("out_of_body", 10, 19, 0.9), Span("out_of_body", 40, 49, 0.2)]
    assert hidden(spans, []) == [(0.5, 1.0, "detector", True), (2.0, 2.5, "detector", False)]


def test_accepting_hides_and_rejecting_shows_exactly_the_interval():
    spans = [Span("out_of_body", 10, 49, 0.9)]
    found = hidden(spans, [replace(ROW, kind="out_of_body", decision="reject", start_s=1.0, end_s=1.5)])
    assert found == [(0.5, 1.0, "detector", True), (1.5, 2.5, "detector", True), (1.0, 1.5, "detector", False)]
    assert hidden([], [replace(ROW, decision="accept")]) == [(1.0, 2.0, "curator", True)]


def test_the_margin_of_a_rejected_span_does_not_stay_hidden():
    found = hidden([Span("out_of_body", 10, 49, 0.9)], [replace(ROW, kind="out_of_body", decision="reject", start_s=0.7, end_s=2.3)])
    assert found == [(0.5, 2.5, "detector", False)]


def test_a_rejection_never_touches_what_the_curator_added():
    found = hidden([], [ROW, replace(ROW, kind="out_of_body", decision="reject", start_s=0.0, end_s=5.0)])
    assert found == [(1.0, 2.0, "curator", True)]


def test_a_decision_outside_the_video_or_picture_is_an_error():
    with pytest.raises(RecordingError, match=r"line 2: start_s 5 lies behind the end of the video at 5.000 s"):
        hidden([], [replace(ROW, start_s=5.0, end_s=6.0)])
    with pytest.raises(RecordingError, match="the rectangle 90,0,10,4 reaches beyond the picture of 96x64"):
        hidden([], [replace(ROW, box_xywh=(90, 0, 10, 4))])


def test_the_same_decision_twice_is_one_row():
    rows = redactions("r", "left", [], [ROW, replace(ROW, line=3)], (96, 64), BOUNDARIES_S, SCREEN)
    assert len(distinct(rows)) == 1


def test_a_rejection_holds_for_its_kind_only_and_never_for_a_rectangle():
    spans = [Span("out_of_body", 10, 49, 0.9)]
    assert hidden(spans, [replace(ROW, kind="black", decision="reject")]) == [(0.5, 2.5, "detector", True)]
    with pytest.raises(RecordingError, match="a rectangle cannot be rejected"):
        raise listed("c,mono,text,0,10,1,1,20,8,reject").errors["c"]


def test_what_two_rejections_leave_between_them_stays_hidden():
    spans = [Span("out_of_body", 10, 69, 0.9)]
    rejections = [replace(ROW, kind="out_of_body", decision="reject", start_s=a, end_s=b) for a, b in ((0.6, 1.7), (1.85, 3.4))]
    assert (1.7, 1.85, "detector", True) in hidden(spans, rejections)


def test_what_one_camera_shows_is_hidden_in_both():
    rows = redactions("r", "left", [Span("out_of_body", 10, 19, 0.9), Span("black", 30, 39, 1.0)], [], (96, 64), BOUNDARIES_S, SCREEN)
    found = in_step(rows, CAMERAS)
    assert [(row["camera"], row["kind"]) for row in found] == [("left", "out_of_body"), ("right", "out_of_body"), ("left", "black")]


def test_a_row_of_a_recording_that_ingest_set_aside_stops_nobody():
    data = "\n".join([HEADER, "bad,left,other,1,2,,,,,add", "r,left,other,1,2,,,,,add"]).encode()
    assert [row.recording for row in parse(data, CAMERAS, {"bad"}).rows] == ["r"]
