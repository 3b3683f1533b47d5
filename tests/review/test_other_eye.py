"""What is drawn in one camera of a pair is proposed in the rows of the other; what a person says of these rows, and what not."""

from __future__ import annotations

from pathlib import Path

import pytest

import review_study
from scrubin.curate.by_hand import ledger

PAIR = 0
NAME = review_study.proposal("pair", "right", 10, 39, kind="text", box=(50, 28, 30, 8))
"""Read by a detector in the rows of `DRAWN`."""
DRAWN = (10, 30, 20, 8)
BAND = (0, 23, 96, 22)


@pytest.fixture
def desk(folder):
    """A desk in a study in which no detector proposes anything."""
    review_study.propose(folder, [])
    with review_study.desk(folder) as opened:
        yield opened


def draw(desk, box, *, camera="left", kind="text", first=10, last=39):
    desk.decide(PAIR, camera, "add", kind, first, last, box_xywh=box)


def asked(desk, camera="right", *, band=True):
    """What is asked of a camera because the other one hides it, or because of something else."""
    return [one for one in desk.recording(PAIR).proposals if one.camera == camera and (one.source == "pair") is band]


def say(desk, what, one):
    desk.decide(PAIR, one.camera, what, one.kind, one.first, one.last, box_xywh=one.box_xywh, proposal_key=one.key)


def say_of_all(desk, what):
    for one in asked(desk):
        say(desk, what, one)


def answers(desk, **of):
    return [(one.box_xywh, one.first, one.last, one.decision, one.hidden) for one in asked(desk, **of)]


def test_who_rejects_the_rows_does_not_show_a_name_in_them_that_somebody_accepted(folder):
    review_study.propose(folder, [NAME])
    with review_study.desk(folder) as desk:
        say(desk, "accept", *asked(desk, band=False))
        draw(desk, DRAWN)
        say_of_all(desk, "reject")
        assert answers(desk) == [(BAND, 10, 39, "rejected", False)]
        assert answers(desk, band=False) == [((50, 28, 30, 8), 10, 39, "accepted", True)]


def test_who_rejects_the_rows_is_asked_about_a_name_in_them_that_a_detector_found(folder):
    review_study.propose(folder, [NAME])
    with review_study.desk(folder) as desk:
        draw(desk, DRAWN)
        say_of_all(desk, "reject")
        assert answers(desk) == [(BAND, 10, 39, "rejected", False)]
        assert answers(desk, band=False) == [((50, 28, 30, 8), 10, 39, "unreviewed", True)]


def test_who_accepts_a_name_in_the_rows_is_still_asked_about_the_rows(folder):
    review_study.propose(folder, [NAME])
    with review_study.desk(folder) as desk:
        draw(desk, DRAWN)
        say(desk, "accept", *asked(desk, band=False))
        assert answers(desk) == [(BAND, 10, 39, "unreviewed", True)]
        say_of_all(desk, "accept")
        assert answers(desk)[0][3:] == ("accepted", True)


def test_of_two_reviewers_who_rejects_the_rows_has_not_said_that_a_name_in_them_may_be_shown(folder):
    review_study.propose(folder, [NAME])
    review_study.two_reviewers(folder)
    with review_study.desk(folder, "ann") as desk:
        say(desk, "reject", *asked(desk, band=False))
        draw(desk, DRAWN)
        say_of_all(desk, "reject")
    with review_study.desk(folder, "bo") as desk:
        say_of_all(desk, "reject")
        assert answers(desk) == [(BAND, 10, 39, "rejected", False)]
        assert [one[3:] for one in answers(desk, band=False)] == [("unreviewed", True)]


@pytest.mark.parametrize("kind", ["text", "other"])
def test_what_is_drawn_in_rows_that_were_rejected_before_is_asked_again_where_it_is_on_screen(desk, kind):
    draw(desk, DRAWN, kind=kind)
    say_of_all(desk, "reject")
    draw(desk, (60, 30, 20, 8), kind=kind, first=30, last=49)
    assert answers(desk) == [(BAND, 10, 29, "rejected", False), (BAND, 30, 49, "unreviewed", True)]
    say_of_all(desk, "reject")
    assert [one[3] for one in answers(desk)] == ["rejected", "rejected"]


@pytest.mark.parametrize("first", [(10, 28, 20, 12), (10, 32, 20, 4)])
def test_what_is_drawn_in_some_of_the_rows_that_were_rejected_before_is_asked_again(desk, first):
    draw(desk, first)
    say_of_all(desk, "reject")
    draw(desk, (60, 30, 20, 8))
    assert (BAND, 10, 39, "unreviewed", True) in answers(desk)


def test_a_rejection_counts_again_when_what_was_drawn_after_it_is_taken_back_and_not_when_that_comes_back(desk):
    draw(desk, DRAWN)
    say_of_all(desk, "reject")
    draw(desk, (60, 30, 20, 8))
    assert [one[3] for one in answers(desk)] == ["unreviewed"]
    desk.undo(PAIR)
    assert [one[3] for one in answers(desk)] == ["rejected"]
    desk.undo(PAIR)
    draw(desk, (60, 30, 20, 8))
    assert [one[3] for one in answers(desk)] == ["unreviewed"]


def test_of_two_reviewers_both_must_reject_the_rows_after_what_was_drawn_last(folder):
    review_study.propose(folder, [])
    review_study.two_reviewers(folder)
    with review_study.desk(folder, "ann") as desk:
        draw(desk, DRAWN)
        say_of_all(desk, "reject")
        draw(desk, (60, 30, 20, 8))
    for person, shown in (("bo", False), ("ann", True)):
        with review_study.desk(folder, person) as desk:
            say_of_all(desk, "reject")
            assert [one.hidden for one in asked(desk)] == [not shown]


def imported(folder, rows):
    """Let a sheet lie there, and return what is hidden in the right camera before and after it is imported."""
    (folder / "data/raw/redactions.csv").write_text(review_study.SHEET + rows, encoding="utf-8")
    with review_study.desk(folder) as desk:
        before = [one[:3] for one in answers(desk) if one[4]]
        ledger.take(Path("data/raw/redactions.csv"), "ann")
    with review_study.desk(folder) as desk:
        return before, [one[:3] for one in answers(desk) if one[4]]


@pytest.mark.parametrize("what", ["accept", "add"])
def test_what_a_sheet_hides_that_nobody_proposed_is_proposed_in_the_other_camera_also_after_its_import(folder, what):
    review_study.propose(folder, [])
    before, after = imported(folder, f"pair,left,text,0.5,2,10,30,20,8,{what}\n")
    assert before == after == [(BAND, 10, 39)]


def test_a_sheet_that_accepts_what_a_detector_found_draws_nothing_after_its_import(folder):
    review_study.propose(folder, [review_study.proposal("pair", "left", 10, 39, kind="text", box=(10, 30, 20, 8))])
    _, after = imported(folder, "pair,left,text,0.5,2,10,30,20,8,accept\n")
    assert after == []


FOUND = review_study.proposal("pair", "left", 10, 11, kind="text", box=DRAWN)
"""Two frames of `DRAWN`, read by a detector."""


def test_what_a_sheet_hides_for_longer_than_a_detector_found_it_is_proposed_in_the_other_camera_for_the_rest(folder):
    review_study.propose(folder, [FOUND])
    before, after = imported(folder, "pair,left,text,0,3,10,30,20,8,accept\n")
    assert (before, after) == ([(BAND, 0, 59)], [(BAND, 0, 9), (BAND, 12, 59)])


def test_what_a_detector_finds_after_the_import_of_a_sheet_leaves_the_rest_proposed_in_the_other_camera(folder):
    review_study.propose(folder, [])
    imported(folder, "pair,left,text,0,3,10,30,20,8,accept\n")
    review_study.propose(folder, [FOUND])
    with review_study.desk(folder) as desk:
        assert [one[1:] for one in answers(desk)] == [(0, 9, "unreviewed", True), (12, 59, "unreviewed", True)]


def test_who_accepts_what_a_sheet_proposes_for_longer_than_a_detector_is_asked_about_the_rest_in_the_other_camera(folder):
    review_study.propose(folder, [FOUND])
    (folder / "data/raw/redactions.csv").write_text(review_study.SHEET + "pair,left,text,0,3,10,30,20,8,accept\n", encoding="utf-8")
    with review_study.desk(folder) as desk:
        say(desk, "accept", next(one for one in asked(desk, "left", band=False) if one.source == "sheet"))
        assert [one[1:3] for one in answers(desk)] == [(0, 9), (12, 59)]


def test_who_moves_the_ends_of_a_text_that_a_detector_found_draws_nothing_in_the_other_camera(folder):
    review_study.propose(folder, [FOUND])
    with review_study.desk(folder) as desk:
        (one,) = asked(desk, "left", band=False)
        desk.decide(PAIR, "left", "change", "text", 10, 11, box_xywh=DRAWN, proposal_key=one.key, to_first=9, to_last=14)
        assert answers(desk) == []


WHOLE = review_study.proposal("pair", "right", 10, 39)
SAME = review_study.proposal("pair", "right", 10, 39, kind="text", box=DRAWN)


@pytest.mark.parametrize("found", [WHOLE, SAME])
@pytest.mark.parametrize("is_rejected_first", [False, True])
def test_who_shows_what_a_detector_found_is_asked_about_the_rows_of_what_was_drawn_in_the_other_camera(folder, found, is_rejected_first):
    review_study.propose(folder, [found])
    with review_study.desk(folder) as desk:
        (one,) = asked(desk, band=False)
        for step in ("reject", "draw") if is_rejected_first else ("draw", "reject"):
            if step == "draw":
                draw(desk, DRAWN, kind=found["kind"])
            else:
                say(desk, "reject", one)
        assert answers(desk) == [(BAND, 10, 39, "unreviewed", True)]
        say_of_all(desk, "reject")
        assert [one[3:] for one in answers(desk)] == [("rejected", False)]


def test_who_shows_a_whole_picture_after_it_was_drawn_in_the_other_camera_is_not_asked_again_and_before_it_is(folder):
    review_study.propose(folder, [WHOLE])
    with review_study.desk(folder) as desk:
        (one,) = asked(desk, band=False)
        draw(desk, None, kind="out_of_body")
        say(desk, "reject", one)
        assert answers(desk) == [(None, 10, 39, "rejected", False)]
        draw(desk, None, kind="out_of_body", first=20, last=29)
        assert [one[1:4] for one in answers(desk)] == [(10, 19, "rejected"), (20, 29, "unreviewed"), (30, 39, "rejected")]


@pytest.mark.parametrize("boxes", [(DRAWN, None), (None, DRAWN)])
def test_who_shows_a_whole_picture_is_asked_about_the_rows_of_a_rectangle_that_was_drawn_beside_it(desk, boxes):
    for box in boxes:
        draw(desk, box, kind="other")
    (whole,) = asked(desk)
    assert whole.box_xywh is None
    say(desk, "reject", whole)
    assert sorted(answers(desk), key=str) == [(BAND, 10, 39, "unreviewed", True), (None, 10, 39, "rejected", False)]


def test_a_sheet_that_shows_exactly_the_rectangle_shows_nothing_of_its_rows(folder):
    review_study.propose(folder, [])
    with review_study.desk(folder) as desk:
        draw(desk, DRAWN, first=0, last=59)
    before, after = imported(folder, "pair,right,text,0.5,0.55,10,30,20,8,reject\n")
    assert before == after == [(BAND, 0, 59)]


def test_rows_that_were_accepted_are_no_drawing_where_the_export_is_imported(folder):
    review_study.propose(folder, [])
    with review_study.desk(folder) as desk:
        draw(desk, DRAWN)
        say_of_all(desk, "accept")
        ledger.write(Path("out.csv"), "ann")
    (folder / "data/private/decisions.jsonl").unlink()
    with review_study.desk(folder) as desk:
        ledger.take(Path("out.csv"), "ann")
    with review_study.desk(folder) as desk:
        assert answers(desk, camera="left") == []
        assert answers(desk) == [(BAND, 10, 39, "accepted", True)]


def test_rows_that_were_accepted_and_then_rejected_are_asked_about_when_something_else_is_drawn_in_them(desk):
    draw(desk, DRAWN)
    say_of_all(desk, "accept")
    say_of_all(desk, "reject")
    draw(desk, (60, 30, 20, 8))
    assert answers(desk) == [(BAND, 10, 39, "unreviewed", True)]


def test_what_was_taken_away_when_the_rows_were_rejected_is_asked_about_when_it_comes_back(folder):
    review_study.propose(folder, [])
    with review_study.desk(folder, "ann") as ann, review_study.desk(folder, "bo") as bo:
        draw(ann, (60, 30, 20, 8))
        (drawn,) = ann.recording(PAIR).drawn
        say(ann, "reject", drawn)
        draw(bo, DRAWN)
        say_of_all(bo, "reject")
        assert [one[3] for one in answers(ann)] == ["rejected"]
        ann.undo(PAIR)
        assert answers(ann) == [(BAND, 10, 39, "unreviewed", True)]


def test_what_a_rejection_had_overruled_is_asked_about_when_that_rejection_is_taken_back_after_the_rows_were_rejected(folder):
    review_study.propose(folder, [])
    accepted = "pair,left,text,0.5,2,10,30,20,8,accept\n"
    for rows in (accepted, accepted.replace("accept", "reject")):
        imported(folder, rows)
    with review_study.desk(folder, "ann") as ann, review_study.desk(folder, "bo") as bo:
        draw(bo, (60, 30, 20, 8))
        say_of_all(bo, "reject")
        assert [one[3] for one in answers(ann)] == ["rejected"]
        ann.undo(PAIR)
        assert answers(ann) == [(BAND, 10, 39, "unreviewed", True)]


def test_a_sheet_that_shows_all_text_of_one_camera_does_not_answer_what_the_other_one_hides(folder):
    review_study.propose(folder, [NAME])
    _, after = imported(folder, "pair,right,text,,,,,,,reject\npair,left,text,0.5,2,10,30,20,8,add\n")
    assert after == [(BAND, 10, 39)]
    with review_study.desk(folder) as desk:
        assert [one[3:] for one in answers(desk, band=False)] == [("rejected", False)]
        say_of_all(desk, "reject")
        assert [one[3:] for one in answers(desk)] == [("rejected", False)]


SHEET_ADDS = "pair,left,text,0.5,2,60,30,20,8,add\n"


@pytest.mark.parametrize("people", [["ann"], ["ann", "bo"]])
def test_what_a_sheet_that_lies_there_wants_hidden_in_rows_that_were_rejected_is_asked_before_its_import_as_after_it(folder, people):
    review_study.propose(folder, [])
    if len(people) > 1:
        review_study.two_reviewers(folder)
    for person in people:
        with review_study.desk(folder, person) as desk:
            if person == "ann":
                draw(desk, DRAWN)
            say_of_all(desk, "reject")
    before, after = imported(folder, SHEET_ADDS)
    assert before == after == [(BAND, 10, 39)]


def test_the_rows_of_what_a_sheet_that_lies_there_wants_hidden_are_released_only_after_its_import_and_a_rejection(folder):
    review_study.propose(folder, [])
    (folder / "data/raw/redactions.csv").write_text(review_study.SHEET + SHEET_ADDS, encoding="utf-8")
    with review_study.desk(folder) as desk:
        say_of_all(desk, "reject")
        assert answers(desk) == [(BAND, 10, 39, "unreviewed", True)]
        assert desk.hidden(PAIR, "right", 1.0) == [BAND]
    imported(folder, SHEET_ADDS)
    with review_study.desk(folder) as desk:
        say_of_all(desk, "reject")
        assert desk.hidden(PAIR, "right", 1.0) == []


def test_who_rejects_the_rows_of_one_drawing_has_not_answered_another_drawing_that_is_as_large_as_these_rows(desk):
    draw(desk, BAND)
    draw(desk, DRAWN)
    say(desk, "reject", next(one for one in asked(desk) if one.box_xywh == BAND))
    assert sorted(answers(desk)) == [((0, 16, 96, 36), 10, 39, "unreviewed", True), (BAND, 10, 39, "rejected", False)]
    assert desk.hidden(PAIR, "right", 1.0) == [(0, 16, 96, 36)]
