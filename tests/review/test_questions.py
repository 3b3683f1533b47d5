"""What the audit asks comes to the desk, and an answer hides a span or lets exactly that pass."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import review_study
from scrubin.audit.expected.plan import LIKE
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReviewError
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.stages.review import Ledger, questions, result, rewriting, study
from scrubin.stages.review.questions import Question, Sight, let_through

PAIR, SINGLE = 0, 1
FACE = Sight("face", 12, 14, (30, 20, 12, 16))
WORD = Sight("text", 60, 60, (8, 8, 30, 12), f"{LIKE}jonas")
MARGIN_FRAMES = 4


@pytest.fixture
def folder(folder):
    ask(folder, FACE, WORD)
    return folder


def ask(folder, *sights):
    recordings = io.read(RECORDINGS, folder / "data/interim/recordings.parquet")
    sha256 = recordings.set_index("recording").sha256["single"]
    read = {"face": None, "text": "J0nas"}
    asked = [Question("single", "mono", sha256, one, "abelo", one.first, one.last, 0.0, 0.1, 0.5, read[one.kind]) for one in sights]
    questions.write(asked, folder)


def asked(desk):
    return [one for one in desk.recording(SINGLE).proposals if one.source == "audit"]


def answer(desk, what, sight, **more):
    kind = "text" if sight.kind == "text" else "out_of_body"
    return desk.decide(SINGLE, "mono", what, kind, sight.first, sight.last, box_xywh=sight.box_xywh, proposal_key=sight.key, **more)


def redactions(folder):
    """What the stage review hides, by the ledger as it is."""
    of = study.load(1, 0.2, folder / "data/raw", folder)
    standing = of.standing()
    standing.apply(Ledger(folder / "data/private/decisions.jsonl").lines())
    return [row for row in result.redactions(of, standing) if row["recording"] == "single" and row["accepted"]]


def passing(folder, reviewers=1):
    return [one.sight for one in let_through(Ledger(folder / "data/private/decisions.jsonl").lines(), reviewers)]


@pytest.mark.parametrize("reviewers", [1, 2])
def test_a_question_tells_how_many_people_answered_it(folder, reviewers):
    review_study.change_params(folder, "reviewers: 1", f"reviewers: {reviewers}")
    for count, by in enumerate(("ann", "bo")):
        with review_study.desk(folder, by=by) as one:
            assert [one.answers for one in asked(one)] == [min(count, reviewers), 0]
            answer(one, "reject", FACE)
            answer(one, "reject", FACE)
    with review_study.desk(folder) as one:
        assert [one.answers for one in asked(one)] == [reviewers, 0]


def test_a_key_names_all_of_a_sight_and_is_read_again():
    for sight in (FACE, WORD, Sight("text", 1, 2, (0, 0, 3, 4), "a:b, c")):
        assert Sight.of_key(sight.key) == sight
    assert FACE.key == "audit:face:12-14:30,20,12,16"
    with pytest.raises(ReviewError, match="no question of the audit"):
        Sight.of_key("text:text:0-1")


def test_questions_are_undecided_proposals_of_their_recording_and_hide_nothing_by_themselves(desk, folder):
    face, word = asked(desk)
    assert (face.key, face.kind, face.first, face.last, face.score, face.text) == (FACE.key, "out_of_body", 12, 14, 0.5, None)
    assert (word.kind, word.box_xywh, word.text) == ("text", WORD.box_xywh, "J0nas")
    assert [one.hidden for one in (face, word)] == [False, False]
    summary = desk.recordings()[SINGLE]
    assert (summary.undecided, summary.asked, summary.done) == (3, 2, False)
    assert "mono: the audit asks about 2 places, and nothing is released before somebody answers" in desk.recording(SINGLE).missing
    assert "mono: 1 proposals undecided, so they are hidden" in desk.recording(SINGLE).missing
    assert [row["source"] for row in redactions(folder)] == ["text"]


def test_a_recording_is_not_done_while_the_audit_asks_although_all_else_is(desk):
    review_study.see_all(desk)
    (text,) = [one for one in desk.recording(SINGLE).proposals if one.source != "audit"]
    desk.decide(SINGLE, "mono", "accept", "text", text.first, text.last, box_xywh=text.box_xywh, proposal_key=text.key)
    assert not desk.recordings()[SINGLE].done
    answer(desk, "reject", FACE)
    assert not desk.recordings()[SINGLE].done
    answer(desk, "reject", WORD)
    assert desk.recordings()[SINGLE].done


def test_a_face_that_is_to_be_hidden_is_a_span_of_whole_frames_with_the_margin_around_it(desk, folder):
    answer(desk, "accept", FACE)
    (drawn,) = desk.recording(SINGLE).drawn
    assert (drawn.kind, drawn.box_xywh) == ("out_of_body", None)
    assert (drawn.first, drawn.last) == (FACE.first - MARGIN_FRAMES, FACE.last + MARGIN_FRAMES)
    assert asked(desk)[0].decision == "accepted"
    assert passing(folder) == []
    (row,) = [row for row in redactions(folder) if row["source"] == "curator"]
    assert (row["kind"], row["x"]) == ("out_of_body", None)


def test_a_word_that_is_to_be_hidden_is_its_rectangle_and_new_ends_are_those_that_a_person_set(desk):
    answer(desk, "change", WORD, to_first=50, to_last=69)
    (drawn,) = desk.recording(SINGLE).drawn
    assert (drawn.kind, drawn.box_xywh, drawn.first, drawn.last) == ("text", WORD.box_xywh, 50, 69)
    assert asked(desk)[1].decision == "accepted"


def test_what_may_be_seen_is_told_to_the_audit_alone(desk, folder):
    text = next(one for one in desk.recording(SINGLE).proposals if one.source == "text")
    # Around all of what the detectors propose, at the same time, of the same kind.
    around = Sight("text", text.first, text.last, (0, 0, 90, 60), "jonas")
    ask(folder, around)
    with review_study.desk(folder) as again:
        answer(again, "reject", around)
        assert [one.decision for one in asked(again)] == ["rejected"]
        assert next(one for one in again.recording(SINGLE).proposals if one.source == "text").decision == "unreviewed"
    assert passing(folder) == [around]
    assert [row["source"] for row in redactions(folder)] == ["text"]


def test_who_changes_their_mind_leaves_one_answer(desk, folder):
    answer(desk, "accept", FACE)
    answer(desk, "reject", FACE)
    assert (desk.recording(SINGLE).drawn, passing(folder)) == ((), [FACE])
    answer(desk, "accept", FACE)
    assert passing(folder) == []
    desk.undo()
    assert passing(folder) == [FACE]
    desk.undo()
    # Before they said that it may be seen, they had it hidden.
    assert (passing(folder), len(desk.recording(SINGLE).drawn)) == ([], 1)
    assert asked(desk)[0].decision == "accepted"
    desk.undo()
    assert asked(desk)[0].decision == "unreviewed"
    assert (passing(folder), desk.recording(SINGLE).drawn) == ([], ())


def test_an_answer_that_hides_and_was_taken_away_counts_again_for_the_audit_when_that_is_undone(desk, folder):
    answer(desk, "reject", FACE)
    answer(desk, "accept", FACE)
    (drawn,) = desk.recording(SINGLE).drawn
    desk.decide(SINGLE, "mono", "reject", drawn.kind, drawn.first, drawn.last, proposal_key=drawn.key)
    assert passing(folder) == [FACE]
    desk.undo()
    assert passing(folder) == []


def test_a_span_that_somebody_draws_over_it_answers_the_question(desk):
    desk.decide(SINGLE, "mono", "add", "other", 10, 20)
    assert [one.decision for one in asked(desk)] == ["accepted", "unreviewed"]


def test_of_two_reviewers_both_must_say_that_it_may_be_seen(folder):
    review_study.two_reviewers(folder)
    with review_study.desk(folder, by="ann") as ann, review_study.desk(folder, by="bo") as bo:
        answer(ann, "reject", FACE)
        assert passing(folder, 2) == []
        assert asked(ann)[0].decision == "unreviewed"
        answer(ann, "reject", FACE)
        assert passing(folder, 2) == []
        answer(bo, "reject", FACE)
        assert (passing(folder, 2), asked(bo)[0].decision) == ([FACE], "rejected")
        answer(bo, "accept", FACE)
        assert passing(folder, 2) == []
        assert (asked(ann)[0].decision, asked(ann)[0].disputed) == ("accepted", True)


def test_questions_about_another_file_or_about_what_is_gone_are_not_asked(desk, folder):
    other = [replace(one, sha256="f" * 64) for one in questions.load(folder)]
    questions.write(other, folder)
    with review_study.desk(folder) as again:
        assert asked(again) == []
        with pytest.raises(ReviewError, match="no longer there"):
            answer(again, "reject", FACE)


def test_an_answer_about_another_file_is_no_answer_about_this_one(desk, folder):
    answer(desk, "reject", FACE)
    (before,) = let_through(Ledger(folder / "data/private/decisions.jsonl").lines(), 1)
    assert before.sha256 == questions.load(folder)[0].sha256


def test_answers_do_not_leave_with_the_sheet(desk):
    from scrubin.stages.review import exchange

    answer(desk, "reject", WORD)
    answer(desk, "accept", FACE)
    (row,) = exchange.rows(desk.reviewed, desk.standing)
    assert row[2] == "out_of_body"


def test_nobody_is_asked_about_who_withdrew_and_no_name_of_theirs_is_left(desk, folder):
    answer(desk, "reject", WORD)
    gone = Memory().with_recording("single", "consent", {"id": ["abelo"]}, [])
    assert questions.forget(gone, folder)
    assert json.loads((folder / questions.QUESTIONS_PATH).read_text()) == []
    assert not questions.forget(gone, folder)
    ask(folder, WORD, FACE)
    named = Memory().with_recording("other", "consent", {}, ["Jonas"])
    assert questions.forget(named, folder)
    assert [one.sight for one in questions.load(folder)] == [FACE]
    ledger = Ledger(folder / "data/private/decisions.jsonl")
    assert rewriting.forget(ledger, named)
    assert "jonas" not in ledger.path.read_text().casefold()
    assert [one.word for one in passing(folder)] == ["~(withdrawn)"]


def test_a_file_that_cannot_be_read_says_what_to_do(folder):
    (folder / questions.QUESTIONS_PATH).write_text("[{}]")
    with pytest.raises(ReviewError, match=r"audit_questions\.json: it does not say what the audit asks .*dvc repro release"):
        questions.load(folder)
