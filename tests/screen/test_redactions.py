from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubin.screen.decisions import COLUMNS, Decision, parse
from scrubin.screen.redactions import redactions, unmet

from screen_params import SCREEN
from scrubin.core.errors import ManifestError, RecordingError
from scrubin.screen.detectors import curator
from scrubin.screen.detectors.detector import ObservedFile
from scrubin.screen.params import Above
from scrubin.screen.proposals import Proposal
from scrubin.screen.screening import distinct, in_step, unreviewed
from scrubin.tables import io
from scrubin.tables.private.redactions import REDACTIONS

CAMERAS = {"r": ("left", "right"), "c": ("mono",)}
HEADER = ",".join(COLUMNS)
ROW = Decision(2, "r", "left", "other", 1.0, 2.0, None, "add")
LAST_S = 5.0
ROOM = Proposal("out_of_body", (0.5, 2.5), 0.9, "appearance", faces=1)
NAME_PLATE = Proposal("text", (0.0, 5.0), 0.9, "text", (8, 8, 40, 16), text="Brenner 10:20")


def listed(*rows: str):
    return parse("\n".join([HEADER, *rows]).encode(), CAMERAS)


def table(proposals, decided, params=SCREEN):
    added = curator.propose(ObservedFile(np.array([0.0, LAST_S]), (96, 64), {}, decided), params)
    rows = redactions("r", "left", [*proposals, *added], decided, (96, 64), LAST_S, params)
    io.conform(REDACTIONS, io.frame_of(REDACTIONS, distinct(rows)))
    return rows


def hidden(proposals, decided, params=SCREEN):
    rows = table(proposals, decided, params)
    return [(row["start_s"], row["end_s"], row["source"], row["decision"], row["accepted"]) for row in rows]


def test_an_empty_camera_means_all_cameras_and_an_empty_rectangle_the_whole_frame():
    rows = listed("r,,out_of_body,1,2,,,,,add").rows
    assert [(row.camera, row.box_xywh) for row in rows] == [("left", None), ("right", None)]


def test_a_rectangle_without_interval_holds_for_the_whole_recording():
    (row,) = listed("c,mono,text,,,1,2,30,4,add").rows
    assert (row.start_s, row.end_s, row.box_xywh) == (None, None, (1, 2, 30, 4))
    assert hidden([], [replace(row, camera="left")]) == [(0.0, 5.0, "curator", "accepted", True)]


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
        ("c,mono,out_of_body,0,10,1,1,20,8,reject", "'out_of_body' is found in whole frames, so no rectangle of it can be rejected"),
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


def test_every_unknown_recording_of_the_list_is_named_at_once():
    with pytest.raises(ManifestError) as refused:
        listed("x,left,other,1,2,,,,,add", "r,left,other,1,2,,,,,add", "y,left,other,1,2,,,,,add")
    assert [(fault.rule, fault.place) for fault in refused.value.faults] == [
        ("recording-unknown", "line 2"),
        ("recording-unknown", "line 4"),
    ]


def test_a_sure_span_is_hidden_and_an_unsure_one_only_proposed():
    unsure = replace(ROOM, interval_s=(2.0, 2.5), score=0.2)
    found = hidden([replace(ROOM, interval_s=(0.5, 1.0)), unsure], [])
    assert found == [(0.5, 1.0, "appearance", "unreviewed", True), (2.0, 2.5, "appearance", "unreviewed", False)]


@pytest.mark.parametrize(
    ("accept", "expected"),
    [("all", [True, True]), (Above(0.5), [True, False]), (Above(0.2), [True, True]), ("reviewed-only", [False, False])],
)
def test_what_is_hidden_without_a_review_follows_the_parameter(accept, expected):
    found = hidden([ROOM, replace(NAME_PLATE, score=0.2)], [], replace(SCREEN, accept=accept))
    assert [row[-1] for row in found] == expected
    assert {row[-2] for row in found} == {"unreviewed"}


@pytest.mark.parametrize("accept", ["all", Above(0.0), "reviewed-only"])
def test_a_frozen_span_is_hidden_only_when_the_curator_accepts_it(accept):
    params = replace(SCREEN, accept=accept)
    frozen = Proposal("frozen", (0.5, 2.5), 1.0, "frozen")
    assert hidden([frozen], [], params) == [(0.5, 2.5, "frozen", "unreviewed", False)]
    accepted = replace(ROW, kind="frozen", decision="accept", start_s=0.5, end_s=2.5)
    assert hidden([frozen], [accepted], params)[0] == (0.5, 2.5, "frozen", "accepted", True)


def test_accepting_hides_exactly_the_interval_and_what_is_left_of_the_margin():
    params = replace(SCREEN, accept="reviewed-only")
    accepted = replace(ROW, kind="out_of_body", decision="accept", start_s=0.7, end_s=1.5)
    assert hidden([ROOM], [accepted], params) == [
        (0.5, 1.5, "appearance", "accepted", True),
        (1.5, 2.5, "appearance", "unreviewed", False),
        (0.7, 1.5, "curator", "accepted", True),
    ]
    assert hidden([], [replace(ROW, decision="accept")], params) == [(1.0, 2.0, "curator", "accepted", True)]


def test_rejecting_shows_exactly_the_interval():
    rejected = replace(ROW, kind="out_of_body", decision="reject", start_s=1.0, end_s=1.5)
    assert hidden([ROOM], [rejected], replace(SCREEN, accept="all")) == [
        (0.5, 1.0, "appearance", "unreviewed", True),
        (1.0, 1.5, "appearance", "rejected", False),
        (1.5, 2.5, "appearance", "unreviewed", True),
    ]


def test_the_margin_of_a_rejected_span_does_not_stay_hidden():
    found = hidden([ROOM], [replace(ROW, kind="out_of_body", decision="reject", start_s=0.7, end_s=2.3)])
    assert found == [(0.5, 2.5, "appearance", "rejected", False)]


def test_a_rejection_beats_an_acceptance_and_never_touches_what_the_curator_added():
    rejected = replace(ROW, kind="out_of_body", decision="reject", start_s=0.0, end_s=5.0)
    assert hidden([], [ROW, rejected]) == [(1.0, 2.0, "curator", "accepted", True)]
    found = hidden([ROOM], [rejected, replace(rejected, decision="accept")])
    assert (0.5, 2.5, "appearance", "rejected", False) in found


@pytest.mark.slow
@given(
    decisions=st.lists(st.tuples(st.sampled_from(["accept", "reject"]), st.integers(0, 49), st.integers(1, 50)), max_size=5),
    accept=st.sampled_from(["all", "reviewed-only", Above(0.5)]),
)
def test_every_instant_of_a_proposal_is_decided_once_and_as_the_curator_said(decisions, accept):
    decided = [replace(ROW, kind="out_of_body", decision=name, start_s=a / 10, end_s=b / 10) for name, a, b in decisions if a < b]
    rows = [row for row in hidden([ROOM], decided, replace(SCREEN, accept=accept, margin_s=0.0)) if row[2] == "appearance"]
    assert sum(row[1] - row[0] for row in rows) == pytest.approx(2.0)
    for k in range(5, 25):
        (mine,) = [row for row in rows if row[0] <= k / 10 + 0.05 < row[1]]
        said = {row.decision for row in decided if row.start_s <= k / 10 + 0.05 < row.end_s}
        assert mine[3] == ("rejected" if "reject" in said else "accepted" if "accept" in said else "unreviewed")
        assert mine[4] == ("reject" not in said and ("accept" in said or accept != "reviewed-only"))


def test_detected_text_is_rejected_by_an_overlapping_rectangle_an_interval_or_altogether():
    other = replace(NAME_PLATE, box_xywh=(8, 48, 40, 16), text="REC")
    for row in ("c,mono,text,,,40,0,20,10,reject", "c,mono,text,0,9,40,0,20,10,reject"):
        (rejected,) = listed(row).rows
        rows = table([NAME_PLATE, other], [rejected])
        assert [(row["y"], row["decision"], row["accepted"]) for row in rows] == [(8, "rejected", False), (48, "unreviewed", True)]
    for row in ("c,mono,text,0,9,,,,,reject", "c,mono,text,,,,,,,reject"):
        assert {row["decision"] for row in table([NAME_PLATE, other], listed(row).rows)} == {"rejected"}


def test_who_proposed_what_was_read_and_the_score_are_in_the_table():
    (row,) = table([NAME_PLATE], [])
    assert (row["source"], row["score"], row["text"], row["faces"]) == ("text", 0.9, "Brenner 10:20", None)
    assert table([ROOM], [])[0]["faces"] == 1


def test_a_decision_outside_the_video_or_picture_is_an_error():
    with pytest.raises(RecordingError, match=r"line 2: start_s 5 lies behind the end of the video at 5.000 s"):
        hidden([], [replace(ROW, start_s=5.0, end_s=6.0)])
    with pytest.raises(RecordingError, match="the rectangle 90,0,10,4 reaches beyond the picture of 96x64"):
        hidden([], [replace(ROW, box_xywh=(90, 0, 10, 4))])


def test_the_same_decision_twice_is_one_row():
    assert len(distinct(table([], [ROW, replace(ROW, line=3)]))) == 1


def test_a_rejection_holds_for_its_kind_only():
    assert hidden([ROOM], [replace(ROW, kind="black", decision="reject")]) == [(0.5, 2.5, "appearance", "unreviewed", True)]


def test_what_two_rejections_leave_between_them_stays_hidden():
    rejections = [replace(ROW, kind="out_of_body", decision="reject", start_s=a, end_s=b) for a, b in ((0.6, 1.7), (1.85, 2.4))]
    assert (1.7, 1.85, "appearance", "unreviewed", True) in hidden([ROOM], rejections)


def test_what_one_camera_shows_is_hidden_in_both_but_text_where_it_stands():
    found = in_step(table([ROOM, Proposal("black", (3.0, 3.5), 1.0, "black"), NAME_PLATE], []), CAMERAS)
    assert sorted((row["camera"], row["kind"]) for row in found) == [
        ("left", "black"),
        ("left", "out_of_body"),
        ("left", "text"),
        ("right", "out_of_body"),
    ]


def test_a_span_that_the_curator_rejected_for_the_other_camera_is_not_copied_to_it():
    rejected = replace(ROW, camera="right", kind="out_of_body", decision="reject", start_s=1.0, end_s=2.0)
    found = in_step(table([ROOM], []), CAMERAS, [rejected])
    assert [(row["start_s"], row["end_s"]) for row in found if row["camera"] == "right"] == [(0.5, 1.0), (2.0, 2.5)]


def test_of_equal_spans_of_both_cameras_each_keeps_its_own_decision():
    left = table([ROOM], [])
    right = [{**row, "camera": "right", "decision": "rejected", "accepted": False} for row in left]
    assert {row["camera"]: row["accepted"] for row in in_step([*right, *left], CAMERAS)} == {"left": True, "right": False}


def test_a_rejection_that_meets_nothing_is_said_with_its_line_and_interval():
    rows = table([ROOM], [])
    met = replace(ROW, kind="out_of_body", decision="reject", start_s=2.0, end_s=3.0)
    assert unmet(rows, [met, replace(met, camera="right")]) == []
    assert unmet(rows, [replace(met, line=7, start_s=2.5)]) == [
        "redactions.csv, line 7: in 'r' from 2.5 s to 3 s no detector has found out_of_body; nothing to reject"
    ]
    (said,) = unmet(rows, [replace(met, line=8, kind="text", start_s=None, end_s=None, box_xywh=(1, 1, 9, 9))])
    assert said.startswith("redactions.csv, line 8: in 'r' from 0 s to the end no detector has found text")
    assert len(unmet([*rows, *table([NAME_PLATE], [])], [replace(met, kind="text", box_xywh=(60, 40, 9, 9))])) == 1


def test_what_nobody_reviewed_and_the_release_shows_is_counted_but_no_frozen_span():
    frozen = Proposal("frozen", (3.0, 5.0), 1.0, "frozen")
    rows = table([ROOM, NAME_PLATE, frozen], [], replace(SCREEN, accept="reviewed-only"))
    assert unreviewed(rows) == ["'r': 1 of kind out_of_body", "'r': 1 of kind text"]
    assert unreviewed(table([ROOM, NAME_PLATE, frozen], [], replace(SCREEN, accept="all"))) == []


def test_a_row_of_a_recording_that_ingest_set_aside_stops_nobody():
    data = "\n".join([HEADER, "bad,left,other,1,2,,,,,add", "r,left,other,1,2,,,,,add"]).encode()
    assert [row.recording for row in parse(data, CAMERAS, {"bad"}).rows] == ["r"]
