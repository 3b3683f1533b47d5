from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import review_study
from scrubin.audit.expected import withdrawal_memory
from scrubin.base.errors import ReviewError
from scrubin.base.tables import io
from scrubin.base.tables.private import REDACTIONS
from scrubin.stages.report import privacy
from scrubin.stages.review import LEDGER_PATH, Ledger, attention, result, rewriting, study

PAIR, SINGLE = 0, 1
RULE = {"result": "failed", "severity": "warning", "count": 1, "keys": []}
VALIDATED = [
    {**RULE, "table": "videos", "rule": "too_dark", "says": "dark pictures"},
    {**RULE, "table": "videos", "rule": "near_duplicate_recording", "says": "alike", "keys": [{"id": "glimst", "like": "blorkfamp"}]},
]


def only(views, camera):
    (one,) = [view for view in views if view.camera == camera]
    return one


def test_a_study_that_nobody_has_seen_misses_every_second_every_lens_and_every_decision(desk):
    pair, single = desk.recordings()
    assert (pair.name, pair.cameras) == ("pair", ("left", "right"))
    assert [(one.unseen_s, one.undecided, one.lenses_missing, one.done) for one in (pair, single)] == [(6, 2, 2, False), (4, 1, 1, False)]


def test_what_one_camera_proposes_is_proposed_in_the_other_until_it_is_rejected_there(desk):
    left, right = (only(desk.recording(PAIR).proposals, camera) for camera in ("left", "right"))
    assert (right.source, right.first, right.last, right.hidden) == ("pair", 20, 29, True)
    desk.decide(PAIR, "left", "accept", "out_of_body", left.first, left.last, proposal_key=left.key)
    assert only(desk.recording(PAIR).proposals, "left").decision == "accepted"
    assert only(desk.recording(PAIR).proposals, "right").decision == "unreviewed"
    desk.decide(PAIR, "left", "reject", "out_of_body", left.first, left.last, proposal_key=left.key)
    assert [view.camera for view in desk.recording(PAIR).proposals] == ["left"]


def test_a_name_that_is_drawn_in_one_camera_is_hidden_in_the_other_until_somebody_decides_there(desk):
    desk.decide(PAIR, "left", "add", "text", 40, 44, box_xywh=(60, 30, 16, 8))
    (drawn,) = [view for view in desk.recording(PAIR).proposals if view.kind == "text"]
    assert (drawn.camera, drawn.source, drawn.first, drawn.last) == ("right", "pair", 40, 44)
    # All the width of 96 pixels, and a tenth of the height of 64 above and below.
    assert (drawn.box_xywh, drawn.hidden) == ((0, 23, 96, 22), True)
    about = {"box_xywh": drawn.box_xywh, "proposal_key": drawn.key}
    desk.decide(PAIR, "right", "accept", "text", 40, 44, **about)
    assert [view.camera for view in desk.recording(PAIR).proposals if view.kind == "text"] == ["right"]
    desk.decide(PAIR, "right", "reject", "text", 40, 44, **about)
    assert [view.hidden for view in desk.recording(PAIR).proposals if view.kind == "text"] == [False]


def test_stills_at_one_a_second_are_enough_for_the_seconds_and_the_lens_needs_every_frame_around_both_ends(desk):
    review_study.see(desk, SINGLE, "mono", "sheet", [0, 20, 40, 60])
    assert desk.recordings()[SINGLE].unseen_s == 0
    (proposal,) = desk.recording(SINGLE).proposals
    assert proposal.lens == ((35, 54),)
    review_study.see(desk, SINGLE, "mono", "sheet", range(70))
    assert desk.recordings()[SINGLE].lenses_missing == 1
    review_study.see(desk, SINGLE, "mono", "lens", range(35, 54))
    assert desk.recordings()[SINGLE].lenses_missing == 1
    review_study.see(desk, SINGLE, "mono", "full", [54])
    assert desk.recordings()[SINGLE].lenses_missing == 0


def test_a_still_of_the_released_video_is_no_still_of_the_raw_one(desk):
    review_study.see(desk, SINGLE, "mono", "released", range(70))
    assert desk.recordings()[SINGLE].unseen_s == 4


def test_changed_ends_accept_the_new_span_and_reject_what_is_left_over(desk):
    (proposal,) = desk.recording(SINGLE).proposals
    line = desk.decide(
        SINGLE, "mono", "change", "text", 40, 49, box_xywh=proposal.box_xywh, proposal_key=proposal.key, to_first=43, to_last=52
    )
    assert [(span["what"], span["first"], span["last"]) for span in line.facts["spans"]] == [("reject", 40, 42), ("accept", 43, 52)]
    (now,) = desk.recording(SINGLE).proposals
    assert [part[2] for part in now.parts] == ["rejected", "accepted"]
    assert now.decision == "mixed"


@pytest.mark.parametrize("first_inner", [True, False])
@pytest.mark.parametrize("inner", ["accept", "reject"])
def test_a_rejection_says_nothing_of_another_proposal_that_lies_inside_whatever_comes_first(folder, inner, first_inner):
    """A room that stands for seconds inside half a minute of which a network says only that it knows no such scene."""
    rows = [
        review_study.proposal("single", "mono", 10, 59),
        {**review_study.proposal("single", "mono", 30, 39), "source": "face", "faces": 1},
    ]
    review_study.propose(folder, rows)
    with review_study.desk(folder) as desk:
        outer, within = desk.recording(SINGLE).proposals

        def decide(one, what):
            desk.decide(SINGLE, "mono", what, one.kind, one.first, one.last, proposal_key=one.key)

        if first_inner:
            decide(within, inner)
        decide(outer, "reject")
        if not first_inner:
            assert [one.decision for one in desk.recording(SINGLE).proposals] == ["unreviewed", "unreviewed"]
            assert desk.recording(SINGLE).proposals[1].hidden
            decide(within, inner)
        now = desk.recording(SINGLE).proposals
        assert [one.decision for one in now] == (["mixed", "accepted"] if inner == "accept" else ["rejected", "rejected"])
        assert now[1].hidden == (inner == "accept")
        decide(outer, "accept")
        assert {one.decision for one in desk.recording(SINGLE).proposals} == {"accepted"}


def test_a_rectangle_inside_a_larger_one_is_rejected_with_it(folder):
    """What is said of the smaller one leaves the rest of the larger one open: it could never be shown."""
    boxes = (((0, 0, 32, 32), 10, 59), ((4, 4, 8, 8), 30, 39))
    rows = [review_study.proposal("single", "mono", first, last, kind="text", box=box) for box, first, last in boxes]
    review_study.propose(folder, rows)
    with review_study.desk(folder) as desk:
        for one in desk.recording(SINGLE).proposals:
            desk.decide(SINGLE, "mono", "reject", "text", one.first, one.last, box_xywh=one.box_xywh, proposal_key=one.key)
        assert [(one.decision, one.hidden) for one in desk.recording(SINGLE).proposals] == [("rejected", False)] * 2


def test_a_span_that_is_made_longer_is_shown_as_hidden_to_its_new_end(desk):
    (proposal,) = desk.recording(SINGLE).proposals
    about = {"box_xywh": proposal.box_xywh, "proposal_key": proposal.key}
    desk.decide(SINGLE, "mono", "change", "text", 40, 49, **about, to_first=40, to_last=60)
    (beyond,) = desk.recording(SINGLE).drawn
    assert (beyond.first, beyond.last, beyond.box_xywh) == (50, 60, proposal.box_xywh)
    assert desk.recording(SINGLE).proposals[0].decision == "accepted"
    desk.decide(SINGLE, "mono", "reject", "text", beyond.first, beyond.last, box_xywh=beyond.box_xywh, proposal_key=beyond.key)
    assert desk.recording(SINGLE).drawn == ()
    assert desk.recording(SINGLE).proposals[0].hidden


def test_new_ends_that_do_not_touch_the_span_are_refused(desk):
    (proposal,) = desk.recording(SINGLE).proposals
    with pytest.raises(ReviewError, match="frames 50 to 60, do not touch the span from 40 to 49; draw a new one instead"):
        desk.decide(SINGLE, "mono", "change", "text", 40, 49, proposal_key=proposal.key, to_first=50, to_last=60)


def test_what_was_drawn_can_be_moved_and_is_hidden_all_the_time_meanwhile(desk):
    desk.decide(SINGLE, "mono", "add", "other", 5, 9, box_xywh=(0, 0, 10, 10))
    (drawn,) = desk.recording(SINGLE).drawn
    desk.decide(SINGLE, "mono", "change", "other", 5, 9, box_xywh=(0, 0, 10, 10), proposal_key=drawn.key, to_first=6, to_last=12)
    (moved,) = desk.recording(SINGLE).drawn
    assert (moved.first, moved.last, moved.box_xywh) == (6, 12, (0, 0, 10, 10))
    about = {"box_xywh": moved.box_xywh, "proposal_key": moved.key}
    desk.decide(SINGLE, "mono", "reject", "other", 6, 12, **about)
    assert desk.recording(SINGLE).drawn == ()
    with pytest.raises(ReviewError, match="withdrawn in the meantime"):
        desk.decide(SINGLE, "mono", "reject", "other", 6, 12, **about)


@pytest.mark.parametrize("shown", [{"kind": "text"}, {"first": 4}, {"last": 10}, {"box_xywh": None}, {"box_xywh": (2, 2, 10, 10)}])
def test_a_page_that_shows_another_span_under_a_line_of_the_ledger_changes_nothing(desk, shown):
    """After a rename, or when somebody withdrew, the ledger is written anew, and a page that is still open knows its lines of before."""
    desk.decide(SINGLE, "mono", "add", "other", 5, 9, box_xywh=(0, 0, 10, 10))
    (there,) = desk.recording(SINGLE).drawn
    says = {"kind": "other", "first": 5, "last": 9, "box_xywh": (0, 0, 10, 10), "proposal_key": there.key} | shown
    for what in ({"what": "reject"}, {"what": "change", "to_first": 6, "to_last": 7}):
        with pytest.raises(ReviewError, match="written anew in the meantime, and this span stands elsewhere in it; load the page again"):
            desk.decide(SINGLE, "mono", **says, **what)
    assert desk.recording(SINGLE).drawn == (there,)


def test_a_page_that_was_open_during_a_rename_takes_away_no_longer_span_that_holds_the_one_it_shows(desk, folder):
    desk.decide(PAIR, "left", "add", "other", 1, 2)
    desk.decide(SINGLE, "mono", "add", "other", 5, 30)
    desk.decide(SINGLE, "mono", "add", "other", 10, 20)
    longer, shorter = desk.recording(SINGLE).drawn
    rewriting.rename(Ledger(folder / LEDGER_PATH), "pair", "duo")
    for what in ({"what": "reject"}, {"what": "change", "to_first": 10, "to_last": 15}):
        with pytest.raises(ReviewError, match="written anew in the meantime"):
            desk.decide(SINGLE, "mono", kind="other", first=shorter.first, last=shorter.last, proposal_key=shorter.key, **what)
    assert [(one.first, one.last) for one in desk.recording(SINGLE).drawn] == [(longer.first, longer.last), (shorter.first, shorter.last)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": -1}, "frames -1 to 9 are no span"),
        ({"last": 70}, "frames 5 to 70 are no span of a file with frames 0 to 69"),
        ({"first": 9, "last": 5}, "no span"),
        ({"box_xywh": (90, 0, 10, 10)}, "the rectangle 90,0,10,10 is not inside the picture of 96x64"),
        ({"kind": "<b>"}, "a decision is one of"),
        ({"what": "delete"}, "a decision is one of"),
        ({"camera": "left"}, "no such video file"),
        ({"number": 7}, "no such recording"),
        ({"what": "reject", "proposal_key": "text:text:0-1"}, "no longer there"),
    ],
)
def test_what_is_not_there_cannot_be_decided_and_nothing_is_written(desk, folder, change, message):
    wish = {"number": SINGLE, "camera": "mono", "what": "add", "kind": "other", "first": 5, "last": 9, **change}
    with pytest.raises(ReviewError, match=message):
        desk.decide(**wish)
    assert not (folder / "data/private/decisions.jsonl").exists()


def test_a_file_that_was_replaced_loses_its_decisions_and_says_so(desk, folder):
    review_study.see_all(desk)
    (proposal,) = desk.recording(SINGLE).proposals
    desk.decide(SINGLE, "mono", "reject", "text", 40, 49, box_xywh=proposal.box_xywh, proposal_key=proposal.key)
    path = folder / "data/raw/videos/2_mono.mp4"
    path.write_bytes(path.read_bytes() + b"\0" * 8)
    with pytest.raises(ReviewError, match="another one than was screened"):
        desk.decide(SINGLE, "mono", "add", "other", 1, 2)
    path.unlink()
    with pytest.raises(ReviewError, match="the file is gone"):
        desk.decide(SINGLE, "mono", "add", "other", 1, 2)
    rows = [review_study.recording(folder, number, *key, count) for number, (key, count) in enumerate(review_study.FILES.items())]
    rows[2]["sha256"] = "f" * 64
    review_study.write_recordings(folder, rows)
    with review_study.desk(folder) as again:
        summary = again.recordings()[SINGLE]
        assert (summary.lost, summary.unseen_s, summary.undecided) == (2, 4, 1)
        assert again.recordings()[PAIR].unseen_s == 0


def test_a_proposal_of_new_detectors_needs_its_lens_and_a_decision_and_the_seconds_stay_seen(desk, folder):
    review_study.see(desk, SINGLE, "mono", "lens", range(70))
    review_study.see(desk, PAIR, "left", "sheet", range(0, 60, 20))
    review_study.propose(folder, [review_study.proposal("pair", "left", 3, 7), review_study.proposal("single", "mono", 3, 7)])
    with review_study.desk(folder) as again:
        pair, single = again.recordings()
        assert (single.unseen_s, single.lenses_missing, single.undecided) == (0, 0, 1)
        assert (pair.unseen_s, pair.lenses_missing) == (3, 2)


def test_two_reviewers_must_both_see_and_both_reject(folder):
    review_study.two_reviewers(folder)
    with review_study.desk(folder) as ann, review_study.desk(folder, by="bo") as bo:
        review_study.see_all(ann)
        (proposal,) = ann.recording(SINGLE).proposals
        about = {"box_xywh": proposal.box_xywh, "proposal_key": proposal.key}
        ann.decide(SINGLE, "mono", "reject", "text", 40, 49, **about)
        assert (ann.recordings()[SINGLE].unseen_s, ann.recordings()[SINGLE].undecided) == (4, 1)
        review_study.see_all(bo)
        bo.decide(SINGLE, "mono", "accept", "text", 40, 49, **about)
        assert (ann.recordings()[SINGLE].unseen_s, ann.recordings()[SINGLE].disputed) == (0, 1)
        assert ann.recording(SINGLE).proposals[0].hidden
        bo.decide(SINGLE, "mono", "reject", "text", 40, 49, **about)
        assert ann.recordings()[SINGLE].done
        ann.exclude(SINGLE, "no consent")
        with pytest.raises(ReviewError, match="'ann' excluded this recording, and only they can take that back"):
            bo.include(SINGLE)
        ann.include(SINGLE)
        ann.decide(SINGLE, "mono", "add", "other", 1, 2)
        with pytest.raises(ReviewError, match="'ann' added this span, and only they can change or withdraw it"):
            bo.decide(SINGLE, "mono", "reject", "other", 1, 2, proposal_key=bo.recording(SINGLE).drawn[0].key)
        with pytest.raises(ReviewError, match="only they can change or withdraw it"):
            bo.decide(SINGLE, "mono", "change", "other", 1, 2, proposal_key=bo.recording(SINGLE).drawn[0].key, to_first=2, to_last=2)


def test_a_ledger_that_was_exchanged_for_another_one_counts_as_it_is_now(desk, folder):
    path = folder / "data/private/decisions.jsonl"
    desk.decide(SINGLE, "mono", "add", "other", 1, 2)
    before = path.read_bytes()
    path.unlink()
    with review_study.desk(folder) as again:
        again.decide(SINGLE, "mono", "add", "other", 30, 40)
    assert [one.first for one in desk.recording(SINGLE).drawn] == [30]
    path.unlink()
    path.write_bytes(before)
    assert [one.first for one in desk.recording(SINGLE).drawn] == [1]


def test_an_excluded_recording_is_done_and_comes_back(desk):
    with pytest.raises(ReviewError, match="say why"):
        desk.exclude(SINGLE, "  ")
    desk.exclude(SINGLE, "the patient withdrew")
    summary = desk.recordings()[SINGLE]
    assert (summary.status, summary.reason, summary.done) == ("excluded", "the patient withdrew (ann)", True)
    desk.include(SINGLE)
    assert desk.recordings()[SINGLE].status == "kept"
    with pytest.raises(ReviewError, match="not excluded"):
        desk.include(SINGLE)


def test_progress_reads_only_the_lines_that_are_new(desk, monkeypatch):
    for frame in range(3):
        review_study.see(desk, SINGLE, "mono", "lens", [frame])
    read, event_of = [], attention.event_of
    monkeypatch.setattr(attention, "event_of", lambda line: read.append(line.number) or event_of(line))
    assert desk.progress() == desk.progress()
    assert desk.newly_elsewhere_s() == 0
    assert not read
    line = review_study.see(desk, SINGLE, "mono", "lens", [5])
    desk.progress()
    assert read == [line.number]


def test_progress_of_a_ledger_that_was_taken_away_or_written_anew_begins_again(desk, folder):
    review_study.see(desk, SINGLE, "mono", "lens", range(70))
    before, path = desk.progress(), folder / LEDGER_PATH
    data = path.read_bytes()
    path.unlink()
    assert desk.progress().seconds_left is None
    path.write_bytes(data)
    assert desk.progress() == before


@pytest.mark.parametrize("until", ["tomorrow", "2027-13-01", "20270101"])
def test_an_acknowledgement_needs_a_reason_and_a_real_date(desk, folder, until):
    review_study.set_aside(folder, "single")
    with pytest.raises(ReviewError, match="needs a reason"):
        desk.acknowledge("quarantine", "single", " ")
    with pytest.raises(ReviewError, match="no date such as"):
        desk.acknowledge("quarantine", "single", "known", until)
    desk.acknowledge("quarantine", "single", "known", "2096-01-31")


def test_an_acknowledgement_ends_in_the_future_and_one_that_ended_is_said_to_have(desk, folder, monkeypatch):
    review_study.set_aside(folder, "single")
    with pytest.raises(ReviewError, match=r"2026-11-01 is over \(today is 20.*name a day to come, or none"):
        desk.acknowledge("quarantine", "single", "known", "2026-11-01")
    desk.acknowledge("quarantine", "single", "known", "2096-01-31")
    assert desk.quarantined()[0]["acknowledged"]["ended"] is False
    monkeypatch.setattr(Ledger, "today", "2096-02-01")
    assert desk.quarantined()[0]["acknowledged"]["ended"] is True


@pytest.mark.parametrize(
    ("subject", "known"), [("quarantine", "broken"), ("warning", "videos.too_dark"), ("near-duplicate", "blorkfamp,glimst")]
)
def test_only_what_the_page_lists_can_be_acknowledged(desk, folder, subject, known):
    review_study.set_aside(folder, "broken")
    (folder / "data/interim/validation.json").write_text(json.dumps({"outcomes": VALIDATED}), encoding="utf-8")
    for key in ("no.such.rule", "", "single", known.upper()):
        with pytest.raises(ReviewError, match=f"there is no {subject} '{key}' to acknowledge; the page lists what there is"):
            desk.acknowledge(subject, key, "known")
    assert desk.acknowledge(subject, known, "known").facts["key"] == known


@pytest.mark.slow
def test_of_a_name_with_a_comma_nothing_is_written_once_they_withdrew_and_not_when_a_part_of_it_did(tmp_path):
    folder = review_study.project(tmp_path, single="single, 2")
    review_study.set_aside(folder, "broken, 2")
    with review_study.desk(folder) as desk:
        for withdrew, count in (("single", 1), ("2", 2), ("broken", 3)):
            withdrawal_memory.write(withdrawal_memory.Memory().with_recording(withdrew, "consent", {}, [withdrew]), folder)
            desk.decide(SINGLE, "mono", "add", "other", 5 * count, 5 * count + 2)
        desk.acknowledge("quarantine", "broken, 2", "known")
        assert desk.undo(SINGLE).facts["line"] == 4
        both = withdrawal_memory.Memory().with_recording("single, 2", "consent", {}, []).with_recording("broken, 2", "consent", {}, [])
        withdrawal_memory.write(both, folder)
        for write in (lambda: desk.exclude(SINGLE, "blurred"), lambda: desk.acknowledge("quarantine", "broken, 2", "known")):
            with pytest.raises(ReviewError, match="nothing is written about"):
                write()
        assert desk.undo() is None


def test_an_acknowledgement_is_undone_in_any_recording(desk, folder):
    review_study.set_aside(folder, "broken")
    desk.acknowledge("quarantine", "broken", "known")
    desk.undo(PAIR)
    assert desk.quarantined()[0]["acknowledged"] is None


def test_progress_counts_recordings_and_tells_the_time_left_by_the_pace_so_far(desk):
    assert (desk.progress().done, desk.progress().left, desk.progress().seconds_left) == (0, 2, None)
    review_study.see(desk, SINGLE, "mono", "lens", range(70))
    desk.decide(SINGLE, "mono", "accept", "text", 40, 49, box_xywh=(8, 8, 24, 8), proposal_key=desk.recording(SINGLE).proposals[0].key)
    assert (desk.progress().done, desk.progress().unseen_s) == (1, 6)


def test_times_of_frames_are_those_of_the_file(desk):
    assert np.allclose(desk.boundaries_s(SINGLE, "mono"), np.arange(71) / 20)


def test_frames_between_two_proposals_stay_hidden_until_somebody_decided_about_them_and_a_rejection_ends_that(desk, folder):
    review_study.propose(folder, [review_study.proposal("single", "mono", first, last) for first, last in ((10, 19), (32, 45))])
    with review_study.desk(folder) as again:
        gap = next(one for one in again.recording(SINGLE).proposals if one.source == "gap")
        # 12 frames, 0.6 s.
        assert (gap.first, gap.last, gap.decision, gap.hidden) == (20, 31, "unreviewed", True)
        assert gap.lens == ((15, 36),)
        again.decide(SINGLE, "mono", "reject", "out_of_body", gap.first, gap.last, proposal_key=gap.key)
        assert [one.decision for one in again.recording(SINGLE).proposals if one.source == "gap"] == ["rejected"]
        again.undo()
        before = next(one for one in again.recording(SINGLE).proposals if one.first == 10)
        again.decide(SINGLE, "mono", "reject", "out_of_body", before.first, before.last, proposal_key=before.key)
        assert [one.source for one in again.recording(SINGLE).proposals if one.source == "gap"] == []


def room_and_text(last=43):
    """A room, and a text that begins before it and ends after it."""
    text = {"kind": "text", "source": "text", "x": 8, "y": 8, "w": 24, "h": 8, "text": "A"}
    return [review_study.proposal("single", "mono", 20, 39), review_study.proposal("single", "mono", 16, last) | text]


@pytest.mark.cases(3)
@pytest.mark.parametrize("last", [43, 65], ids=["in the room", "much longer"])
@pytest.mark.parametrize("decision", [None, "accept", "reject"])
@pytest.mark.parametrize("of_text", [None, "accept", "reject"])
def test_the_report_calls_undecided_what_the_page_does(folder, monkeypatch, last, decision, of_text):
    review_study.propose(folder, room_and_text(last))
    with review_study.desk(folder) as desk:
        for kind, said in (("out_of_body", decision), ("text", of_text)):
            for one in desk.recording(SINGLE).proposals:
                if said and one.kind == kind:
                    desk.decide(SINGLE, "mono", said, kind, one.first, one.last, box_xywh=one.box_xywh, proposal_key=one.key)
        undecided = desk.recordings()[SINGLE].undecided
    monkeypatch.chdir(folder)
    of = study.load(1, 0.2, Path("data/raw"))
    standing = of.standing()
    standing.apply(Ledger().lines())
    table = io.frame_of(REDACTIONS, [row for row in result.redactions(of, standing) if row["recording"] == "single"])
    assert sum(row["undecided"] for row in privacy.redactions(SimpleNamespace(redactions=table))) == undecided


def test_what_will_be_black_is_told_of_what_nobody_is_asked_about_too(folder):
    review_study.propose(folder, room_and_text())
    with review_study.desk(folder) as desk:
        assert [one.kind for one in desk.recording(SINGLE).proposals] == ["out_of_body"]
        assert desk.hidden(SINGLE, "mono", 17 / 20) == [(8, 8, 24, 8)]
        assert sorted(desk.hidden(SINGLE, "mono", 30 / 20), key=str) == [(8, 8, 24, 8), None]
        assert desk.hidden(SINGLE, "mono", 44 / 20) == []
