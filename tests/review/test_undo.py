"""What undo gives back: what was hidden before the last thing that a person did, once after the other, and nothing of anybody else."""

from __future__ import annotations

import contextlib
import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import review_study
from scrubin.audit.expected import withdrawal_memory
from scrubin.base.errors import ReviewError
from scrubin.stages.review import LEDGER_PATH, Ledger, rewriting

PAIR, SINGLE = 0, 1
RECORDINGS = {PAIR: "left", SINGLE: "mono"}
NAMES = ("pair", "single")


@pytest.fixture(scope="module")
def folders(study_to_review, tmp_path_factory):
    """The study for one reviewer and for two."""
    done = {}
    for reviewers in (1, 2):
        done[reviewers] = shutil.copytree(study_to_review, tmp_path_factory.mktemp("undo") / "study")
        path = done[reviewers] / "params.yaml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("reviewers: 1", f"reviewers: {reviewers}"), encoding="utf-8")
    return done


@pytest.fixture(scope="module")
def desks(folders):
    """Ann's and bo's, for one reviewer and for two: to open one takes longer than all that is done at it."""
    opened = {}
    for reviewers, folder in folders.items():
        with review_study.desk(folder) as ann, review_study.desk(folder, by="bo") as bo:
            opened[reviewers] = ann, bo
    return opened


@pytest.fixture(params=[1, 2], ids=["one reviewer", "two reviewers"])
def desk(folders, request):
    (folders[request.param] / LEDGER_PATH).unlink(missing_ok=True)
    with review_study.desk(folders[request.param]) as opened:
        yield opened


def draw(desk, first, last, number=SINGLE):
    desk.decide(number, RECORDINGS[number], "add", "other", first, last)
    return drawn(desk, number)[-1]


def move(desk, span, first, last, number=SINGLE):
    about = {"box_xywh": span.box_xywh, "proposal_key": span.key, "to_first": first, "to_last": last}
    return desk.decide(number, span.camera, "change", span.kind, span.first, span.last, **about)


def take_away(desk, span, number=SINGLE):
    about = {"box_xywh": span.box_xywh, "proposal_key": span.key}
    return desk.decide(number, span.camera, "reject", span.kind, span.first, span.last, **about)


def drawn(desk, number=SINGLE):
    return [one for one in desk.recording(number).drawn if one.camera == RECORDINGS[number]]


def spans(desk, number=SINGLE):
    return sorted((one.first, one.last) for one in drawn(desk, number))


def test_an_exclusion_that_was_taken_back_stands_again(desk):
    desk.exclude(SINGLE, "no consent")
    desk.include(SINGLE)
    desk.undo(SINGLE)
    assert desk.recordings()[SINGLE].status == "excluded"
    desk.undo(SINGLE)
    assert desk.recordings()[SINGLE].status == "kept"


def test_a_second_exclusion_is_refused_so_that_undoing_it_lets_nothing_in(desk):
    desk.exclude(SINGLE, "no consent", nonce="a-first-wish")
    with pytest.raises(ReviewError, match="'ann' has excluded this recording already: no consent"):
        desk.exclude(SINGLE, "blurred")
    assert desk.exclude(SINGLE, "no consent", nonce="a-first-wish").number == 1


def test_what_comes_back_stands_where_it_stood_so_that_later_decisions_still_overrule_it(desk):
    (proposal,) = desk.recording(SINGLE).proposals
    about = {"box_xywh": proposal.box_xywh, "proposal_key": proposal.key}
    desk.decide(SINGLE, "mono", "change", "text", 40, 49, **about, to_first=43, to_last=60)
    desk.decide(SINGLE, "mono", "accept", "text", 40, 49, **about)
    (beyond,) = drawn(desk)
    take_away(desk, beyond)
    desk.undo(SINGLE)
    assert desk.recording(SINGLE).proposals[0].decision == "accepted"
    assert spans(desk) == [(50, 60)]


def test_a_person_undoes_only_what_they_did_themselves(desk, folders):
    draw(desk, 5, 9)
    folder = folders[desk.reviewed.reviewers]
    with review_study.desk(folder, by="bo") as bo:
        assert bo.undo(SINGLE) is None
        draw(bo, 20, 29)
        desk.undo(SINGLE)
        assert spans(bo) == [(20, 29)]


def test_who_took_away_what_somebody_else_drew_gives_it_back_as_theirs(folders):
    (folders[1] / LEDGER_PATH).unlink(missing_ok=True)
    with review_study.desk(folders[1]) as ann, review_study.desk(folders[1], by="bo") as bo:
        take_away(bo, draw(ann, 5, 9))
        bo.undo(SINGLE)
        assert [(one.by, one.first) for one in drawn(bo)] == [("ann", 5)]
        assert bo.undo(SINGLE) is None


def test_undo_takes_back_what_is_of_the_open_recording_and_names_where_else_the_last_one_is(desk):
    draw(desk, 5, 9)
    draw(desk, 20, 29, number=PAIR)
    assert desk.undo(SINGLE).facts["line"] == 1
    with pytest.raises(
        ReviewError, match="left to undo in this recording; your last decision is about 'pair', left, frames 20 to 29: open"
    ):
        desk.undo(SINGLE)
    assert spans(desk, PAIR) == [(20, 29)]
    assert desk.undo().facts["line"] == 2
    assert desk.undo(SINGLE) is None


@pytest.mark.parametrize("about", [("quarantine", "single"), ("near-duplicate", "abelo,borunga"), "a span of theirs"])
def test_what_was_said_about_who_withdrew_is_no_wall_before_what_was_decided_about_others(desk, folders, about):
    folder = folders[desk.reviewed.reviewers]
    draw(desk, 5, 9, number=PAIR)
    draw(desk, 20, 29, number=PAIR)
    if isinstance(about, str):
        draw(desk, 5, 9)
    else:
        facts = {"subject": about[0], "key": about[1], "why": "known", "until": None}
        Ledger(folder / LEDGER_PATH).append("acknowledged", facts, by="ann", session="page")
    withdrawn = withdrawal_memory.Memory().with_recording("single", "consent", {"id": ["borunga"]}, ["single"])
    withdrawal_memory.write(withdrawn, folder)
    try:
        assert desk.undo(PAIR).facts["line"] == 2
        assert desk.undo(None).facts["line"] == 1
        assert spans(desk, PAIR) == []
        # Only now is nothing else left; what is about them stays as it is, and no other recording is told where it is.
        with pytest.raises(ReviewError, match="this recording was withdrawn from the study: nothing is written about it"):
            desk.undo(SINGLE)
        assert desk.undo(PAIR) is None
        assert desk.undo(None) is None
        assert len(desk.lines()) == 5
        with review_study.desk(folder) as again:
            # What was said in them names them.
            assert again.recording(SINGLE).log == ()
            assert again.recording(PAIR).log
    finally:
        (folder / withdrawal_memory.PATH).unlink()


@pytest.mark.parametrize("also", ["nothing", "an acknowledgement about who withdrew"])
def test_an_exclusion_elsewhere_is_named_as_well(desk, folders, also):
    folder = folders[desk.reviewed.reviewers]
    desk.exclude(PAIR, "no consent")
    if also != "nothing":
        facts = {"subject": "quarantine", "key": "gone", "why": "known", "until": None}
        Ledger(folder / LEDGER_PATH).append("acknowledged", facts, by="ann", session="page")
        review_study.withdraw(folder, "gone")
    try:
        with pytest.raises(ReviewError, match="about the exclusion of 'pair'"):
            desk.undo(SINGLE)
    finally:
        (folder / withdrawal_memory.PATH).unlink(missing_ok=True)


def test_the_same_wish_twice_undoes_once(desk):
    older = draw(desk, 5, 9)
    move(desk, older, 5, 12)
    first = desk.undo(SINGLE, nonce="one-and-the-same")
    assert desk.undo(SINGLE, nonce="one-and-the-same") == first
    assert spans(desk) == [(5, 9)]


def test_new_ends_that_are_wished_for_twice_are_kept_once_and_undone_at_once(desk):
    span = draw(desk, 5, 9)
    about = {"proposal_key": span.key, "to_first": 5, "to_last": 12, "nonce": "one-and-the-same"}
    for _ in range(2):
        desk.decide(SINGLE, "mono", "change", "other", 5, 9, **about)
    assert spans(desk) == [(5, 12)]
    desk.undo(SINGLE)
    assert spans(desk) == [(5, 9)]


def test_what_was_drawn_in_another_recording_or_is_no_decision_is_not_taken_away(desk):
    elsewhere = draw(desk, 5, 9, number=PAIR)
    excluded = desk.exclude(PAIR, "no consent")
    for key in (elsewhere.key, f"line:{excluded.number}", "line:99", "line:x:0", "line:", "line:²:0"):
        with pytest.raises(ReviewError, match="withdrawn in the meantime"):
            desk.decide(SINGLE, "mono", "reject", "other", 5, 9, proposal_key=key)
    assert spans(desk, PAIR) == [(5, 9)]
    assert desk.recordings()[PAIR].status == "excluded"


def test_an_undo_that_was_cut_off_shows_nothing_and_is_finished_by_the_next(desk, monkeypatch):
    move(desk, draw(desk, 5, 9), 5, 12)
    append, written = Ledger.append, []

    def cut(ledger, *args, **kwargs):
        if written:
            msg = "the disk is full"
            raise ReviewError(msg)
        written.append(append(ledger, *args, **kwargs))
        return written[0]

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", cut)
        with pytest.raises(ReviewError, match="full"):
            desk.undo(SINGLE)
    assert spans(desk) == [(5, 9), (5, 12)]
    desk.undo(SINGLE)
    assert spans(desk) == [(5, 9)]


def test_a_ledger_of_an_earlier_edition_is_read_as_before_and_its_new_ends_are_undone_to_the_old_ones(desk, folders):
    folder = folders[desk.reviewed.reviewers]
    desk.decide(SINGLE, "mono", "add", "other", 5, 9, nonce="wish-of-drawing")
    (span,) = drawn(desk)
    desk.decide(SINGLE, "mono", "change", "other", 5, 9, proposal_key=span.key, to_first=5, to_last=12, nonce="wish-of-moving")
    take_away(desk, draw(desk, 20, 29))
    desk.undo(SINGLE)
    desk.undo(SINGLE)
    before = Ledger(folder / LEDGER_PATH).lines()
    # Until now a line about a withdrawal was written by nobody, and none said whether it is one that may be undone.
    bodies = [
        {"at": one.at, "by": one.by, "event": one.event, "facts": {k: v for k, v in one.facts.items() if k != "undoable"}}
        | {"nonce": one.nonce, "session": one.session}
        for one in before[:5]
    ]
    Ledger(folder / LEDGER_PATH).write_anew(lambda _: bodies)
    assert "undoable" not in (folder / LEDGER_PATH).read_text(encoding="utf-8")
    with review_study.desk(folder) as again:
        assert spans(again) == [(5, 12)]
        again.undo(SINGLE)
        assert spans(again) == [(5, 9)]
        again.undo(SINGLE)
        assert spans(again) == []


def test_what_stands_and_what_is_undone_next_outlive_a_new_name_of_a_recording(desk, folders):
    folder = folders[desk.reviewed.reviewers]
    draw(desk, 5, 9, number=PAIR)
    move(desk, draw(desk, 20, 29), 20, 35)
    desk.undo(SINGLE)
    take_away(desk, drawn(desk)[0])
    rewriting.rename(Ledger(folder / LEDGER_PATH), "pair", "duo")
    with review_study.desk(folder) as again:
        assert spans(again) == []
        again.undo(SINGLE)
        assert spans(again) == [(20, 29)]
        again.undo(SINGLE)
        assert spans(again) == []


def test_the_log_of_a_recording_tells_of_withdrawals_that_were_undone(desk):
    take_away(desk, draw(desk, 5, 9))
    desk.undo(SINGLE)
    assert [row["event"] for row in desk.recording(SINGLE).log] == ["withdrawn", "withdrawn", "decided"]
    assert desk.recording(PAIR).log == ()


deeds = st.lists(
    st.tuples(
        st.sampled_from(
            ["draw", "move", "move", "take away", "take away", "accept", "reject", "change", "exclude", "undo", "undo", "undo"]
        ),
        st.integers(0, 1),
        st.sampled_from([PAIR, SINGLE]),
        st.integers(0, 40),
        st.integers(0, 15),
    ),
    max_size=14,
)


def do(desk, what, number, first, length):
    """Do something if the page would offer it."""
    view, camera = desk.recording(number), RECORDINGS[number]
    mine = [one for one in drawn(desk, number) if one.by == desk.by]
    proposals = [one for one in view.proposals if one.camera == camera]
    if what == "draw":
        desk.decide(number, camera, "add", "other", first, first + length)
    elif what in ("move", "take away"):
        if mine:
            span = mine[first % len(mine)]
            take_away(desk, span, number) if what == "take away" else move(desk, span, span.first, min(span.last + length, 59), number)
    elif what == "exclude":
        entry = desk.standing.excludes(view.summary.name)
        if entry is None:
            desk.exclude(number, "no consent")
        elif entry[0].by == desk.by:
            desk.include(number)
    elif proposals:
        one = proposals[first % len(proposals)]
        first_to = min(one.first + length % 5, one.last)
        ends = {"to_first": first_to, "to_last": max(first_to, min(one.last + first, 59))} if what == "change" else {}
        desk.decide(number, camera, what, one.kind, one.first, one.last, box_xywh=one.box_xywh, proposal_key=one.key, **ends)


def state(desk, number):
    """What a person said of a recording that counts, and with one reviewer what the release will hide of it, or all of it."""
    key = NAMES[number], RECORDINGS[number]
    said = [one for by, one in desk.standing.decided.get(key, {}).values() if by == desk.by]
    is_excluding = any(line.by == desk.by for line, _ in desk.standing.excluded.get(key[0], {}).values())
    if desk.reviewed.reviewers > 1:
        return said, is_excluding
    rows = {json.dumps(row, sort_keys=True) for row in desk.reviewed.redactions(key, desk.standing)}
    return said, is_excluding, sorted(rows), desk.standing.excludes(key[0]) is not None


@pytest.mark.parametrize("reviewers", [1, 2])
@given(deeds=deeds)
def test_undo_goes_back_step_by_step_to_what_was_hidden(folders, desks, reviewers, deeds):
    """Against a stack of states for each recording. Of two people each has their own, and what one does never changes the other's."""
    (folders[reviewers] / LEDGER_PATH).unlink(missing_ok=True)
    ann, bo = desks[reviewers]
    with contextlib.chdir(folders[reviewers]):
        people = (ann, bo) if reviewers == 2 else (ann, ann)
        stacks = {(one.by, number): [state(one, number)] for one in people for number in RECORDINGS}
        begun = [("draw", who, number, 5, 5) for who in (0, 1) for number in RECORDINGS]
        for what, who, number, first, length in begun + deeds:
            desk = people[who]
            stack, lines = stacks[desk.by, number], len(desk.lines())
            if what == "undo":
                try:
                    undone = desk.undo(number)
                except ReviewError:
                    undone = None
                assert (undone is None) == (len(stack) == 1)
                stack[1:] = stack[1:-1]
            else:
                do(desk, what, number, first, length)
                stack += [state(desk, number)] if len(desk.lines()) > lines else []
            for one in people[:reviewers]:
                assert all(state(one, place) == stacks[one.by, place][-1] for place in RECORDINGS)
